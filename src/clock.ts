/** Time as data: the two timer functions XState asks of a clock, and the present moment in epoch milliseconds. */
export interface Clock {
  setTimeout(handler: () => void, ms: number): unknown;
  clearTimeout(id: unknown): void;
  now(): number;
}

/** The longest delay a Node timer can hold; anything longer, `Infinity` included, would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Stands for a timer that was never set: the clock behind has no id for it and must not be asked to clear one. */
const NEVER = Symbol('never');

/**
 * The same clock, never asked for more than `MAX_TIMER_MS` (24.8 days): a longer delay, `Infinity` too, stands for "no
 * deadline" and never fires. A plain wrapper around Node's timers would fire after 1 ms instead.
 */
export function boundedClock(clock: Clock): Clock {
  return {
    setTimeout: (handler, ms) => (ms > MAX_TIMER_MS ? NEVER : clock.setTimeout(handler, ms)),
    clearTimeout(id) {
      if (id !== NEVER) clock.clearTimeout(id);
    },
    now: () => clock.now(),
  };
}

/** Real time, under the rule of `boundedClock`. */
export const systemClock: Clock = boundedClock({
  setTimeout: (handler, ms) => setTimeout(handler, ms),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout | undefined),
  now: () => Date.now(),
});
