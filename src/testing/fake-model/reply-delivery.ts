import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as passed } from 'node:timers/promises';
import { type MessageHead, messageEvents, streamingMs, wholeMessage } from './message-events.ts';
import type { CutBy, ErrorReply, MessageReply } from './reply.ts';
import type { ReplyPlan } from './reply-choice.ts';
import { MAX_DELAY_MS } from './script.ts';

export interface Delivery {
  readonly response: ServerResponse;
  readonly head: MessageHead;
  readonly requestId: string;
  readonly isStreaming: boolean;
  /** Aborted when the client or the server is gone. */
  readonly signal: AbortSignal;
}

/** `close` and `reset`: what the caller is to do with the connection now. */
export type DeliveryEnd = 'answered' | 'close' | 'reset';

/** Sends one reply. Resolves with `answered` when all of it was handed to the socket; rejects when the signal aborts. */
export async function deliver(plan: ReplyPlan, delivery: Delivery): Promise<DeliveryEnd> {
  const { response, signal, requestId } = delivery;
  if (plan.delayMs > 0) await passed(plan.delayMs, undefined, { signal });
  switch (plan.answer.kind) {
    case 'hang':
      await once(signal, 'abort', { signal });
      return 'answered';
    case 'error':
      sendError(response, plan.answer, requestId);
      return 'answered';
    case 'message':
      if (delivery.isStreaming) return sendStream(plan.answer, plan.cut, delivery);
      await passed(Math.min(streamingMs(plan.answer), MAX_DELAY_MS), undefined, { signal });
      sendJson(response, 200, wholeMessage(plan.answer, delivery.head), { 'request-id': requestId });
      return 'answered';
  }
}

/** Answers with an error in the shape of the Messages API. */
export function sendError(response: ServerResponse, reply: ErrorReply, requestId: string): void {
  sendJson(response, reply.status, errorBody(reply, requestId), { 'request-id': requestId, ...reply.headers });
}

/** Answers with one JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function sendStream(reply: MessageReply, cut: ReplyPlan['cut'], delivery: Delivery): Promise<DeliveryEnd> {
  const { response, signal } = delivery;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': delivery.requestId,
  });
  response.flushHeaders();
  let sent = 0;
  for (const { name, data, delayMs } of messageEvents(reply, delivery.head)) {
    if (cut !== undefined && sent >= cut.afterEvents) return cutOff(cut.by, delivery);
    if (delayMs > 0) await passed(delayMs, undefined, { signal });
    signal.throwIfAborted();
    const hasRoom = response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!hasRoom) await once(response, 'drain', { signal });
    sent += 1;
  }
  response.end();
  return 'answered';
}

/** A client that reads the last bytes and the reset at once may take it for an ordinary end. */
const RESET_PAUSE_MS = 50;

async function cutOff(by: CutBy, { response, requestId, signal }: Delivery): Promise<DeliveryEnd> {
  if (typeof by === 'object') {
    response.end(`event: error\ndata: ${JSON.stringify(errorBody(by, requestId))}\n\n`);
    return 'answered';
  }
  await flushed(response);
  if (by === 'reset') await passed(RESET_PAUSE_MS, undefined, { signal });
  return by;
}

function errorBody({ type, message }: ErrorReply, requestId: string) {
  return { type: 'error', error: { type, message }, request_id: requestId };
}

/** Resolves when everything written before has left, whether or not the client still listens. */
function flushed(response: ServerResponse): Promise<void> {
  const socket = response.socket;
  return new Promise((resolve) => (socket === null ? resolve() : socket.write('', () => resolve())));
}
