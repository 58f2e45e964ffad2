import { type Actor, createActor, fromPromise } from 'xstate';
import { mcpServerMachine } from '../../machines/mcp-server/mcp-server.machine.ts';
import type { Clock } from '../clock.ts';

export interface ServerWatchOptions {
  readonly clock: Clock;
  /** Milliseconds from the start of a handshake until the server counts as failed. */
  readonly connectMs: number;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly onChanged: (
    server: string,
    status: 'connecting' | 'connected' | 'failed',
    reason: string | undefined,
  ) => void;
}

/** Follows the servers of one process: one actor each, from the first sign of a handshake. */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #actors = new Map<string, Actor<typeof mcpServerMachine>>();

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

  close(): void {
    for (const actor of this.#actors.values()) actor.stop();
    this.#actors.clear();
  }

  #watch(server: string): void {
    const { clock, connectMs, inspect, onChanged } = this.#options;
    const machine = mcpServerMachine.provide({
      // An in-process server is connected by the CLI alone: there is nothing to ask for.
      actors: { reconnect: fromPromise<void, { name: string }>(() => Promise.resolve()) },
    });
    const actor = createActor(machine, {
      input: { name: server, connectMs, reconnect: { attempts: 0, minMs: 1_000, maxMs: 30_000 } },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    actor.on('state.entered', ({ state, reason }) => {
      if (state !== 'waiting') onChanged(server, state, reason);
    });
    this.#actors.set(server, actor);
    actor.start();
  }
}
