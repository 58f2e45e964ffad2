import { freemem } from 'node:os';
import PQueue from 'p-queue';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';

export interface AdmissionLimits {
  readonly maxSessions: number;
  /** Sessions with the same `key`; those without one are not counted here. */
  readonly maxSessionsPerKey?: number | undefined;
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

interface Deadline {
  readonly deadlineMs: number;
  readonly error: () => TroupeError;
}

function gateOf(gates: Map<string, Gate>, key: string, concurrency: number): Gate {
  const gate = gates.get(key) ?? newGate(concurrency);
  gates.set(key, gate);
  return gate;
}

/** Only gates that somebody holds or waits at are kept. */
function forgetIdle(gates: Map<string, Gate>): void {
  for (const [key, gate] of gates) if (gate.held === 0 && gate.queue.size === 0) gates.delete(key);
}

/** How many sessions may exist and how many may start at the same time. Only counts: no timers of p-queue's are used. */
export class AdmissionControl {
  readonly #sessions: Gate;
  readonly #starts: Gate;
  readonly #sessionsByKey = new Map<string, Gate>();
  readonly #startsByConfigDir = new Map<string, Gate>();
  /** Who waits for a session slot, in the order of asking. */
  readonly #line = new Set<object>();
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
    return { sessions: this.#sessions.held, waiting: this.#line.size, starting: this.#starts.held };
  }

  /** Place in the line for a session slot, from 1; undefined for who does not wait. */
  positionOf(ticket: object): number | undefined {
    const index = [...this.#line].indexOf(ticket);
    return index < 0 ? undefined : index + 1;
  }

  /**
   * Waits for a session slot. Rejects with AT_CAPACITY after the admission deadline and with ABORTED at once when the
   * signal fires; a waiter that left never takes a slot (R65), and a patient one has no deadline. One that waits for its key keeps nobody else waiting.
   */
  async takeSessionSlot(signal: AbortSignal, key?: string, ticket: object = {}, isPatient = false): Promise<Release> {
    const { maxSessions, maxSessionsPerKey } = this.#limits;
    const admissionMs = isPatient ? Number.POSITIVE_INFINITY : this.#limits.admissionMs;
    const until = this.#clock.now() + admissionMs;
    this.#assertMemory();
    this.#line.add(ticket);
    try {
      if (key === undefined || maxSessionsPerKey === undefined) {
        return await this.#take(this.#sessions, signal, this.#deadline(admissionMs, 'maxSessions', maxSessions));
      }
      const ofKey = gateOf(this.#sessionsByKey, key, maxSessionsPerKey);
      const perKey = this.#deadline(admissionMs, 'maxSessionsPerKey', maxSessionsPerKey);
      return await this.#takeBoth(ofKey, perKey, this.#sessionsByKey, this.#sessions, signal, () =>
        this.#deadline(until - this.#clock.now(), 'maxSessions', maxSessions),
      );
    } finally {
      this.#line.delete(ticket);
    }
  }

  /** Waits for a start slot: held from the spawn until the session is ready or has failed. */
  async takeStartSlot(signal: AbortSignal, configDir = ''): Promise<Release> {
    const { startsPerConfigDir } = this.#limits;
    if (startsPerConfigDir === undefined) return this.#take(this.#starts, signal, undefined);
    const ofFolder = gateOf(this.#startsByConfigDir, configDir, startsPerConfigDir);
    return this.#takeBoth(ofFolder, undefined, this.#startsByConfigDir, this.#starts, signal, () => undefined);
  }

  /** First the narrower gate, then the one for all: who waits at the first stands in nobody's way. */
  async #takeBoth(
    narrow: Gate,
    deadline: Deadline | undefined,
    gates: Map<string, Gate>,
    wide: Gate,
    signal: AbortSignal,
    wideDeadline: () => Deadline | undefined,
  ): Promise<Release> {
    const leaveNarrow = await this.#take(narrow, signal, deadline);
    try {
      const leave = await this.#take(wide, signal, wideDeadline());
      return () => {
        leave();
        leaveNarrow();
        forgetIdle(gates);
      };
    } catch (error) {
      leaveNarrow();
      forgetIdle(gates);
      throw error;
    }
  }

  #deadline(deadlineMs: number, limit: 'maxSessions' | 'maxSessionsPerKey', value: number): Deadline {
    const waitedMs = this.#limits.admissionMs;
    return {
      deadlineMs,
      error: () =>
        new TroupeError('AT_CAPACITY', {
          reason:
            limit === 'maxSessions' ? `All ${value} slots are taken.` : `All ${value} slots of its key are taken.`,
          details: { field: `limits.${limit}`, limit: value, waitedMs },
        }),
    };
  }

  #assertMemory(): void {
    const { minFreeMemoryBytes } = this.#limits;
    const free = freemem();
    if (minFreeMemoryBytes === undefined || free >= minFreeMemoryBytes) return;
    const details = { field: 'limits.minFreeMemoryBytes', limit: minFreeMemoryBytes, freeMemoryBytes: free };
    const reason = `${free} bytes of memory are free, ${minFreeMemoryBytes} are asked for.`;
    throw new TroupeError('AT_CAPACITY', { reason, details });
  }

  #take(gate: Gate, signal: AbortSignal, deadline: Deadline | undefined): Promise<Release> {
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
