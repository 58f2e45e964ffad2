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

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Starts that have not begun. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Undefined where the start may begin now; otherwise resolves when it may. */
  turn(): Promise<void> | undefined {
    const now = this.#clock.now();
    if (this.#turnEndsAt === undefined) this.#open(now);
    else if (this.#waiting.length > 0 || now >= this.#turnEndsAt) {
      return new Promise((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    return undefined;
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
