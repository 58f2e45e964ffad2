import type { Clock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import { sizeOfEvents } from '../change-check.ts';
import type { Durability } from '../store.ts';
import type { PlainChange } from './packing.ts';

export interface CommitQueueOptions {
  readonly durability: Durability;
  /** How long the first change of a commit waits for others, with `batched`. */
  readonly commitDelayMs: number;
  /** A commit holds no more than this, but one change at least; with as much waiting it begins at once. */
  readonly maxCommitEvents: number;
  readonly maxCommitBytes: number;
  /** What may wait before changes are refused. */
  readonly maxQueuedEvents: number;
  readonly maxQueuedBytes: number;
  readonly clock: Clock;
}

/** For each change the error it was refused with, or undefined; rejects when nothing was kept. */
export type Commit = (changes: readonly PlainChange[]) => Promise<readonly (TroupeError | undefined)[]>;

interface Waiting {
  readonly change: PlainChange;
  readonly events: number;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: changes that come close together share one flush of the disk, one commit runs at a time, and what waits is
 * bounded (P9). A change counts as one event at least; lines that stand in one row count as one.
 */
export class CommitQueue {
  readonly #commit: Commit;
  readonly #options: CommitQueueOptions;
  #waiting: Waiting[] = [];
  #events = 0;
  #bytes = 0;
  /** Of the change that waits longest. */
  #since = 0;
  #timer: unknown;
  #running: Promise<void> | undefined;
  #rooms: (() => void)[] = [];

  constructor(commit: Commit, options: CommitQueueOptions) {
    this.#commit = commit;
    this.#options = options;
  }

  add(change: PlainChange): Promise<void> {
    const events = Math.max(1, change.events.length);
    const bytes = sizeOfEvents(change);
    const { maxQueuedEvents, maxQueuedBytes, clock } = this.#options;
    const isOver = this.#events + events > maxQueuedEvents || this.#bytes + bytes > maxQueuedBytes;
    // One that is larger than the bound itself passes when it is alone: it could never be kept else.
    if (isOver && this.#events > 0) {
      const details = { waitingEvents: this.#events, waitingBytes: this.#bytes, maxQueuedEvents, maxQueuedBytes };
      return Promise.reject(new TroupeError('STORE_OVERLOADED', { details }));
    }
    if (this.#waiting.length === 0) this.#since = clock.now();
    this.#events += events;
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, events, bytes, resolve, reject });
      this.#schedule();
    });
  }

  room(): Promise<void> {
    if (this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#rooms.push(resolve));
  }

  /** Resolves when everything that waits is kept or refused. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running !== undefined) {
      this.#flush();
      await this.#running;
    }
  }

  /** Ends what waits for a commit that will never come. */
  fail(error: unknown): void {
    for (const { reject } of this.#take(this.#waiting.splice(0))) reject(error);
  }

  #hasRoom(): boolean {
    const { maxQueuedEvents, maxQueuedBytes } = this.#options;
    return this.#events * 2 <= maxQueuedEvents && this.#bytes * 2 <= maxQueuedBytes;
  }

  #schedule(): void {
    if (this.#running !== undefined || this.#waiting.length === 0) return;
    const { durability, commitDelayMs, clock, maxCommitEvents, maxCommitBytes } = this.#options;
    const isFull = this.#events >= maxCommitEvents || this.#bytes >= maxCommitBytes;
    const waitMs = durability === 'strict' || isFull ? 0 : this.#since + commitDelayMs - clock.now();
    if (waitMs <= 0) {
      clock.clearTimeout(this.#timer);
      this.#timer = undefined;
      // Not yet: what this tick still adds belongs to the same commit.
      queueMicrotask(() => this.#flush());
    } else if (this.#timer === undefined) {
      this.#timer = clock.setTimeout(() => {
        this.#timer = undefined;
        this.#flush();
      }, waitMs);
    }
  }

  #flush(): void {
    if (this.#running !== undefined || this.#waiting.length === 0) return;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#nextBatch();
    this.#since = this.#options.clock.now();
    this.#running = this.#run(batch).finally(() => {
      this.#running = undefined;
      this.#schedule();
    });
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const refusals = await this.#commit(batch.map(({ change }) => change));
      this.#take(batch).forEach(({ resolve, reject }, index) => {
        const refusal = refusals[index];
        if (refusal === undefined) resolve();
        else reject(refusal);
      });
    } catch (error) {
      // What waits behind a change that was not kept would only be refused as a gap: it hears the true reason.
      const sessions = new Set(batch.map(({ change }) => change.sessionId));
      const behind = this.#waiting.filter(({ change }) => sessions.has(change.sessionId));
      this.#waiting = this.#waiting.filter(({ change }) => !sessions.has(change.sessionId));
      for (const { reject } of this.#take([...batch, ...behind])) reject(error);
    }
  }

  #nextBatch(): Waiting[] {
    const { maxCommitEvents, maxCommitBytes } = this.#options;
    let [events, bytes, count] = [0, 0, 0];
    for (const waiting of this.#waiting) {
      events += waiting.events;
      bytes += waiting.bytes;
      if (count > 0 && (events > maxCommitEvents || bytes > maxCommitBytes)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** They wait no longer. */
  #take(batch: readonly Waiting[]): readonly Waiting[] {
    for (const { events, bytes } of batch) {
      this.#events -= events;
      this.#bytes -= bytes;
    }
    if (this.#hasRoom()) for (const resolve of this.#rooms.splice(0)) resolve();
    return batch;
  }
}
