import type { Decoded } from '../codec.ts';
import { isRecord, stringOf } from '../fields.ts';
import { decodeControlLine } from '../stream-json/control-frame.ts';

type ControlRequest = Extract<Decoded, { kind: 'control-request' }>;

/** What is no part of a request that stands flat in its envelope. */
const OF_THE_ENVELOPE: ReadonlySet<string> = new Set(['type', 'request_id', 'session_id', 'uuid']);

/**
 * A request of the peer, wherever it carries its id: inside `request`, beside it, or flat in an envelope `control`.
 * Undefined for what is none.
 */
export function readRequest(value: Readonly<Record<string, unknown>> | undefined): ControlRequest | undefined {
  if (value === undefined || value['response'] !== undefined) return undefined;
  const nested = value['request'];
  const request = isRecord(nested) ? nested : flatRequest(value);
  if (request === undefined) return undefined;
  const requestId = stringOf(request['request_id']) ?? stringOf(value['request_id']);
  const subtype = stringOf(request['subtype']) ?? '';
  if (requestId === undefined || subtype === 'success' || subtype === 'error') return undefined;
  const { request_id: _id, ...body } = request;
  return inStreamJson(requestId, subtype, body);
}

/** An answer of the peer in an envelope `control`, or with its id beside `response`. */
export function readResponse(value: Readonly<Record<string, unknown>> | undefined): Decoded | undefined {
  if (value === undefined) return undefined;
  const { response, subtype } = value;
  const isFlat = subtype === 'success' || subtype === 'error';
  const body = isRecord(response) && !isFlat ? response : value;
  const requestId = stringOf(body['request_id']) ?? stringOf(value['request_id']);
  if (requestId === undefined) return undefined;
  const { type: _type, ...envelope } = body;
  const line = { type: 'control_response', response: { subtype: 'success', ...envelope, request_id: requestId } };
  const decoded = decodeControlLine('control_response', line);
  return typeof decoded === 'string' ? undefined : decoded;
}

function flatRequest(value: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  if (value['type'] === 'control_response' || typeof value['subtype'] !== 'string') return undefined;
  const body = Object.fromEntries(Object.entries(value).filter(([name]) => !OF_THE_ENVELOPE.has(name)));
  return { ...body, request_id: value['request_id'] };
}

function inStreamJson(requestId: string, subtype: string, body: Record<string, unknown>): ControlRequest {
  const kind = 'control-request';
  if (subtype === 'permission' || subtype === 'can_use_tool') {
    const { tool_input: input = body['input'] ?? {}, ...rest } = body;
    return { kind, requestId, subtype: 'can_use_tool', request: { ...rest, subtype: 'can_use_tool', input } };
  }
  if (subtype === 'hook_callback') {
    const callback = body['callback_id'] ?? body['hook_callback_id'] ?? body['hook_id'];
    return { kind, requestId, subtype, request: { ...body, subtype, callback_id: callback } };
  }
  return { kind, requestId, subtype, request: { ...body, subtype } };
}
