import { ByteBlocks } from './byte-blocks.ts';
import type { ObservedEvent, SessionEvent, SessionFact } from './session-event.ts';
import { sizeOf } from './session-event.ts';
import { Subscription, type SubscriptionLimits } from './subscription.ts';
import { type LogHistory, WholeLog } from './whole-log.ts';

export interface EventLogLimits {
  /** Events and bytes kept for late readers; the oldest go first. */
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly subscriber: SubscriptionLimits;
}

export interface EventLogOptions {
  /** Hears what a listener threw; the other listeners hear the event all the same. Default: nobody. Must not throw. */
  readonly onListenerError?: (error: unknown, event: SessionEvent) => void;
  /** Takes out of a fact what must not be kept; conversation lines come without it. Default: nothing. */
  readonly redact?: (fact: SessionFact) => SessionFact;
  /** Where events are read that memory holds no more. Default: nowhere. */
  readonly history?: LogHistory;
}

interface Listener {
  /** It hears the events after this one. */
  readonly after: number;
  readonly hear: (event: SessionEvent) => void;
}

/** The log of one session, in memory: append-only, dense `seq` from 1, bounded, with any number of live readers. */
export class EventLog {
  readonly #limits: EventLogLimits;
  readonly #now: () => number;
  readonly #subscriptions = new Set<Subscription>();
  readonly #listeners = new Set<Listener>();
  readonly #onListenerError: EventLogOptions['onListenerError'];
  readonly #history: LogHistory | undefined;
  readonly #redact: (fact: SessionFact) => SessionFact;
  readonly #blocks = new ByteBlocks();
  /** Appended, and not yet told to every listener. */
  readonly #untold: SessionEvent[] = [];
  #isTelling = false;
  /** Evicted slots are emptied at once, so that what is dropped is really freed. */
  #events: (SessionEvent | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #lastSeq = 0;
  #isFinished = false;

  constructor(limits: EventLogLimits, now: () => number, options: EventLogOptions = {}) {
    this.#limits = limits;
    this.#now = now;
    this.#onListenerError = options.onListenerError;
    this.#history = options.history;
    this.#redact = options.redact ?? ((fact) => fact);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The time that the next event will bear. */
  now(): number {
    return this.#now();
  }

  get subscribers(): number {
    return this.#subscriptions.size;
  }

  /**
   * Numbers the fact, keeps it, and tells everybody. Appending from inside a listener is fine: that event is told after
   * every listener has heard the one before. Bytes of a message move out of the chunk they were read with.
   */
  append(epoch: number, fact: SessionFact): SessionEvent {
    if (fact.type === 'message') fact.message.moveBytes(this.#blocks.settle);
    this.#lastSeq += 1;
    const event = numbered(this.#redact(fact), this.#lastSeq, epoch, this.#now());
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    this.#evict();
    // Never later than this: who begins to read meanwhile gets the event by replay, and must not get it again.
    for (const subscription of this.#subscriptions) subscription.offer(event);
    this.#untold.push(event);
    if (!this.#isTelling) this.#tellAll();
    return event;
  }

  /** Calls the listener with every event from now on, synchronously and in order. Returns the way to stop it. */
  listen(hear: (event: SessionEvent) => void): () => void {
    const listener: Listener = { after: this.#lastSeq, hear };
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

  /** The same over everything that is kept anywhere: what memory has dropped is read from the store. */
  follow(options: { from: number }): AsyncIterableIterator<ObservedEvent> {
    const subscription = this.read(options);
    return this.#history === undefined ? subscription : new WholeLog(subscription, this.#history);
  }

  /** No more events will be appended: readers end after what they have. */
  finish(): void {
    this.#isFinished = true;
    for (const subscription of this.#subscriptions) subscription.finish();
    if (!this.#isTelling) this.#listeners.clear();
  }

  #tellAll(): void {
    this.#isTelling = true;
    // The loop also reaches what a listener appends meanwhile.
    for (const event of this.#untold) for (const listener of this.#listeners) this.#tell(listener, event);
    this.#untold.length = 0;
    this.#isTelling = false;
    if (this.#isFinished) this.#listeners.clear();
  }

  #tell({ after, hear }: Listener, event: SessionEvent): void {
    if (event.seq <= after) return;
    try {
      hear(event);
    } catch (error) {
      this.#onListenerError?.(error, event);
    }
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

/** Conversation lines are nearly all there is, so they get their shape at once instead of by copying. */
function numbered(fact: SessionFact, seq: number, epoch: number, at: number): SessionEvent {
  return fact.type === 'message'
    ? { type: 'message', message: fact.message, seq, epoch, at }
    : { ...fact, seq, epoch, at };
}
