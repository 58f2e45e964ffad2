import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';

export interface LineLimits {
  readonly maxSessions: number;
  /** Sessions with the same `key`; those without one are not counted here. */
  readonly maxSessionsPerKey?: number | undefined;
  /** No process is admitted while less memory is free; looked at again every second while somebody waits for it. */
  readonly minFreeMemoryBytes?: number | undefined;
  /** Milliseconds a session waits for a slot before it is refused with AT_CAPACITY. */
  readonly admissionMs: number;
}

/** Whoever stands in the line, or holds a slot. */
export interface Ticket {
  readonly key: string | undefined;
}

/** What those in the line lack. */
export interface Shortage {
  /** How many would be served at once if there were more slots, or more memory. */
  readonly anywhere: number;
  /** The same for slots of one key. */
  readonly perKey: ReadonlyMap<string, number>;
}

export type Lack = 'session-slot' | 'slot-of-key' | 'memory';

interface Waiter {
  readonly ticket: Ticket;
  readonly admit: () => void;
}

/** Free bytes that a process which is not ready yet is expected to take: measured from 130 to 300 MB. */
const EXPECTED_BYTES = 256 * 2 ** 20;
const MEMORY_LOOK_MS = 1_000;

/**
 * Who may have a process, one after the other. A slot is reserved in the same breath in which it is found free, so no two
 * can find the same one. The keys take turns: a hundred sessions of one keep the first of another waiting for one only.
 */
export class SessionLine {
  readonly #limits: LineLimits;
  readonly #clock: Clock;
  readonly #freeMemory: () => number;
  readonly #onShort: () => void;
  readonly #onRoom: () => void;
  readonly #held = new Set<Ticket>();
  readonly #heldByKey = new Map<string, number>();
  /** Admitted, and not seen ready yet: their memory is not taken yet. */
  readonly #settling = new Set<Ticket>();
  /** Each key's waiters in the order of asking; the keys in the order of their turns. */
  readonly #waiting = new Map<string | undefined, Map<Ticket, Waiter>>();
  /** They hold a slot and lack memory only. */
  readonly #returning = new Map<Ticket, Waiter>();
  #isLookDue = false;
  #isShortOfMemory = false;
  #freeBytes = 0;

  constructor(options: {
    limits: LineLimits;
    clock: Clock;
    freeMemory: () => number;
    /** Somebody waits that could be served if a slot, or memory, were given back. */
    onShort: () => void;
    /** Nobody waits, and there may be slots that are free. */
    onRoom?: (() => void) | undefined;
  }) {
    this.#limits = options.limits;
    this.#clock = options.clock;
    this.#freeMemory = options.freeMemory;
    this.#onShort = options.onShort;
    this.#onRoom = options.onRoom ?? (() => {});
  }

  get held(): number {
    return this.#held.size;
  }

