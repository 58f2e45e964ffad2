import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { isRecord } from '../wire/fields.ts';
import {
  errorReply,
  INVALID_REQUEST,
  idOf,
  type JsonRpcId,
  type JsonRpcMessage,
  METHOD_NOT_FOUND,
  methodOf,
  REQUEST_CANCELLED,
} from './json-rpc.ts';
import { type NotificationListener, ServerHub } from './server-hub.ts';

export interface McpBridgeOptions {
  /** The in-process servers of the session, by the name the CLI knows. */
  readonly servers: ReadonlyMap<string, McpServer>;
  readonly onHandshakeStarted: (server: string) => void;
  readonly onConnected: (server: string) => void;
  readonly onFailed: (server: string, reason: string) => void;
  /** A notification of a server, on its way to the CLI. */
  readonly onNotification: (server: string, message: JsonRpcMessage) => void;
}

interface Seat {
  readonly hub: ServerHub;
  readonly listener: NotificationListener;
  readonly joined: Promise<() => void>;
  /** The hub's id → the CLI's id of the calls in flight. */
  readonly calls: Map<JsonRpcId, JsonRpcId>;
  /** The CLI's id → the hub's id, for cancels; the newest wins when ids are used again. */
  readonly newest: Map<JsonRpcId, JsonRpcId>;
}

/**
 * In-process MCP servers over `mcp_message` (WIRE §2, §4). Every message gets exactly one reply, wrapped as the CLI
 * expects it; a server that fails answers with a JSON-RPC error and never takes the session down (R99).
 */
export class McpBridge {
  readonly #options: McpBridgeOptions;
  readonly #seats = new Map<string, Seat>();
  #isClosed = false;

  constructor(options: McpBridgeOptions) {
    this.#options = options;
  }

  /** Handles the request object of one `mcp_message` and resolves with the payload of the answer. */
  async handle(request: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const name = typeof request['server_name'] === 'string' ? request['server_name'] : '';
    return { mcp_response: await this.#reply(name, request['message'], signal) };
  }

  /** Gives up every call in flight and leaves the servers. */
  close(): void {
    this.#isClosed = true;
    for (const seat of this.#seats.values()) {
      for (const [hubId, callerId] of [...seat.calls]) {
        seat.hub.abandon(hubId, 'The session ended.', errorReply(callerId, REQUEST_CANCELLED, 'The session ended.'));
      }
      seat.joined.then(
        (leave) => leave(),
        () => {},
      );
    }
    this.#seats.clear();
  }

  async #reply(name: string, message: unknown, signal: AbortSignal): Promise<JsonRpcMessage> {
    const id = idOf(message) ?? null;
    const method = methodOf(message);
    const server = this.#options.servers.get(name);
    if (server === undefined) return errorReply(id, METHOD_NOT_FOUND, `There is no in-process MCP server "${name}".`);
    if (!isRecord(message) || method === undefined) {
      // A reply of the CLI to a request of ours would look like this; in-process servers send none.
      return errorReply(id, INVALID_REQUEST, 'The message is no JSON-RPC request or notification.');
    }
    // The SDK only reports what its schema refuses, and the CLI would wait for ever.
    if (id !== null && !isJSONRPCRequest(message)) return errorReply(id, INVALID_REQUEST, 'The request is malformed.');
    if (method === 'initialize') this.#options.onHandshakeStarted(name);
    const seat = await this.#sit(name, server);
    if (seat instanceof Error) return errorReply(id, INVALID_REQUEST, seat.message);
    if (id === null) return this.#notify(name, seat, method, message);
    return this.#call(name, seat, id, method, message, signal);
  }

  async #sit(name: string, server: McpServer): Promise<Seat | Error> {
    if (this.#isClosed) return new Error('The session is closed.');
    let seat = this.#seats.get(name);
    if (seat === undefined) {
      const hub = ServerHub.of(server);
      const listener: NotificationListener = (message) => this.#options.onNotification(name, message);
      seat = { hub, listener, joined: hub.join(listener), calls: new Map(), newest: new Map() };
      this.#seats.set(name, seat);
    }
    try {
      await seat.joined;
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
    if (method === 'notifications/initialized') this.#options.onConnected(name);
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

  async #call(
    name: string,
    seat: Seat,
    id: JsonRpcId,
    method: string,
    message: JsonRpcMessage,
    signal: AbortSignal,
  ): Promise<JsonRpcMessage> {
    if (signal.aborted) return errorReply(id, REQUEST_CANCELLED, 'cancelled');
    let ownId: JsonRpcId | undefined;
    const giveUp = () => {
      if (ownId !== undefined) seat.hub.abandon(ownId, 'cancelled', errorReply(id, REQUEST_CANCELLED, 'cancelled'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const onStarted = (hubId: JsonRpcId) => {
        ownId = hubId;
        seat.calls.set(hubId, id);
        seat.newest.set(id, hubId);
      };
      const reply = await seat.hub.call(message, { listener: seat.listener, onStarted });
      if (method === 'initialize' && reply['error'] !== undefined)
        this.#options.onFailed(name, describe(reply['error']));
      return reply;
    } finally {
      signal.removeEventListener('abort', giveUp);
      if (ownId !== undefined) seat.calls.delete(ownId);
      if (seat.newest.get(id) === ownId) seat.newest.delete(id);
    }
  }
}

function describe(error: unknown): string {
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'it refused the handshake';
}
