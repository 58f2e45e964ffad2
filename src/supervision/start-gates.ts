import PQueue from 'p-queue';
import { TroupeError } from '../errors.ts';

/** Who waits at a gate: sessions go before processes that nobody waits for yet. */
export type StartRank = 'session' | 'warm';

const PRIORITY: Readonly<Record<StartRank, number>> = { session: 1, warm: 0 };

/** One place, given back exactly once. */
export type Release = () => void;

/** A queue that knows how many places are held: p-queue still counts one that was given back in the same tick. */
interface Gate {
  readonly queue: PQueue;
  held: number;
}

/**
 * How many processes may start at the same time, and how many of them with one configuration folder: they share credentials
 * that not all may refresh at once (R89). Only counts: no timers of p-queue's are used.
 */
export class StartGates {
  readonly #all: Gate;
  readonly #perFolder: number | undefined;
  readonly #folders = new Map<string, Gate>();

  constructor(limits: { readonly maxStarting: number; readonly startsPerConfigDir?: number | undefined }) {
    this.#all = newGate(limits.maxStarting);
    this.#perFolder = limits.startsPerConfigDir;
  }

  get held(): number {
    return this.#all.held;
  }

  /**
   * Waits, without a deadline of its own: those before it have theirs. Rejects with ABORTED at once when the signal fires.
   * First the narrower gate, then the one for all: who waits at the first stands in nobody's way.
   */
  async take(signal: AbortSignal, configDir = '', rank: StartRank = 'session'): Promise<Release> {
    if (this.#perFolder === undefined) return enter(this.#all, signal, rank);
    const folder = this.#folders.get(configDir) ?? newGate(this.#perFolder);
    this.#folders.set(configDir, folder);
    try {
      const leaveFolder = await enter(folder, signal, rank);
      try {
        const leave = await enter(this.#all, signal, rank);
        return () => {
          leave();
          leaveFolder();
          this.#forgetIdle();
        };
      } catch (error) {
        leaveFolder();
        throw error;
      }
    } finally {
      this.#forgetIdle();
    }
  }

  /** Only gates that somebody holds or waits at are kept. */
  #forgetIdle(): void {
    for (const [key, gate] of this.#folders) {
      if (gate.held === 0 && gate.queue.size === 0 && gate.queue.pending === 0) this.#folders.delete(key);
    }
  }
}

function newGate(concurrency: number): Gate {
  return { queue: new PQueue({ concurrency }), held: 0 };
}

function enter(gate: Gate, signal: AbortSignal, rank: StartRank): Promise<Release> {
  return new Promise<Release>((resolve, reject) => {
    const gone = new AbortController();
    const onAbort = () => {
      settle();
      reject(new TroupeError('ABORTED', { cause: signal.reason }));
      gone.abort();
    };
    const settle = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    const hold = async () => {
      settle();
      gate.held += 1;
      await new Promise<void>((giveBack) => {
        let isHeld = true;
        resolve(() => {
          if (isHeld) gate.held -= 1;
          isHeld = false;
          giveBack();
        });
      });
    };
    // Who leaves while waiting is taken out of the queue at once; only then does `add` reject.
    gate.queue.add(hold, { signal: gone.signal, priority: PRIORITY[rank] }).catch(() => {});
  });
}
