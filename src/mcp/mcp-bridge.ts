import type { AbortNotice } from '../abort-notice.ts';
import type { Clock } from '../clock.ts';
import { isRecord } from '../wire/fields.ts';
import {
  errorReply,
  errorResult,
  INVALID_REQUEST,
  idOf,
  isWellFormed,
  type JsonRpcId,
  type JsonRpcMessage,
  METHOD_NOT_FOUND,
  methodOf,
  REQUEST_CANCELLED,
} from './json-rpc.ts';
import { type Seat, takeSeat } from './seat.ts';
import { type ServableServer, ServerHub } from './server-hub.ts';
import { toolDeadline } from './tool-deadlines.ts';

/** A server of this process as the bridge serves it. */
export interface BridgedServer {
  readonly instance: ServableServer;
  /** Milliseconds for each call of a tool. */
  readonly timeout?: number | undefined;
}

export interface McpBridgeOptions {
  readonly clock: Clock;
  /** Milliseconds for each request of a handshake; some releases wait 60 s for one, whatever they are told (WIRE §23). */
  readonly handshakeMs: number;
  /** The in-process servers of the session, by the name the CLI knows; looked up anew for every message. */
  readonly servers: { get(name: string): BridgedServer | undefined };
  readonly onHandshakeStarted: (server: string) => void;
  readonly onConnected: (server: string) => void;
  readonly onFailed: (server: string, reason: string) => void;
  /** A notification of a server, on its way to the CLI. */
  readonly onNotification: (server: string, message: JsonRpcMessage) => void;
}

/**
 * In-process MCP servers over `mcp_message` (WIRE §2, §4). Every message gets exactly one reply, wrapped as the CLI
 * expects it; a server that fails answers with a JSON-RPC error and never takes the session down (R99).
 */
export class McpBridge {
  readonly #options: McpBridgeOptions;
  readonly #seats = new Map<string, Seat>();
  /** Handshakes so far, by server: each one starts the CLI's ids anew (WIRE §2). */
  readonly #handshakes = new Map<string, number>();
  #isClosed = false;

  constructor(options: McpBridgeOptions) {
    this.#options = options;
  }

  /** Handles the request object of one `mcp_message` and resolves with the payload of the answer. */
  async handle(request: Readonly<Record<string, unknown>>, signal: AbortNotice): Promise<unknown> {
    const name = typeof request['server_name'] === 'string' ? request['server_name'] : '';
    return { mcp_response: await this.#reply(name, request['message'], signal) };
  }

  /** Gives up every call in flight and leaves the servers. Waits for no handler. */
  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#seats.keys()]) this.#leave(name, 'The session ended.');
  }

  /** Leaves the servers that are not in the set any more, or are other objects by now. */
  prune(): void {
    for (const [name, seat] of this.#seats) {
      if (this.#options.servers.get(name)?.instance !== seat.server) this.#leave(name, 'The server was removed.');
    }
  }

  #leave(name: string, reason: string): void {
    const seat = this.#seats.get(name);
    if (seat === undefined) return;
    this.#seats.delete(name);
    for (const [hubId, callerId] of [...seat.requests]) {
      seat.hub.abandon(hubId, reason, errorReply(callerId, REQUEST_CANCELLED, reason));
    }
    seat.joined.then(
      (leave) => leave(),
      () => {},
    );
  }

  async #reply(name: string, message: unknown, signal: AbortNotice): Promise<JsonRpcMessage> {
    const id = idOf(message) ?? null;
    const method = methodOf(message);
    const server = this.#options.servers.get(name);
    if (server === undefined) return errorReply(id, METHOD_NOT_FOUND, `There is no in-process MCP server "${name}".`);
    if (!isRecord(message) || method === undefined) {
      // A reply of the CLI to a request of ours would look like this; in-process servers send none.
      return errorReply(id, INVALID_REQUEST, 'The message is no JSON-RPC request or notification.');
    }
    // The SDK only reports what its schema refuses, and the CLI would wait for ever.
    if (id !== null && !isWellFormed(message)) return errorReply(id, INVALID_REQUEST, 'The request is malformed.');
    const isHandshake = method === 'initialize';
    // Counted at once: messages that come in the same breath keep their order.
    const handshake = (this.#handshakes.get(name) ?? 0) + (isHandshake ? 1 : 0);
    this.#handshakes.set(name, handshake);
    if (isHandshake) this.#options.onHandshakeStarted(name);
    const seat =
      this.#seatOf(name, server.instance, isHandshake) ?? (await this.#sit(name, server.instance, isHandshake));
    if (seat instanceof Error) return errorReply(id, INVALID_REQUEST, seat.message);
    if (id === null) return this.#notify(name, seat, method, message);
    const request = { name, seat, id, method, message, signal };
    if (method === 'tools/call') return this.#callTool(request, handshake, server.timeout);
    return HANDSHAKE.has(method) ? this.#shakeHands(request) : this.#ask(request);
  }

