import type { ObservedEvent, SessionEvent, SubscriberEvent } from './session-event.ts';
import { sizeOf } from './session-event.ts';

export interface SubscriptionLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/**
 * One reader of a log, pulled at its own pace. What it has not taken yet waits in a bounded queue; over the bound the
 * queue is dropped and the reader is told exactly what it missed (P6, P9): a slow reader costs nobody else anything.
 */
export class Subscription implements AsyncIterableIterator<ObservedEvent> {
  readonly #limits: SubscriptionLimits;
  readonly #onClosed: () => void;
  /** Slots that were taken are emptied at once, so that what a reader has taken is really freed. */
  #queue: (ObservedEvent | undefined)[] = [];
  /** Index of the next event: taking from the front must not shift the array. */
  #head = 0;
  /** Replayed events and notices, at the front of the queue: the limits do not count them. */
  #uncounted = 0;
  #bytes = 0;
  #isClosed = false;
  #isFinished = false;
  /** Pulls that wait for an event, in order; only while the queue is empty. */
  readonly #pulls: ((result: IteratorResult<ObservedEvent>) => void)[] = [];

  constructor(limits: SubscriptionLimits, onClosed: () => void) {
    this.#limits = limits;
    this.#onClosed = onClosed;
  }

  /** Events waiting to be taken. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  /** For replay and notices: not counted against the limits, because the log already holds them. */
  preload(events: readonly ObservedEvent[]): void {
    for (const event of events) this.#queue.push(event);
    this.#uncounted += events.length;
  }

  offer(event: SessionEvent): void {
    if (this.#isClosed) return;
    const pull = this.#pulls.shift();
    if (pull !== undefined) {
      pull({ done: false, value: event });
      return;
    }
    const bytes = sizeOf(event);
    const counted = this.waiting - this.#uncounted;
    const isOver = counted + 1 > this.#limits.maxItems || this.#bytes + bytes > this.#limits.maxBytes;
    if (counted > 0 && isOver) this.#drop(event);
    this.#queue.push(event);
    this.#bytes += bytes;
  }

  /** No more events will come; what is queued is still delivered. */
  finish(): void {
    this.#isFinished = true;
    if (this.#pulls.length > 0) this.#close();
  }

  next(): Promise<IteratorResult<ObservedEvent>> {
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#isFinished) this.#close();
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#pulls.push(resolve));
  }

  return(): Promise<IteratorResult<ObservedEvent>> {
    this.#close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): ObservedEvent | undefined {
    const event = this.#queue[this.#head];
    if (event === undefined) return undefined;
    this.#queue[this.#head] = undefined;
    this.#head += 1;
    if (this.#uncounted > 0) this.#uncounted -= 1;
    else if (isLogged(event)) this.#bytes -= sizeOf(event);
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head >= 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }

  /**
   * Drops everything but the notices: a reader this far behind needs a fresh start more than the oldest half. What it was
   * told about the log stays true, and who waits for the end of the replay must not wait for ever.
   */
  #drop(next: SessionEvent): void {
    const waiting = this.#queue.slice(this.#head).filter((event) => event !== undefined);
    const lagged = waiting.find((event) => event.type === 'subscriber.lagged');
    const from = lagged?.from ?? waiting.find(isLogged)?.seq ?? next.seq;
    const to = next.seq - 1;
    const notice: SubscriberEvent = { type: 'subscriber.lagged', from, to, missed: to - from + 1 };
    const truncated = waiting.filter((event) => event.type === 'log.truncated');
    const replayed = waiting.filter((event) => event.type === 'replay.completed');
    this.#queue = [...truncated, notice, ...replayed];
    this.#head = 0;
    this.#uncounted = this.#queue.length;
    this.#bytes = 0;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#head = 0;
    this.#uncounted = 0;
    this.#onClosed();
    for (const pull of this.#pulls.splice(0)) pull({ done: true, value: undefined });
  }
}

function isLogged(event: ObservedEvent): event is SessionEvent {
  return 'epoch' in event;
}
