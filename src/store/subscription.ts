import { EventRun, isRun, type LogEntry } from './event-run.ts';
import { bytesOf, countOf, firstSeqOf } from './event-shelf.ts';
import type { ObservedEvent, SessionEvent, SubscriberEvent } from './session-event.ts';

export interface SubscriptionLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

type Entry = LogEntry | SubscriberEvent;

/** A pull that waits: for an event, or for whatever was logged as one thing. */
type Pull =
  | { readonly isWhole: false; readonly resolve: (result: IteratorResult<ObservedEvent>) => void }
  | { readonly isWhole: true; readonly resolve: (result: IteratorResult<Entry>) => void };

const DONE: { readonly done: true; readonly value: undefined } = { done: true, value: undefined };

/**
 * One reader of a log, pulled at its own pace. What it has not taken yet waits in a bounded queue; over the bound the
 * queue is dropped and the reader is told exactly what it missed (P6, P9): a slow reader costs nobody else anything.
 * It is read event by event, or by `entries` with the messages together that were logged as one thing.
 */
export class Subscription implements AsyncIterableIterator<ObservedEvent> {
  readonly #limits: SubscriptionLimits;
  readonly #onClosed: () => void;
  /** Slots that were taken are emptied at once, so that what a reader has taken is really freed. */
  #queue: (Entry | undefined)[] = [];
  /** Index of the next entry: taking from the front must not shift the array. */
  #head = 0;
  /** How many events of the next entry were taken. */
  #taken = 0;
  #waiting = 0;
  /** Replayed events and notices, at the front of the queue: the limits do not count them. */
  #uncounted = 0;
  #bytes = 0;
  #isClosed = false;
  #isFinished = false;
  /** Pulls that wait for an event, in order; only while the queue is empty. */
  readonly #pulls: Pull[] = [];

  constructor(limits: SubscriptionLimits, onClosed: () => void) {
    this.#limits = limits;
    this.#onClosed = onClosed;
  }

  /** Events waiting to be taken. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The memory of logged events that wait, roughly; replayed ones are not counted. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  /** For replay and notices: not counted against the limits, because the log already holds them. */
  preload(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#queue.push(entry);
      this.#waiting += countOf(entry);
      this.#uncounted += countOf(entry);
    }
  }

  offer(entry: LogEntry): void {
    if (this.#isClosed) return;
    const { maxItems } = this.#limits;
    if (!isRun(entry) || entry.count <= maxItems) this.#add(entry);
    else {
      for (let last = entry.firstSeq - 1; last < entry.lastSeq; last += maxItems) {
        const part = entry.between(last, last + maxItems);
        if (part !== undefined) this.#add(part);
      }
    }
    while (this.#pulls.length > 0 && this.#waiting > 0) this.#serve(this.#pulls.shift());
  }

  /** No more events will come; what is queued is still delivered. */
  finish(): void {
    this.#isFinished = true;
    if (this.#pulls.length > 0) this.#close();
  }

  next(): Promise<IteratorResult<ObservedEvent>> {
    const value = this.#take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return this.#isAtEnd() ? Promise.resolve(DONE) : this.#wait();
  }

  /** The same reader, with the messages together that were logged as one thing. */
  entries(): AsyncIterableIterator<Entry> {
    const entries: AsyncIterableIterator<Entry> = {
      next: () => {
        const value = this.#takeWhole();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        return this.#isAtEnd()
          ? Promise.resolve(DONE)
          : new Promise((resolve) => this.#pulls.push({ isWhole: true, resolve }));
      },
      return: () => {
        this.#close();
        return Promise.resolve(DONE);
      },
      [Symbol.asyncIterator]: () => entries,
    };
    return entries;
  }

  return(): Promise<IteratorResult<ObservedEvent>> {
    this.#close();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wait(): Promise<IteratorResult<ObservedEvent>> {
    return new Promise((resolve) => this.#pulls.push({ isWhole: false, resolve }));
  }

  #serve(pull: Pull | undefined): void {
    if (pull?.isWhole === true) {
      const value = this.#takeWhole();
      if (value !== undefined) pull.resolve({ done: false, value });
    } else if (pull !== undefined) {
      const value = this.#take();
      if (value !== undefined) pull.resolve({ done: false, value });
    }
  }

  #isAtEnd(): boolean {
    if (this.#isFinished) this.#close();
    return this.#isClosed;
  }

  #add(entry: LogEntry): void {
    const count = countOf(entry);
    const bytes = bytesOf(entry);
    const counted = this.#waiting - this.#uncounted;
    const isOver = counted + count > this.#limits.maxItems || this.#bytes + bytes > this.#limits.maxBytes;
    if (counted > 0 && isOver) this.#drop(firstSeqOf(entry));
    this.#queue.push(entry);
    this.#waiting += count;
    this.#bytes += bytes;
  }

  #take(): ObservedEvent | undefined {
    const entry = this.#queue[this.#head];
    if (!(entry instanceof EventRun)) return this.#takeWhole() as ObservedEvent | undefined;
    const event = entry.event(this.#taken);
    if (this.#taken + 1 === entry.count) this.#takeWhole();
    else {
      this.#taken += 1;
      this.#waiting -= 1;
      if (this.#uncounted > 0) this.#uncounted -= 1;
    }
    return event;
  }

  #takeWhole(): Entry | undefined {
    const entry = this.#queue[this.#head];
    if (entry === undefined) return undefined;
    const rest = this.#taken === 0 || !isRun(entry) ? entry : entry.between(entry.firstSeq + this.#taken - 1);
    const count = countOf(entry) - this.#taken;
    this.#taken = 0;
    this.#queue[this.#head] = undefined;
    this.#head += 1;
    this.#waiting -= count;
    if (this.#uncounted > 0) this.#uncounted -= count;
    else if (isLogged(entry)) this.#bytes -= bytesOf(entry);
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head >= 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return rest;
  }

  /**
   * Drops everything but the notices: a reader this far behind needs a fresh start more than the oldest half. What it was
   * told about the log stays true, and who waits for the end of the replay must not wait for ever.
   */
  #drop(nextSeq: number): void {
    const waiting = this.#queue.slice(this.#head).filter((entry) => entry !== undefined);
    const lagged = waiting.find((entry): entry is Lagged => !isRun(entry) && entry.type === 'subscriber.lagged');
    const first = waiting.find(isLogged);
    const isBegun = first !== undefined && first === this.#queue[this.#head];
    const firstSeq = first && firstSeqOf(first) + (isBegun ? this.#taken : 0);
    const from = lagged?.from ?? firstSeq ?? nextSeq;
    const to = nextSeq - 1;
    const notice: SubscriberEvent = { type: 'subscriber.lagged', from, to, missed: to - from + 1 };
    const truncated = waiting.filter((entry) => !isRun(entry) && entry.type === 'log.truncated');
    const replayed = waiting.filter((entry) => !isRun(entry) && entry.type === 'replay.completed');
    this.#queue = [...truncated, notice, ...replayed];
    this.#head = 0;
    this.#taken = 0;
    this.#waiting = this.#queue.length;
    this.#uncounted = this.#queue.length;
    this.#bytes = 0;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#head = 0;
    this.#taken = 0;
    this.#waiting = 0;
    this.#uncounted = 0;
    this.#onClosed();
    for (const { resolve } of this.#pulls.splice(0)) resolve(DONE);
  }
}

type Lagged = Extract<SubscriberEvent, { readonly type: 'subscriber.lagged' }>;

function isLogged(entry: Entry): entry is SessionEvent | EventRun {
  return isRun(entry) || 'epoch' in entry;
}
