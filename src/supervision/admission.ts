import { freemem } from 'node:os';
import PQueue from 'p-queue';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';

export interface AdmissionLimits {
  readonly maxSessions: number;
  readonly maxStarting: number;
  /** Starts at the same time with one configuration folder: they share credentials that not all may refresh at once (R89). */
  readonly startsPerConfigDir?: number | undefined;
  /** No session is admitted while less memory is free. */
  readonly minFreeMemoryBytes?: number | undefined;
  /** Milliseconds a session waits for a slot before it is refused with AT_CAPACITY. */
  readonly admissionMs: number;
}

/** One place in a queue: given back exactly once. */
type Release = () => void;

/** A queue that knows how many places are held: p-queue still counts one that was given back in the same tick. */
interface Gate {
  readonly queue: PQueue;
  held: number;
}

function newGate(concurrency: number): Gate {
  return { queue: new PQueue({ concurrency }), held: 0 };
}

/** How many sessions may exist and how many may start at the same time. Only counts: no timers of p-queue's are used. */
export class AdmissionControl {
  readonly #sessions: Gate;
  readonly #starts: Gate;
  readonly #startsByConfigDir = new Map<string, Gate>();
  readonly #limits: AdmissionLimits;
  readonly #clock: Clock;

  constructor(limits: AdmissionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#sessions = newGate(limits.maxSessions);
    this.#starts = newGate(limits.maxStarting);
  }

  /** Sessions that hold a slot, and those that wait for one. */
  get load(): { readonly sessions: number; readonly waiting: number; readonly starting: number } {
    return { sessions: this.#sessions.held, waiting: this.#sessions.queue.size, starting: this.#starts.held };
  }

  /**
   * Waits for a session slot. Rejects with AT_CAPACITY after the admission deadline and with ABORTED at once when the
   * signal fires; a waiter that left never takes a slot (R65).
   */
  takeSessionSlot(signal: AbortSignal): Promise<Release> {
    const { maxSessions, admissionMs } = this.#limits;
    const atCapacity = () => {
      const details = { field: 'limits.maxSessions', limit: maxSessions, waitedMs: admissionMs };
      return new TroupeError('AT_CAPACITY', { reason: `All ${maxSessions} slots are taken.`, details });
    };
    return this.#memoryShortage() ?? this.#take(this.#sessions, signal, { deadlineMs: admissionMs, error: atCapacity });
  }

  /** Waits for a start slot: held from the spawn until the session is ready or has failed. */
  async takeStartSlot(signal: AbortSignal, configDir = ''): Promise<Release> {
    const { startsPerConfigDir } = this.#limits;
    if (startsPerConfigDir === undefined) return this.#take(this.#starts, signal, undefined);
    const leaveFolder = await this.#take(this.#startsOf(configDir, startsPerConfigDir), signal, undefined);
    try {
      const leave = await this.#take(this.#starts, signal, undefined);
      return () => {
        leave();
        leaveFolder();
        this.#forgetIdleFolders();
      };
    } catch (error) {
      leaveFolder();
      throw error;
    }
  }

  #startsOf(configDir: string, concurrency: number): Gate {
    let gate = this.#startsByConfigDir.get(configDir);
    if (gate === undefined) {
      gate = newGate(concurrency);
      this.#startsByConfigDir.set(configDir, gate);
    }
    return gate;
  }

  /** Only folders somebody starts in are kept. */
  #forgetIdleFolders(): void {
    for (const [configDir, gate] of this.#startsByConfigDir) {
      if (gate.held === 0 && gate.queue.size === 0) this.#startsByConfigDir.delete(configDir);
    }
  }

  #memoryShortage(): Promise<never> | undefined {
    const { minFreeMemoryBytes } = this.#limits;
    const free = freemem();
    if (minFreeMemoryBytes === undefined || free >= minFreeMemoryBytes) return undefined;
    const details = { field: 'limits.minFreeMemoryBytes', limit: minFreeMemoryBytes, freeMemoryBytes: free };
    const reason = `${free} bytes of memory are free, ${minFreeMemoryBytes} are asked for.`;
    return Promise.reject(new TroupeError('AT_CAPACITY', { reason, details }));
  }

  #take(
    gate: Gate,
    signal: AbortSignal,
    deadline: { deadlineMs: number; error: () => TroupeError } | undefined,
  ): Promise<Release> {
    return new Promise<Release>((resolve, reject) => {
      const gone = new AbortController();
      const leave = (error: TroupeError) => {
        settle();
        reject(error);
        gone.abort();
      };
      const onAbort = () => leave(new TroupeError('ABORTED', { cause: signal.reason }));
      const timer =
        deadline === undefined ? undefined : this.#clock.setTimeout(() => leave(deadline.error()), deadline.deadlineMs);
      const settle = () => {
        signal.removeEventListener('abort', onAbort);
        if (timer !== undefined) this.#clock.clearTimeout(timer);
      };
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
      gate.queue.add(hold, { signal: gone.signal }).catch(() => {});
    });
  }
}