  /** For a message to a server that is at its place already: it waits for nothing. */
  #seatOf(name: string, server: ServableServer, isHandshake: boolean): Seat | undefined {
    const seat = this.#seats.get(name);
    return seat?.server === server && seat.hasJoined && !isHandshake && !this.#isClosed ? seat : undefined;
  }

  async #sit(name: string, server: ServableServer, isHandshake: boolean): Promise<Seat | Error> {
    if (this.#isClosed) return new Error('The session is closed.');
    this.prune();
    let seat = this.#seats.get(name);
    if (seat === undefined) {
      seat = takeSeat(server, ServerHub.of(server), {
        hear: (message) => this.#options.onNotification(name, message),
        closed: () => this.#options.onFailed(name, 'it was closed'),
      });
      this.#seats.set(name, seat);
    } else if (isHandshake && !seat.hub.isOpen) seat.joined = seat.hub.join(seat.member);
    try {
      await seat.joined;
      seat.hasJoined = true;
      // Closed while it joined: the server is about to be left, and would never answer.
      return this.#isClosed ? new Error('The session is closed.') : seat;
    } catch (error) {
      this.#seats.delete(name);
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.onFailed(name, reason);
      return new Error(reason);
    }
  }

  #notify(name: string, seat: Seat, method: string, message: JsonRpcMessage): JsonRpcMessage {
    if (method === 'notifications/cancelled') this.#cancel(seat, message);
    else seat.hub.notify(message);
    if (method === 'notifications/initialized' && seat.hub.isOpen) this.#options.onConnected(name);
    // A notification has no JSON-RPC reply, yet its control request wants one (WIRE §2).
    return { jsonrpc: '2.0', result: {} };
  }

  #cancel(seat: Seat, message: JsonRpcMessage): void {
    const params = message['params'];
    const callerId = isRecord(params) ? idOf({ id: params['requestId'] }) : undefined;
    const hubId = callerId === undefined ? undefined : seat.newest.get(callerId);
    if (callerId === undefined || hubId === undefined) return;
    const reason =
      isRecord(params) && typeof params['reason'] === 'string' ? params['reason'] : 'The call was cancelled.';
    seat.hub.abandon(hubId, reason, errorReply(callerId, REQUEST_CANCELLED, reason));
  }

  /** An id that is in use means a doubled request: running a tool twice is worse than refusing the second. */
  async #callTool(
    request: BridgedRequest,
    handshake: number,
    serverTimeoutMs = Number.POSITIVE_INFINITY,
  ): Promise<JsonRpcMessage> {
    const { seat, id, message } = request;
    if (seat.calls.get(id) === handshake) {
      return errorReply(id, INVALID_REQUEST, `The id ${JSON.stringify(id)} belongs to a call that is still running.`);
    }
    const tool = isRecord(message['params']) ? message['params']['name'] : undefined;
    seat.calls.set(id, handshake);
    try {
      const deadlineMs = Math.min(serverTimeoutMs, toolDeadline(seat.server, tool));
      return await this.#ask(request, deadlineMs, () =>
        errorResult(id, `The tool did not answer within ${deadlineMs} ms.`),
      );
    } finally {
      if (seat.calls.get(id) === handshake) seat.calls.delete(id);
    }
  }

  /** A server that stays silent costs its deadline and not the first turn; one that cannot tell its tools is told (P5, P6). */
  async #shakeHands(request: BridgedRequest): Promise<JsonRpcMessage> {
    const { name, id, method } = request;
    const { handshakeMs, onFailed } = this.#options;
    let isLate = false;
    const reply = await this.#ask(request, handshakeMs, () => {
      isLate = true;
      return errorReply(id, REQUEST_CANCELLED, `it did not answer "${method}" within ${handshakeMs} ms`);
    });
    const error = reply['error'];
    if (!isRecord(error)) return reply;
    // Whoever watches has a deadline of its own for the first request, and a server without tools may refuse to list them.
    const isTold =
      (method === 'initialize' && !isLate) || (method === 'tools/list' && error['code'] !== METHOD_NOT_FOUND);
    if (isTold) onFailed(name, describe(error));
    return reply;
  }

  async #ask(
    request: BridgedRequest,
    deadlineMs = Number.POSITIVE_INFINITY,
    late: () => JsonRpcMessage = () => errorReply(request.id, REQUEST_CANCELLED, 'late'),
  ): Promise<JsonRpcMessage> {
    const { seat, id, message, signal } = request;
    if (signal.aborted) return errorReply(id, REQUEST_CANCELLED, 'cancelled');
    const { clock } = this.#options;
    let ownId: JsonRpcId | undefined;
    const giveUp = (reason: string, reply: JsonRpcMessage) => {
      if (ownId !== undefined) seat.hub.abandon(ownId, reason, reply);
    };
    const onAbort = () => giveUp('cancelled', errorReply(id, REQUEST_CANCELLED, 'cancelled'));
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = Number.isFinite(deadlineMs)
      ? clock.setTimeout(() => giveUp('It took too long.', late()), deadlineMs)
      : undefined;
    try {
      const onStarted = (hubId: JsonRpcId) => {
        ownId = hubId;
        seat.requests.set(hubId, id);
        seat.newest.set(id, hubId);
      };
      return await seat.hub.call(message, { member: seat.member, onStarted });
    } finally {
      if (timer !== undefined) clock.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (ownId !== undefined) seat.requests.delete(ownId);
      if (seat.newest.get(id) === ownId) seat.newest.delete(id);
    }
  }
}

/** What the CLI waits for before it serves the first prompt. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'tools/list', 'prompts/list', 'resources/list']);

interface BridgedRequest {
  readonly name: string;
  readonly seat: Seat;
  readonly id: JsonRpcId;
  readonly method: string;
  readonly message: JsonRpcMessage;
  readonly signal: AbortNotice;
}

function describe(error: Readonly<Record<string, unknown>>): string {
  return typeof error['message'] === 'string' ? error['message'] : 'it refused the handshake';
}
