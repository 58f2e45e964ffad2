import { SparseMap } from '../sparse.ts';
import type { RateLimit } from '../wire/facts.ts';

/** Windows kept: there are a handful, whatever a broken peer says. */
const KEPT = 32;

/** The limits of the account, newest word for each window. */
export class RateLimits {
  readonly #byWindow = new SparseMap<string, RateLimit>();

  /** Takes what was told, and says whether the window closed or opened by it. */
  note(limit: RateLimit): 'reached' | 'reset' | undefined {
    const wasRejected = this.#byWindow.get(limit.window)?.status === 'rejected';
    if (this.#byWindow.has(limit.window) || this.#byWindow.size < KEPT) this.#byWindow.set(limit.window, limit);
    const isRejected = limit.status === 'rejected';
    if (isRejected === wasRejected) return undefined;
    return isRejected ? 'reached' : 'reset';
  }

  list(): Readonly<Record<string, RateLimit>> {
    return Object.fromEntries(this.#byWindow);
  }
}
