import { type Clock, inNextTurn } from '../clock.ts';

/** How long starts may keep a turn of the event loop, milliseconds; one that has begun goes on. */
const TURN_MS = 4;

/**
 * Starts that are asked for in the same breath: as many as fit into a few milliseconds are begun at once, and of the others
 * one in each turn of the event loop, in order. A hundred of them must not keep every other session waiting (P10).
 */
export class StartPace {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #waiting: (() => void)[] = [];
  #turnEndsAt: number | undefined;
  #lookups = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Starts that have not begun. */
  get waiting(): number {
    return this.#waiting.length + this.#lookups;
  }

  /**
   * Undefined where the start may begin now; otherwise resolves when it may. One that looks something up first (`isLookup`)
   * takes its time only after that, together with whoever looked at the same time: of them only one begins in a turn.
   */
  turn(isLookup = false): Promise<void> | undefined {
    const now = this.#clock.now();
    if (this.#turnEndsAt === undefined) this.#open(now);
    else if (isLookup || this.#waiting.length > 0 || now >= this.#turnEndsAt) {
      return new Promise((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    return undefined;
  }

  /** Waits for what a start looks up first. */
  async lookUp(found: Promise<void>): Promise<void> {
    this.#lookups += 1;
    try {
      await found;
    } finally {
      this.#lookups -= 1;
    }
  }

  #open(now: number): void {
    this.#turnEndsAt = now + TURN_MS;
    inNextTurn(() => {
      this.#turnEndsAt = undefined;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#open(this.#clock.now());
      next();
    });
  }
}
