import { type Actor, createActor, fromPromise } from 'xstate';
import type { McpServerInput } from '../../machines/mcp-server/mcp-server.context.ts';
import { mcpServerMachine } from '../../machines/mcp-server/mcp-server.machine.ts';
import type { Clock } from '../clock.ts';

/** `needs-auth` and `disabled`: somebody has to do something, so nothing is tried. */
export type ServerStatus = 'connecting' | 'connected' | 'failed' | 'needs-auth' | 'disabled' | 'removed';

export interface ServerWatchOptions {
  readonly clock: Clock;
  /** Milliseconds from the start of a handshake until the server counts as failed. */
  readonly connectMs: number;
  readonly inspect: ((event: unknown) => void) | undefined;
  /** When a server that failed is connected again; undefined for one that the CLI alone connects. */
  readonly policyOf: (server: string) => McpServerInput['reconnect'] | undefined;
  /** Asks the CLI to connect the server again; rejects with the reason why that did not work. */
  readonly reconnect: (server: string) => Promise<void>;
  readonly onChanged: (server: string, status: ServerStatus, reason: string | undefined) => void;
}

/** An in-process server is connected by the CLI alone: there is nothing to ask for. */
const NEVER: McpServerInput['reconnect'] = { attempts: 0, minMs: 1_000, maxMs: 30_000 };

/** Follows the servers of one process: one actor each, from the first sign of a handshake. */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #actors = new Map<string, Actor<typeof mcpServerMachine>>();
  /** What was last told about servers that nobody works on. */
  readonly #resting = new Map<string, ServerStatus>();

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  handshakeStarted(server: string): void {
    const actor = this.#actors.get(server);
    if (actor === undefined) this.#watch(server);
    else actor.send({ type: 'server.handshake-started' });
  }

  connected(server: string): void {
    this.#actors.get(server)?.send({ type: 'server.connected' });
  }

  failed(server: string, reason: string): void {
    this.#actors.get(server)?.send({ type: 'server.failed', reason });
  }

  /** The server is in a state that no attempt of ours changes. */
  rest(server: string, status: 'needs-auth' | 'disabled' | 'removed', reason?: string): void {
    this.#actors.get(server)?.stop();
    const wasKnown = this.#actors.delete(server) || this.#resting.has(server);
    if (this.#resting.get(server) === status || (status === 'removed' && !wasKnown)) return;
    if (status === 'removed') this.#resting.delete(server);
    else this.#resting.set(server, status);
    this.#options.onChanged(server, status, reason);
  }

  /** False for a server that nobody works on. */
  follows(server: string): boolean {
    return this.#actors.has(server);
  }

  /** True for a server that waits for somebody to do something. */
  rests(server: string): boolean {
    return this.#resting.has(server);
  }

  close(): void {
    for (const actor of this.#actors.values()) actor.stop();
    this.#actors.clear();
  }

  #watch(server: string): void {
    const { clock, connectMs, inspect, onChanged, policyOf, reconnect } = this.#options;
    const machine = mcpServerMachine.provide({
      actors: { reconnect: fromPromise<void, { name: string }>(({ input }) => reconnect(input.name)) },
    });
    const actor = createActor(machine, {
      input: { name: server, connectMs, reconnect: policyOf(server) ?? NEVER },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    actor.on('state.entered', ({ state, reason }) => {
      if (state !== 'waiting') onChanged(server, state, reason);
    });
    this.#actors.set(server, actor);
    this.#resting.delete(server);
    actor.start();
  }
}
