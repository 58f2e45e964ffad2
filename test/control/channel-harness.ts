import { ControlChannel, type ControlOddity } from '../../src/control/control-channel.ts';
import type { RequestHandler } from '../../src/control/request-handlers.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

/** One line the channel wrote, in short. */
export type Sent =
  | { readonly request: string; readonly subtype: string; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly success: string; readonly response: unknown }
  | { readonly error: string; readonly message: string }
  | { readonly cancel: string };

export interface ChannelOptions {
  readonly maxPending?: number;
  readonly write?: (line: string) => Promise<void>;
  readonly handlers?: Readonly<Record<string, RequestHandler>>;
}

/** A channel on a pipe that keeps what was written, and a CLI that says what the test makes it say. */
export function openChannel(options: ChannelOptions = {}) {
  const clock = simulatedClock();
  const sent: Sent[] = [];
  const oddities: ControlOddity[] = [];
  const keep = (line: string) => {
    sent.push(shortForm(line));
    return Promise.resolve();
  };
  const channel = new ControlChannel({
    codec: streamJson,
    clock,
    write: options.write ?? keep,
    maxPending: options.maxPending ?? 64,
    onOddity: (oddity) => oddities.push(oddity),
  });
  const handlers = new Map(Object.entries(options.handlers ?? {}));
  channel.answerBy((subtype) => {
    const handle = handlers.get(subtype);
    return handle === undefined ? undefined : { handle, rests: false };
  });
  const hear = (frame: unknown) =>
    streamJson.decode(Buffer.from(JSON.stringify(frame)), (decoded) => {
      if (
        decoded.kind === 'control-request' ||
        decoded.kind === 'control-response' ||
        decoded.kind === 'control-cancel'
      )
        channel.accept(decoded);
    });
  return {
    channel,
    clock,
    sent,
    oddities,
    cliAsks: (requestId: string, subtype: string, request: Record<string, unknown> = {}) =>
      hear({ type: 'control_request', request_id: requestId, request: { subtype, ...request } }),
    cliTakesBack: (requestId: string) => hear({ type: 'control_cancel_request', request_id: requestId }),
    cliAnswers: (requestId: string, response?: unknown, beside: Record<string, unknown> = {}) =>
      hear({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response, ...beside } }),
    cliRefuses: (requestId: string, error: string, errorCode?: string) =>
      hear({
        type: 'control_response',
        response: { subtype: 'error', request_id: requestId, error, error_code: errorCode },
      }),
  };
}

function shortForm(line: string): Sent {
  const frame = JSON.parse(line);
  if (frame.type === 'control_request') {
    const { subtype, ...payload } = frame.request;
    return { request: frame.request_id, subtype, payload };
  }
  if (frame.type === 'control_cancel_request') return { cancel: frame.request_id };
  const { subtype, request_id: requestId, response, error } = frame.response;
  return subtype === 'success' ? { success: requestId, response } : { error: requestId, message: error };
}
