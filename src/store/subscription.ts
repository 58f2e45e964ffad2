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
  #queue: ObservedEvent[] = [];
  /** Index of the next event: taking from the front must not shift the array. */
  #head = 0;
  #bytes = 0;
  #isClosed = false;
  #isFinished = false;
  #wake: (() => void) | undefined;

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
  }

  offer(event: SessionEvent): void {
    if (this.#isClosed) return;
    const bytes = sizeOf(event);
    if (this.waiting + 1 > this.#limits.maxItems || this.#bytes + bytes > this.#limits.maxBytes) this.#drop(event);
    this.#queue.push(event);
    this.#bytes += bytes;
    this.#wake?.();
  }

  /** No more events will come; what is queued is still delivered. */
  finish(): void {
    this.#isFinished = true;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<ObservedEvent>> {
    while (true) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#isFinished || this.#isClosed) {
        this.#close();
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
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
    this.#head += 1;
    if ('seq' in event && 'epoch' in event) this.#bytes -= sizeOf(event);
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
      this.#bytes = 0;
    } else if (this.#head >= 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }

  /** Drops the whole queue: a reader this far behind needs a fresh start more than the oldest half. */
  #drop(next: SessionEvent): void {
    const first = this.#queue.slice(this.#head).find(isLogged);
    const lagged = this.#queue.slice(this.#head).find((event) => event.type === 'subscriber.lagged');
    const from = lagged?.type === 'subscriber.lagged' ? lagged.from : (first?.seq ?? next.seq);
    const to = next.seq - 1;
    const notice: SubscriberEvent = { type: 'subscriber.lagged', from, to, missed: to - from + 1 };
    this.#queue = to >= from ? [notice] : [];
    this.#head = 0;
    this.#bytes = 0;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#head = 0;
    this.#onClosed();
    this.#wake?.();
  }
}

function isLogged(event: ObservedEvent): event is SessionEvent {
  return 'epoch' in event;
}
