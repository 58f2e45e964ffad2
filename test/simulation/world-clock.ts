import type { Clock } from '../../src/clock.ts';

/** So many timers at one and the same moment are a loop. */
const MAX_AT_ONCE = 2_000;

/** The time of a world. Hosts come and go; each has a view of its own, whose timers die with it. */
export interface WorldClock {
  now(): number;
  /** Lets time pass; what each timer set in motion settles before the next one. */
  advance(ms: number): Promise<void>;
  /** The wall clock alone leaps. */
  jump(ms: number): void;
  /** Time passes and no timer fires before the next `advance`. */
  freeze(ms: number): void;
  /** Time as one host sees it, while it lives. */
  view(isAlive: () => boolean): HostClock;
}

export interface HostClock extends Clock {
  /** Timers that are set and neither fired nor cleared. */
  readonly openTimers: number;
}

interface Timer {
  readonly dueAt: number;
  readonly id: number;
  readonly handler: () => void;
}

export function worldClock(startAt: number): WorldClock {
  const timers = new Map<number, Timer>();
  let nextId = 1;
  let elapsed = 0;
  let offset = startAt;

  /** Of two that are due at the same moment the one that was set first: a map keeps that order. */
  function earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers.values()) if (first === undefined || timer.dueAt < first.dueAt) first = timer;
    return first;
  }

  return {
    now: () => offset + elapsed,
    jump: (ms) => {
      offset += ms;
    },
    freeze: (ms) => {
      elapsed += ms;
    },
    async advance(ms) {
      const end = elapsed + ms;
      let atOnce = 0;
      for (let first = earliest(); first !== undefined && first.dueAt <= end; first = earliest()) {
        atOnce = first.dueAt > elapsed ? 0 : atOnce + 1;
        if (atOnce > MAX_AT_ONCE) throw new Error(`More than ${MAX_AT_ONCE} timers fell due at one moment.`);
        elapsed = Math.max(elapsed, first.dueAt);
        timers.delete(first.id);
        first.handler();
        await settled();
      }
      elapsed = end;
    },
    view(isAlive) {
      const own = new Set<number>();
      return {
        now: () => offset + elapsed,
        setTimeout(handler, ms) {
          const id = nextId++;
          const dueAt = elapsed + Math.max(0, ms || 0);
          own.add(id);
          const fire = () => {
            own.delete(id);
            if (isAlive()) handler();
          };
          if (Number.isFinite(dueAt)) timers.set(id, { id, dueAt, handler: fire });
          return id;
        },
        clearTimeout(id) {
          if (typeof id !== 'number') return;
          own.delete(id);
          timers.delete(id);
        },
        get openTimers() {
          return own.size;
        },
      };
    },
  };
}

/** Everything in a world happens in microtasks: after one round of the event loop nothing moves any more. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
