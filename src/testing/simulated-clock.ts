import type { Clock } from '../clock.ts';

/** Time that stands still until it is told to pass. For `createSupervisor({ clock })` and for any XState actor. */
export interface SimulatedClock extends Clock {
  /** Timers that are set and have neither fired nor been cleared. One of `Infinity` counts, and never fires. */
  readonly openTimers: number;
  /**
   * Lets `ms` milliseconds pass. Every timer that falls due fires at its own moment, in order, and what it set in motion
   * (promises, microtasks, timers of no delay) settles before the next one.
   */
  advance(ms: number): Promise<void>;
  /** The same at once, for code without promises: nothing settles in between. */
  increment(ms: number): void;
  /**
   * The wall clock alone leaps, by a negative number backwards: `now()` is another, and every timer still has to wait as
   * long as before. A laptop that slept looks like this.
   */
  jump(ms: number): void;
  /**
   * Time passes and nobody notices: no timer fires. Those that fell due fire late, one after the other, with the next
   * `advance` or `increment`. A process that was stopped and continued looks like this.
   */
  freeze(ms: number): void;
}

/** Rounds of the event loop in which the consequences of one timer settle. */
const ROUNDS = 3;
/** So many timers at one and the same moment are a loop. */
const MAX_AT_ONCE = 10_000;

interface Timer {
  readonly dueAt: number;
  readonly handler: () => void;
}

/** A clock of your own. `startAt` is what `now()` says first, in epoch milliseconds; default 0. */
export function simulatedClock({ startAt = 0 }: { startAt?: number } = {}): SimulatedClock {
  const timers = new Map<number, Timer>();
  let nextId = 1;
  let elapsed = 0;
  let offset = startAt;

  /** The timers up to that moment, one at a time, each taken out before it fires. */
  function* dueUntil(end: number): Generator<() => void> {
    let atOnce = 0;
    for (;;) {
      const first = earliest(timers);
      if (first === undefined || first.dueAt > end) break;
      atOnce = first.dueAt > elapsed ? 0 : atOnce + 1;
      if (atOnce > MAX_AT_ONCE) throw new Error(`More than ${MAX_AT_ONCE} timers fell due at one moment.`);
      elapsed = Math.max(elapsed, first.dueAt);
      timers.delete(first.id);
      yield first.handler;
    }
    elapsed = end;
  }

  return {
    now: () => offset + elapsed,
    setTimeout(handler, ms) {
      const id = nextId++;
      timers.set(id, { handler, dueAt: elapsed + Math.max(0, ms || 0) });
      return id;
    },
    clearTimeout(id) {
      if (typeof id === 'number') timers.delete(id);
    },
    get openTimers() {
      return timers.size;
    },
    async advance(ms) {
      await settled();
      for (const handler of dueUntil(elapsed + ms)) {
        handler();
        await settled();
      }
    },
    increment(ms) {
      for (const handler of dueUntil(elapsed + ms)) handler();
    },
    jump(ms) {
      offset += ms;
    },
    freeze(ms) {
      elapsed += ms;
    },
  };
}

/** Of two that are due at the same moment the one that was set first: a map keeps that order. */
function earliest(timers: ReadonlyMap<number, Timer>): (Timer & { readonly id: number }) | undefined {
  let first: (Timer & { readonly id: number }) | undefined;
  for (const [id, timer] of timers) {
    if (first === undefined || timer.dueAt < first.dueAt) first = { ...timer, id };
  }
  return first;
}

async function settled(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
