import { type Clock, inBackground } from '../clock.ts';
import type { RetentionOptions } from '../launch/retention-options.ts';
import type { RetentionPolicy, Store } from '../store/store.ts';

export interface RetentionKeeperOptions {
  readonly store: Store;
  readonly retention: RetentionOptions;
  readonly clock: Clock;
}

/** Between the end of one look and the next. */
const LOOK_MS = 60_000;

/** Has a store forget what it need not keep, in the background; one look at a time. It looks until it is stopped. */
export class RetentionKeeper {
  readonly #options: RetentionKeeperOptions;
  #timer: unknown;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: RetentionKeeperOptions) {
    this.#options = options;
    if (Object.values(options.retention).some((bound) => bound < Infinity)) this.#wait();
  }

  /** Resolves when the look that is going on has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#looking;
  }

  #wait(): void {
    const look = () => {
      this.#looking = this.#look();
    };
    this.#timer = inBackground(this.#options.clock.setTimeout(look, LOOK_MS));
  }

  async #look(): Promise<void> {
    try {
      await this.#options.store.prune(this.#policy());
    } catch {
      // The health of the store says so to everybody; the next look may succeed.
    }
    if (!this.#isStopped) this.#wait();
  }

  #policy(): RetentionPolicy {
    const { retention, clock } = this.#options;
    const { maxEventsPerSession, maxBytes, maxEndedSessions, maxAgeMs = Infinity } = retention;
    return {
      ...(isBound(maxEventsPerSession) && { maxEventsPerSession }),
      ...(isBound(maxBytes) && { maxBytes }),
      ...(isBound(maxEndedSessions) && { maxEndedSessions }),
      ...(isBound(maxAgeMs) && { before: clock.now() - maxAgeMs }),
    };
  }
}

function isBound(value: number | undefined): value is number {
  return value !== undefined && value < Infinity;
}
