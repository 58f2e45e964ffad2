import { isRecord } from '../wire/fields.ts';

export type JsonRpcId = string | number;
export type JsonRpcMessage = Readonly<Record<string, unknown>> & { readonly jsonrpc?: unknown };

export const METHOD_NOT_FOUND = -32601;
export const INVALID_REQUEST = -32600;
/** The code the MCP SDK uses where the connection is gone. */
export const SERVER_CLOSED = -32000;
/** The code the MCP SDK uses for a request that was given up. */
export const REQUEST_CANCELLED = -32001;

export function idOf(message: unknown): JsonRpcId | undefined {
  if (!isRecord(message)) return undefined;
  const id = message['id'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

export function methodOf(message: unknown): string | undefined {
  return isRecord(message) && typeof message['method'] === 'string' ? message['method'] : undefined;
}

export function errorReply(id: JsonRpcId | null, code: number, message: string): JsonRpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

export function emptyReply(id: JsonRpcId): JsonRpcMessage {
  return { jsonrpc: '2.0', id, result: {} };
}

/** A tool call that failed, told to the model and not to the protocol. */
export function errorResult(id: JsonRpcId, text: string): JsonRpcMessage {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } };
}

const REQUEST_FIELDS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** True for a request that the MCP SDK takes: whatever its schema refuses it leaves without a reply. A test compares the two. */
export function isWellFormed(message: Readonly<Record<string, unknown>>): boolean {
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || !isToken(id) || typeof method !== 'string') return false;
  for (const name in message) if (!REQUEST_FIELDS.has(name)) return false;
  return params === undefined || (isRecord(params) && isMeta(params['_meta']));
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const { progressToken, 'io.modelcontextprotocol/related-task': task } = meta;
  if (progressToken !== undefined && !isToken(progressToken)) return false;
  return task === undefined || (isRecord(task) && typeof task['taskId'] === 'string');
}

function isToken(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
