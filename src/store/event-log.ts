import type { ObservedEvent, SessionEvent, SessionFact } from './session-event.ts';
import { sizeOf } from './session-event.ts';
import { Subscription, type SubscriptionLimits } from './subscription.ts';

export interface EventLogLimits {
  /** Events and bytes kept for late readers; the oldest go first. */
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly subscriber: SubscriptionLimits;
}

/** The log of one session, in memory: append-only, dense `seq` from 1, bounded, with any number of live readers. */
export class EventLog {
  readonly #limits: EventLogLimits;
  readonly #now: () => number;
  readonly #subscriptions = new Set<Subscription>();
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  /** Evicted slots are emptied at once, so that what is dropped is really freed. */
  #events: (SessionEvent | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #lastSeq = 0;
  #isFinished = false;

  constructor(limits: EventLogLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get subscribers(): number {
    return this.#subscriptions.size;
  }

  append(epoch: number, fact: SessionFact): SessionEvent {
    this.#lastSeq += 1;
    const event: SessionEvent = { ...fact, seq: this.#lastSeq, epoch, at: this.#now() };
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    this.#evict();
    for (const subscription of this.#subscriptions) subscription.offer(event);
    for (const listener of this.#listeners) listener(event);
    return event;
  }

  /** Calls the listener with every event from now on, synchronously. Returns the way to stop it. */
  listen(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Everything after `from` that is still kept, then `replay.completed`, then live events until the log is finished.
   * A cursor older than the log gets `log.truncated` first. Subscribes before it reads: no event falls between.
   */
  read(options: { from: number }): Subscription {
    const subscription: Subscription = new Subscription(this.#limits.subscriber, () => {
      this.#subscriptions.delete(subscription);
    });
    this.#subscriptions.add(subscription);
    subscription.preload(this.#replayAfter(options.from));
    if (this.#isFinished) subscription.finish();
    return subscription;
  }

  /** No more events will be appended: readers end after what they have. */
  finish(): void {
    this.#isFinished = true;
    for (const subscription of this.#subscriptions) subscription.finish();
    this.#listeners.clear();
  }

  #replayAfter(from: number): ObservedEvent[] {
    const kept = this.#events.slice(this.#head).filter((event) => event !== undefined);
    const firstSeq = kept[0]?.seq ?? this.#lastSeq + 1;
    const replay: ObservedEvent[] = from < firstSeq - 1 ? [{ type: 'log.truncated', from, firstSeq }] : [];
    replay.push(...kept.slice(Math.max(0, from - firstSeq + 1)));
    replay.push({ type: 'replay.completed', seq: this.#lastSeq });
    return replay;
  }

  #evict(): void {
    const { maxItems, maxBytes } = this.#limits;
    while (this.#events.length - this.#head > 1) {
      if (this.#events.length - this.#head <= maxItems && this.#bytes <= maxBytes) break;
      const oldest = this.#events[this.#head];
      if (oldest === undefined) break;
      this.#bytes -= sizeOf(oldest);
      this.#events[this.#head] = undefined;
      this.#head += 1;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}
