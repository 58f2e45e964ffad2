import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import {
  errorReply,
  idOf,
  type JsonRpcId,
  type JsonRpcMessage,
  METHOD_NOT_FOUND,
  methodOf,
  SERVER_CLOSED,
} from './json-rpc.ts';

/** Hears what the server says on its own: notifications such as `tools/list_changed` and progress. */
export type NotificationListener = (message: JsonRpcMessage) => void;

interface WaitingCall {
  readonly reply: (reply: JsonRpcMessage) => void;
  readonly listener: NotificationListener;
}

/**
 * One `McpServer` object, served to any number of sessions over any number of handshakes. Every call gets an id of the
 * hub's own, because callers restart theirs at 0 with each handshake (WIRE §2) and know nothing of each other.
 */
export class ServerHub {
  static readonly #hubs = new WeakMap<McpServer, ServerHub>();

  readonly #server: McpServer;
  readonly #waiting = new Map<JsonRpcId, WaitingCall>();
  readonly #listeners = new Set<NotificationListener>();
  #link: HubLink | undefined;
  #connecting: Promise<void> | undefined;
  #nextId = 1;

  private constructor(server: McpServer) {
    this.#server = server;
  }

  static of(server: McpServer): ServerHub {
    const known = ServerHub.#hubs.get(server);
    if (known !== undefined) return known;
    const hub = new ServerHub(server);
    ServerHub.#hubs.set(server, hub);
    return hub;
  }

  /** Joins the hub; the server is connected with the first to join and closed after the last to leave. */
  async join(listener: NotificationListener): Promise<() => void> {
    this.#listeners.add(listener);
    try {
      await this.#connect();
    } catch (error) {
      this.#listeners.delete(listener);
      throw error;
    }
    return () => this.#leave(listener);
  }

  /**
   * Sends a request to the server and resolves with its reply, under the id of the caller. The listener alone hears what
   * the server says about this call, such as its progress.
   */
  call(
    message: JsonRpcMessage,
    caller: { listener: NotificationListener; onStarted: (hubId: JsonRpcId) => void },
  ): Promise<JsonRpcMessage> {
    const callerId = idOf(message) ?? 0;
    if (this.#link === undefined) return Promise.resolve(errorReply(callerId, SERVER_CLOSED, 'The server is closed.'));
    const hubId = this.#nextId++;
    return new Promise((resolve) => {
      const reply = (answer: JsonRpcMessage) => resolve({ ...answer, id: callerId });
      this.#waiting.set(hubId, { reply, listener: caller.listener });
      caller.onStarted(hubId);
      this.#deliver({ ...message, id: hubId });
    });
  }

  /** Gives a call up: the handler's signal aborts, and the caller gets this one last reply at once (R97). */
  abandon(hubId: JsonRpcId, reason: string, reply: JsonRpcMessage): void {
    const waiting = this.#waiting.get(hubId);
    if (waiting === undefined) return;
    this.#waiting.delete(hubId);
    this.#deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: hubId, reason } });
    waiting.reply(reply);
  }

  notify(message: JsonRpcMessage): void {
    this.#deliver(message);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#open().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #open(): Promise<void> {
    const link = new HubLink({
      hear: (message, callId) => this.#hear(message, callId),
      closed: () => this.#forget(link),
    });
    await this.#server.connect(link);
    this.#link = link;
  }

  #leave(listener: NotificationListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    const link = this.#link;
    this.#link = undefined;
    this.#connecting = undefined;
    // Closing only forgets the transport; a server that fails to close has nothing of ours left to harm.
    if (link !== undefined) this.#server.close().catch(() => {});
  }

  /** The server was closed, by us or by its owner: no reply will come any more, and the next to join connects anew. */
  #forget(link: HubLink): void {
    if (this.#link === link) {
      this.#link = undefined;
      this.#connecting = undefined;
    }
    const unanswered = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reply } of unanswered) reply(errorReply(null, SERVER_CLOSED, 'The server was closed.'));
  }

  #deliver(message: JsonRpcMessage): void {
    this.#link?.onmessage?.(message as unknown as JSONRPCMessage);
  }

  #hear(message: JsonRpcMessage, callId: JsonRpcId | undefined): void {
    const id = idOf(message);
    const method = methodOf(message);
    if (method !== undefined && id !== undefined) {
      // The CLI offers no client capabilities to in-process servers (WIRE §19): refused at once, never left hanging.
      this.#deliver(errorReply(id, METHOD_NOT_FOUND, `The client does not support "${method}".`));
      return;
    }
    if (method !== undefined && callId !== undefined) {
      // Other callers may use the same progress token for a call of their own.
      this.#waiting.get(callId)?.listener(message);
      return;
    }
    if (method !== undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    waiting.reply(message);
  }
}

/** The hub's end of the official SDK's transport interface. */
class HubLink implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #hub: { hear: (message: JsonRpcMessage, callId: JsonRpcId | undefined) => void; closed: () => void };

  constructor(hub: { hear: (message: JsonRpcMessage, callId: JsonRpcId | undefined) => void; closed: () => void }) {
    this.#hub = hub;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#hub.hear(message as unknown as JsonRpcMessage, options?.relatedRequestId);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    this.#hub.closed();
    return Promise.resolve();
  }
}
