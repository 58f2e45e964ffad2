import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LightAbort } from '../abort-notice.ts';
import { type DirectCall, directCall } from './direct-tool.ts';
import {
  emptyReply,
  errorReply,
  idOf,
  type JsonRpcId,
  type JsonRpcMessage,
  METHOD_NOT_FOUND,
  methodOf,
  SERVER_CLOSED,
} from './json-rpc.ts';

/** What is asked of a server: that of the official SDK's `McpServer` and `Server`, of whatever copy of that package. */
export interface ServableServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/** Who joined a hub. */
export interface HubMember {
  /** The server said something on its own: a notification such as `tools/list_changed`, or the progress of a call. */
  hear(message: JsonRpcMessage): void;
  /** The server was closed by its owner; joining again connects it again. */
  closed(): void;
}

interface WaitingCall {
  readonly reply: (reply: JsonRpcMessage) => void;
  readonly member: HubMember;
  /** Of a call that does not go through the server: it knows nothing to abort. */
  readonly abort: LightAbort | undefined;
}

/**
 * One server object, served to any number of sessions over any number of handshakes. Every call gets an id of the hub's
 * own, because callers restart theirs at 0 with each handshake (WIRE §2) and know nothing of each other.
 */
export class ServerHub {
  static readonly #hubs = new WeakMap<ServableServer, ServerHub>();

  readonly #server: ServableServer;
  readonly #waiting = new Map<JsonRpcId, WaitingCall>();
  readonly #members = new Set<HubMember>();
  #link: HubLink | undefined;
  #connecting: Promise<void> | undefined;
  #nextId = 1;

  private constructor(server: ServableServer) {
    this.#server = server;
  }

  static of(server: ServableServer): ServerHub {
    const known = ServerHub.#hubs.get(server);
    if (known !== undefined) return known;
    const hub = new ServerHub(server);
    ServerHub.#hubs.set(server, hub);
    return hub;
  }

  /** False when the server was never connected, or was closed since. */
  get isOpen(): boolean {
    return this.#link !== undefined;
  }

  /** Joins the hub; the server is connected with the first to join and closed after the last to leave. */
  async join(member: HubMember): Promise<() => void> {
    this.#members.add(member);
    try {
      await this.#connect();
    } catch (error) {
      this.#members.delete(member);
      throw error;
    }
    return () => this.#leave(member);
  }

  /**
   * Sends a request to the server and resolves with its reply, under the id of the caller. The member alone hears what
   * the server says about this call, such as its progress.
   */
  call(
    message: JsonRpcMessage,
    caller: { member: HubMember; onStarted: (hubId: JsonRpcId) => void },
  ): Promise<JsonRpcMessage> {
    const callerId = idOf(message) ?? 0;
    if (this.#link === undefined) return Promise.resolve(errorReply(callerId, SERVER_CLOSED, 'The server is closed.'));
    const hubId = this.#nextId++;
    return new Promise((resolve) => {
      const reply = (answer: JsonRpcMessage) => resolve({ ...answer, id: callerId });
      const direct = directCall(this.#server, message);
      const abort = direct === undefined ? undefined : new LightAbort();
      this.#waiting.set(hubId, { reply, member: caller.member, abort });
      caller.onStarted(hubId);
      if (direct === undefined || abort === undefined) this.#deliver({ ...message, id: hubId });
      else void this.#run(direct, { ...message, id: hubId }, hubId, abort);
    });
  }

  async #run(direct: DirectCall, message: JsonRpcMessage, hubId: JsonRpcId, abort: LightAbort): Promise<void> {
    const reply = await direct.run(hubId, abort);
    const waiting = this.#waiting.get(hubId);
    if (waiting === undefined) return;
    if (reply === undefined) this.#deliver(message);
    else {
      this.#waiting.delete(hubId);
      waiting.reply(reply);
    }
  }

  /** Gives a call up: the handler's signal aborts, and the caller gets this one last reply at once (R97). */
  abandon(hubId: JsonRpcId, reason: string, reply: JsonRpcMessage): void {
    const waiting = this.#waiting.get(hubId);
    if (waiting === undefined) return;
    this.#waiting.delete(hubId);
    waiting.abort?.abort(reason);
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

  #leave(member: HubMember): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    const link = this.#link;
    this.#link = undefined;
    this.#connecting = undefined;
    // Closing only forgets the transport; a server that fails to close has nothing of ours left to harm.
    if (link !== undefined) this.#server.close().catch(() => {});
  }

  /** The server was closed, by us or by its owner: no reply will come any more, and the next to join connects anew. */
  #forget(link: HubLink): void {
    const wasOurs = this.#link !== link;
    if (!wasOurs) {
      this.#link = undefined;
      this.#connecting = undefined;
    }
    const unanswered = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reply, abort } of unanswered) {
      abort?.abort();
      reply(errorReply(null, SERVER_CLOSED, 'The server was closed.'));
    }
    if (!wasOurs) for (const member of [...this.#members]) member.closed();
  }

  #deliver(message: JsonRpcMessage): void {
    this.#link?.onmessage?.(message as unknown as JSONRPCMessage);
  }

  #hear(message: JsonRpcMessage, callId: JsonRpcId | undefined): void {
    const id = idOf(message);
    const method = methodOf(message);
    if (method !== undefined && id !== undefined) {
      this.#answer(id, method);
      return;
    }
    if (method !== undefined && callId !== undefined) {
      // Other callers may use the same progress token for a call of their own.
      this.#waiting.get(callId)?.member.hear(message);
      return;
    }
    if (method !== undefined) {
      for (const member of this.#members) member.hear(message);
      return;
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    waiting.reply(message);
  }

  /**
   * The CLI offers no client capabilities to in-process servers (WIRE §19), so what a server asks for is refused at once,
   * never left hanging. Only whether somebody is there is answered.
   */
  #answer(id: JsonRpcId, method: string): void {
    const reply =
      method === 'ping' ? emptyReply(id) : errorReply(id, METHOD_NOT_FOUND, `The client does not support "${method}".`);
    this.#deliver(reply);
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
