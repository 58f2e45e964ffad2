import { isRecord, stringOf } from '../fields.ts';

export type RpcId = string | number;

/** What one object of an engine is. */
export type PeerLine =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'result'; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: RpcId | undefined; readonly error: RpcFault }
  | { readonly kind: 'other' };

export type Params = Readonly<Record<string, unknown>>;

export interface RpcFault {
  readonly code: number | undefined;
  readonly message: string;
  readonly data: unknown;
}

/** Reads one object. The field `jsonrpc` may be missing, as in the shortened traces of the write-up; another version is none of it. */
export function readPeerLine(value: unknown): PeerLine {
  if (!isRecord(value)) return { kind: 'other' };
  const { jsonrpc, id: given, method, params, result, error } = value;
  if (jsonrpc !== undefined && jsonrpc !== '2.0') return { kind: 'other' };
  const id = typeof given === 'string' || typeof given === 'number' ? given : undefined;
  if (typeof method === 'string' && method !== '') {
    const named = isRecord(params) ? params : {};
    return id === undefined
      ? { kind: 'notification', method, params: named }
      : { kind: 'request', id, method, params: named };
  }
  if (isRecord(error)) return { kind: 'error', id, error: faultOf(error) };
  if (id !== undefined && 'result' in value) return { kind: 'result', id, result };
  return { kind: 'other' };
}

function faultOf(error: Record<string, unknown>): RpcFault {
  const { code, message, data } = error;
  return {
    code: typeof code === 'number' ? code : undefined,
    message: stringOf(message) ?? JSON.stringify(error),
    data,
  };
}
