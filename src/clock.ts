/** Time as data: the two timer functions XState asks of a clock, and the present moment in epoch milliseconds. */
export interface Clock {
  setTimeout(handler: () => void, ms: number): unknown;
  clearTimeout(id: unknown): void;
  now(): number;
}

/** The longest delay a Node timer can hold; anything longer, `Infinity` included, would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Real time. A delay beyond the longest timer (`Infinity` too) never fires: it stands for "no deadline". */
export const systemClock: Clock = {
  setTimeout: (handler, ms) => (ms > MAX_TIMER_MS ? undefined : setTimeout(handler, ms)),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout | undefined),
  now: () => Date.now(),
};