  get waiting(): number {
    return [...this.#queues()].reduce((sum, queue) => sum + queue.size, 0);
  }

  holds(ticket: Ticket): boolean {
    return this.#held.has(ticket);
  }

  /**
   * Waits for a slot, or for memory where one is held already. Rejects with AT_CAPACITY after the admission deadline and with
   * ABORTED at once when the signal fires; who left never takes a slot (R65), and a patient one has no deadline.
   */
  take(ticket: Ticket, signal: AbortSignal, isPatient: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queueOf(ticket);
      const settle = () => {
        signal.removeEventListener('abort', onAbort);
        this.#clock.clearTimeout(timer);
      };
      const leave = (error: TroupeError) => {
        settle();
        this.#leave(ticket);
        reject(error);
        this.#pump();
      };
      const onAbort = () => leave(new TroupeError('ABORTED', { cause: signal.reason }));
      signal.addEventListener('abort', onAbort, { once: true });
      const deadlineMs = isPatient ? Number.POSITIVE_INFINITY : this.#limits.admissionMs;
      const timer = this.#clock.setTimeout(() => leave(this.#refusal(ticket)), deadlineMs);
      queue.set(ticket, {
        ticket,
        admit: () => {
          settle();
          resolve();
        },
      });
      if (signal.aborted) onAbort();
      else this.#pump();
    });
  }

  /** Takes a slot that nobody waits for; false when there is none, or no memory. Asks nobody to make room. */
  takeSpare(ticket: Ticket): boolean {
    if (this.waiting > 0 || this.#held.size >= this.#limits.maxSessions || this.#isKeyFull(ticket.key)) return false;
    if (!this.#hasMemory()) return false;
    this.#admit({ ticket, admit: () => {} });
    return true;
  }

  /** Gives the slot back, if one is held. */
  giveBack(ticket: Ticket): void {
    if (!this.#held.delete(ticket)) return;
    this.#settling.delete(ticket);
    this.#count(ticket.key, -1);
    this.#pump();
  }

  /** Its process is ready, or will never be: the memory it takes is seen from now on. */
  settled(ticket: Ticket): void {
    if (this.#settling.delete(ticket)) this.#pump();
  }

  /** Place in the line, from 1, by the turns of the keys; undefined for who does not wait. */
  positionOf(ticket: Ticket): number | undefined {
    let place = 0;
    for (const next of this.#turns()) {
      place += 1;
      if (next === ticket) return place;
    }
    return undefined;
  }

  /** What a waiting one lacks. */
  lackOf(ticket: Ticket): Lack {
    if (this.#returning.has(ticket)) return 'memory';
    if (this.#isKeyFull(ticket.key)) return 'slot-of-key';
    return this.#held.size < this.#limits.maxSessions && this.#isShortOfMemory ? 'memory' : 'session-slot';
  }

  /** Somebody waits for memory. */
  get isShortOfMemory(): boolean {
    return this.#isShortOfMemory;
  }

  /** What the memory was when somebody was last kept waiting for it. */
  get memory(): { readonly freeBytes: number; readonly wantedBytes: number } {
    return { freeBytes: this.#freeBytes, wantedBytes: this.#limits.minFreeMemoryBytes ?? 0 };
  }

  shortage(): Shortage {
    const perKey = new Map<string, number>();
    let anywhere = this.#returning.size;
    for (const [key, waiters] of this.#waiting) {
      const free = this.#freeOf(key);
      if (key !== undefined && waiters.size > free) perKey.set(key, waiters.size - free);
      anywhere += Math.min(waiters.size, free);
    }
    // What one process takes is not known before it is gone: memory is made free one by one.
    return { anywhere: this.#isShortOfMemory ? Math.min(anywhere, 1) : anywhere, perKey };
  }

  #queueOf(ticket: Ticket): Map<Ticket, Waiter> {
    if (this.#held.has(ticket)) return this.#returning;
    const queue = this.#waiting.get(ticket.key) ?? new Map<Ticket, Waiter>();
    this.#waiting.set(ticket.key, queue);
    return queue;
  }

  *#queues(): Iterable<Map<Ticket, Waiter>> {
    yield this.#returning;
    yield* this.#waiting.values();
  }

  #leave(ticket: Ticket): void {
    for (const queue of this.#queues()) queue.delete(ticket);
    if (this.#waiting.get(ticket.key)?.size === 0) this.#waiting.delete(ticket.key);
  }

  /** Admits whoever can be admitted. */
  #pump(): void {
    this.#isShortOfMemory = false;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (!this.#hasMemory()) {
        this.#isShortOfMemory = true;
        break;
      }
      this.#admit(next);
    }
    this.#lookAgain();
    if (this.waiting > 0) this.#onShort();
    else this.#onRoom();
  }

  #admit({ ticket, admit }: Waiter): void {
    this.#leave(ticket);
    // The next turn is another key's.
    const others = this.#waiting.get(ticket.key);
    if (others !== undefined && !this.#held.has(ticket)) {
      this.#waiting.delete(ticket.key);
      this.#waiting.set(ticket.key, others);
    }
    if (!this.#held.has(ticket)) this.#count(ticket.key, 1);
    this.#held.add(ticket);
    this.#settling.add(ticket);
    admit();
  }

  #next(): Waiter | undefined {
    const [returning] = this.#returning.values();
    if (returning !== undefined || this.#held.size >= this.#limits.maxSessions) return returning;
    for (const [key, waiters] of this.#waiting) {
      const [first] = waiters.values();
      if (first !== undefined && !this.#isKeyFull(key)) return first;
    }
    return undefined;
  }

  *#turns(): Iterable<Ticket> {
    yield* this.#returning.keys();
    let queues = [...this.#waiting.values()].map((queue) => queue.keys());
    while (queues.length > 0) {
      const left: typeof queues = [];
      for (const queue of queues) {
        const { value, done } = queue.next();
        if (done === true) continue;
        yield value;
        left.push(queue);
      }
      queues = left;
    }
  }

  #isKeyFull(key: string | undefined): boolean {
    return this.#freeOf(key) <= 0;
  }

  #freeOf(key: string | undefined): number {
    const { maxSessionsPerKey } = this.#limits;
    if (key === undefined || maxSessionsPerKey === undefined) return Number.POSITIVE_INFINITY;
    return maxSessionsPerKey - (this.#heldByKey.get(key) ?? 0);
  }

  #count(key: string | undefined, change: 1 | -1): void {
    if (key === undefined) return;
    const count = (this.#heldByKey.get(key) ?? 0) + change;
    if (count > 0) this.#heldByKey.set(key, count);
    else this.#heldByKey.delete(key);
  }

  #hasMemory(): boolean {
    const { minFreeMemoryBytes } = this.#limits;
    if (minFreeMemoryBytes === undefined) return true;
    this.#freeBytes = Math.max(0, this.#freeMemory() - this.#settling.size * EXPECTED_BYTES);
    return this.#freeBytes >= minFreeMemoryBytes;
  }

  /** Nobody tells when memory becomes free. */
  #lookAgain(): void {
    if (!this.#isShortOfMemory || this.#isLookDue) return;
    this.#isLookDue = true;
    this.#clock.setTimeout(() => {
      this.#isLookDue = false;
      if (this.waiting > 0) this.#pump();
    }, MEMORY_LOOK_MS);
  }

  #refusal(ticket: Ticket): TroupeError {
    const { maxSessions, maxSessionsPerKey, admissionMs: waitedMs } = this.#limits;
    const lack = this.lackOf(ticket);
    if (lack === 'memory') {
      const { freeBytes, wantedBytes } = this.memory;
      return new TroupeError('AT_CAPACITY', {
        reason: `${freeBytes} bytes of memory are free, ${wantedBytes} are asked for.`,
        details: { field: 'limits.minFreeMemoryBytes', limit: wantedBytes, freeMemoryBytes: freeBytes, waitedMs },
      });
    }
    const isOfKey = lack === 'slot-of-key';
    const limit = isOfKey ? maxSessionsPerKey : maxSessions;
    return new TroupeError('AT_CAPACITY', {
      reason: isOfKey ? `All ${limit} slots of its key are taken.` : `All ${limit} slots are taken.`,
      details: { field: isOfKey ? 'limits.maxSessionsPerKey' : 'limits.maxSessions', limit, waitedMs },
    });
  }
}
