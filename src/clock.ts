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

/**
 * Calls back when this turn of the event loop has done what it does at once, promises that are resolved by now included, and
 * before anything else comes in. What asks and is answered in one turn is over by then.
 */
export function atEndOfTurn(act: () => void): void {
  process.nextTick(act);
}

/** Calls back in the next turn of the event loop: what has come in meanwhile, and timers that are due, come first. */
export function inNextTurn(act: () => void): void {
  setImmediate(act);
}

/** The timer of something that is no reason for the program to go on. */
export function inBackground(timer: unknown): unknown {
  if (hasUnref(timer)) timer.unref();
  return timer;
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function';
}

/** Time in which this program ran. Durations are measured with it: what passes while the host sleeps is nobody's silence. */
export interface AwakeClock extends Clock {
  /** Epoch milliseconds less the time in which the host stood still; never goes backwards. */
  now(): number;
  /** The moment of the wall clock at which this clock will show `at`, if the host stays awake. */
  wallTime(at: number): number;
  /**
   * Has the clock look whether the host stood still, and tells for how long. Between watchers nobody looks. Returns the way
   * to stop it.
   */
  watch(onResumed: (gapMs: number) => void): () => void;
}

/** So often the clock looks, while it is watched or a timer of it runs. */
const LOOK_MS = 1_000;
/** A longer time between two looks was no time of ours: three looks were missed. */
const GAP_MS = 3 * LOOK_MS;

/**
 * The same time without the gaps: the sleep of a laptop, in which the wall clock goes on and timers wait, SIGSTOP, and a
 * program that was busy with something else, after which every timer is overdue at once, and fires before what arrived
 * meanwhile is read (P5, P10). A timer that a gap has made fall due waits for what was left of it.
 */
export function awakeClock(clock: Clock): AwakeClock {
  const watchers = new Set<(gapMs: number) => void>();
  let gaps = 0;
  let seenAt = clock.now();
  let armed = 0;
  let look: unknown;

  /** The present moment of the wall clock, the gap before it taken note of. */
  function wall(): number {
    const present = clock.now();
    const gapMs = present - seenAt;
    seenAt = present;
    // A wall clock that was set back is no reason to wait the same time once more.
    if (gapMs < 0 || (gapMs > GAP_MS && isLooking())) gaps += gapMs;
    if (gapMs > GAP_MS) for (const tell of [...watchers]) tell(gapMs);
    return present;
  }

  function isLooking(): boolean {
    return watchers.size + armed > 0;
  }

  function lookAgain(): void {
    look = clock.setTimeout(() => {
      wall();
      lookAgain();
    }, LOOK_MS);
  }

  function startLooking(): void {
    if (isLooking()) return;
    wall();
    lookAgain();
  }

  function stopLooking(): void {
    if (!isLooking()) clock.clearTimeout(look);
  }

  function arm(timer: AwakeTimer, handler: () => void, ms: number): void {
    const dueAt = wall() - gaps + ms;
    const formerGaps = gaps;
    timer.id = clock.setTimeout(() => {
      const leftMs = Math.min(dueAt - (wall() - gaps), gaps - formerGaps);
      if (leftMs > 0) arm(timer, handler, leftMs);
      else {
        disarm(timer);
        handler();
      }
    }, ms);
  }

  function disarm(timer: AwakeTimer): void {
    if (!timer.isArmed) return;
    timer.isArmed = false;
    armed -= 1;
    stopLooking();
  }

  return {
    now: () => wall() - gaps,
    wallTime: (at) => at + gaps,
    setTimeout(handler, ms) {
      const isEndless = ms > MAX_TIMER_MS;
      const timer: AwakeTimer = { id: undefined, isArmed: !isEndless };
      if (isEndless) return timer;
      startLooking();
      armed += 1;
      arm(timer, handler, ms);
      return timer;
    },
    clearTimeout(timer) {
      if (!isAwakeTimer(timer)) return;
      if (timer.isArmed) clock.clearTimeout(timer.id);
      disarm(timer);
    },
    watch(onResumed) {
      startLooking();
      watchers.add(onResumed);
      return () => {
        if (watchers.delete(onResumed)) stopLooking();
      };
    },
  };
}

interface AwakeTimer {
  id: unknown;
  isArmed: boolean;
}

function isAwakeTimer(timer: unknown): timer is AwakeTimer {
  return typeof timer === 'object' && timer !== null && 'isArmed' in timer;
}
