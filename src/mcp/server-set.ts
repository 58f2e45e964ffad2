import type { McpReconnectOptions, McpServerOptions, McpServersOption } from '../launch/mcp-server-options.ts';
import { SparseSet } from '../sparse.ts';
import type { BridgedServer } from './mcp-bridge.ts';
import type { ServableServer } from './server-hub.ts';

/** What the CLI answers to a new set of servers. */
export interface McpSetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Reasons by the name of the server that could not be connected. */
  readonly errors: Readonly<Record<string, string>>;
}

/** How one set of servers is replaced by another. */
export interface ServerChange {
  /** The servers of the session afterwards. */
  readonly servers: McpServersOption;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The sets to ask the CLI for, one after the other. */
  readonly requests: readonly McpServersOption[];
}

/** The MCP servers of a session, over all of its processes; what was set at run time rules over the options (P8). */
export class ServerSet {
  #servers: McpServersOption;
  /** Servers that are about to come: in-process ones are asked for before the CLI has answered. */
  #coming: McpServersOption = {};
  /** External servers that a call named: only those does a later call remove, as in the official SDK. */
  readonly #named = new SparseSet<string>();
  /** Those of them that the present process knows only from its start. */
  readonly #unnamedHere = new SparseSet<string>();
  #listeners: readonly ((change: ServerChange) => void)[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(servers: McpServersOption = {}) {
    this.#servers = servers;
  }

  get servers(): McpServersOption {
    return this.#servers;
  }

  /** There is none, and none is about to come. */
  get isEmpty(): boolean {
    return Object.keys(this.#servers).length + Object.keys(this.#coming).length === 0;
  }

  /** Servers that the CLI itself runs or reaches. */
  get external(): readonly string[] {
    return Object.keys(this.#servers).filter((name) => own(this.#servers, name)?.type !== 'sdk');
  }

  /** The in-process server of that name, or undefined. */
  get(name: string): BridgedServer | undefined {
    const server = own(this.#coming, name) ?? own(this.#servers, name);
    // The schema checked that it has the methods of a server; whose copy of the class it is does not matter.
    return server?.type === 'sdk'
      ? { instance: server.instance as ServableServer, timeout: server.timeout }
      : undefined;
  }

  /** How an external server is connected again; undefined for one that is not. */
  reconnectOf(name: string): McpReconnectOptions | undefined {
    const server = own(this.#servers, name) ?? own(this.#coming, name);
    if (server === undefined || server.type === 'sdk' || server.reconnect === false) return undefined;
    return server.reconnect ?? {};
  }

  isRequired(name: string): boolean {
    return own(this.#servers, name)?.required === true;
  }

  /** A process is about to start with the present servers. */
  launched(): void {
    this.#unnamedHere.clear();
    for (const name of this.#named) this.#unnamedHere.add(name);
  }

  /** Runs one change after the other. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const run = this.#last.then(change, change);
    this.#last = run.catch(() => {});
    return run;
  }

  /**
   * What it means to ask for these servers: all in-process ones and all that an earlier call named are replaced, the others
   * stay.
   */
  plan(next: McpServersOption): ServerChange {
    const before = Object.entries(this.#servers);
    const staying = before.filter(([name, server]) => server.type !== 'sdk' && !this.#named.has(name));
    const servers = { ...Object.fromEntries(staying), ...next };
    const removed = before.map(([name]) => name).filter((name) => own(servers, name) === undefined);
    const added = Object.keys(next).filter((name) => own(this.#servers, name) === undefined);
    const first = Object.fromEntries([
      ...Object.entries(next).filter(([name, server]) => !isOtherObject(own(this.#servers, name), server)),
      // The CLI takes away only what a request named, and this process knows them from its start.
      ...before.filter(([name]) => removed.includes(name) && this.#unnamedHere.has(name)),
    ]);
    const isTwofold = Object.keys(first).toSorted().join() !== Object.keys(next).toSorted().join();
    return { servers, added, removed, requests: isTwofold ? [first, next] : [next] };
  }

  /** From here on the in-process servers of the change are served. */
  expect({ servers }: ServerChange): void {
    this.#coming = servers;
  }

  /** The change did not come about. */
  withdraw(): void {
    this.#coming = {};
  }

  commit(change: ServerChange): void {
    for (const request of change.requests) {
      for (const [name, server] of Object.entries(request)) {
        if (server.type !== 'sdk') this.#named.add(name);
        this.#unnamedHere.delete(name);
      }
    }
    for (const name of change.removed) this.#named.delete(name);
    this.#servers = change.servers;
    this.#coming = {};
    for (const listener of this.#listeners) listener(change);
  }

  /** Calls the listener after each change. Returns the way to stop it. */
  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }
}

/** Another object under a known name: the CLI sees no difference, so it has to let go of the old one first. */
function isOtherObject(before: McpServerOptions | undefined, after: McpServerOptions): boolean {
  return before?.type === 'sdk' && after.type === 'sdk' && before.instance !== after.instance;
}

function own(servers: McpServersOption, name: string): McpServerOptions | undefined {
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}
