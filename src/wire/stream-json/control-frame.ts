import type { ControlOutcome, Decoded } from '../codec.ts';
import { isRecord, stringOf } from '../fields.ts';
import { ControlCancelLine, ControlRequestLine, ControlResponseLine } from './control-schemas.ts';

type ControlDecoded = Extract<Decoded, { kind: 'control-request' | 'control-response' | 'control-cancel' }>;

/** Reads one control line. `no-control` means a type this protocol version does not have. */
export function decodeControlLine(
  type: string,
  value: Record<string, unknown>,
): ControlDecoded | 'malformed' | 'no-control' {
  switch (type) {
    case 'control_request': {
      const plain = plainRequest(value);
      if (plain !== undefined) return plain;
      const parsed = ControlRequestLine.safeParse(value);
      if (!parsed.success) return 'malformed';
      const { request_id: requestId, request } = parsed.data;
      return { kind: 'control-request', requestId, subtype: stringOf(request['subtype']) ?? '', request };
    }
    case 'control_response': {
      const parsed = ControlResponseLine.safeParse(value);
      if (!parsed.success) return 'malformed';
      const { request_id: requestId } = parsed.data.response;
      return { kind: 'control-response', requestId, outcome: outcomeOf(parsed.data.response) };
    }
    case 'control_cancel_request': {
      const parsed = ControlCancelLine.safeParse(value);
      return parsed.success ? { kind: 'control-cancel', requestId: parsed.data.request_id } : 'malformed';
    }
    default:
      return 'no-control';
  }
}

/** What every request of the CLI looks like, without the schema; undefined for all that is left to the schema. */
function plainRequest({ request_id: requestId, request }: Record<string, unknown>): ControlDecoded | undefined {
  if (typeof requestId !== 'string' || !isRecord(request)) return undefined;
  const { subtype } = request;
  return typeof subtype === 'string' ? { kind: 'control-request', requestId, subtype, request } : undefined;
}

function outcomeOf(envelope: ControlResponseLine['response']): ControlOutcome {
  if (envelope.subtype === 'error') {
    const { error, error_code: errorCode } = envelope;
    return { ok: false, error: stringOf(error) ?? JSON.stringify(error ?? null), errorCode: stringOf(errorCode) };
  }
  const { subtype: _subtype, request_id: _requestId, response, ...beside } = envelope;
  if (isRecord(response)) return { ok: true, response, beside };
  return { ok: true, response: {}, beside: response === undefined ? beside : { ...beside, response } };
}
