import type { TroupeError } from '../errors.ts';
import { ByteBlocks } from './byte-blocks.ts';
import { Listeners } from './listeners.ts';
import type { ObservedEvent, SessionEvent, SessionFact } from './session-event.ts';
import { sizeOf } from './session-event.ts';
import type { StoreWait } from './store-wait.ts';
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
  readonly history?: LogHistory | undefined;
  /** Keeps the events for good: readers and listeners get each only when it says so. Default: they get it at once. */
  readonly journal?: LogJournal | undefined;
  /** The last event of this session that was logged before, by an earlier log of it. Default 0. */
  readonly lastSeq?: number;
  /** … and its epoch: those that follow are never smaller. Default 0. */
  readonly epoch?: number;
}

/** Where a log keeps its events beyond this process. It calls `publish` of the log, in order. */
export interface LogJournal {
  take(event: SessionEvent): void;
  /**
   * Calls `kept` when everything that was taken so far is durable, or `failed` as soon as it is known that it is not, for now
   * or for ever.
   */
  whenKept(kept: () => void, failed: (error: TroupeError) => void): void;
  /** What was taken and is not durable; undefined where there is none. */
  readonly unkept: Omit<StoreWait, 'heldLines'> | undefined;
}

interface Awaiting {
  readonly seq: number;
  readonly published: () => void;
  readonly discarded: () => void;
}

/**
 * The log of one session, in memory: append-only, dense `seq`, bounded, with any number of live readers. With a journal,
 * what is appended is numbered at once and published later: nobody outside sees what could still be lost.
 */
export class EventLog {
  readonly #limits: EventLogLimits;
  readonly #now: () => number;
  readonly #journal: LogJournal | undefined;
  readonly #subscriptions = new Set<Subscription>();
  readonly #listeners: Listeners;
  readonly #insiders: Listeners;
  readonly #history: LogHistory | undefined;
  readonly #redact: (fact: SessionFact) => SessionFact;
  readonly #blocks = new ByteBlocks();
  readonly #awaiting: Awaiting[] = [];
  /** Evicted slots are emptied at once, so that what is dropped is really freed. */
  #events: (SessionEvent | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #lastSeq: number;
  #publishedSeq: number;
  #epoch = 0;
  readonly #sealers: (() => void)[] = [];
  #isFinished = false;
  #isSealed = false;
  #isDiscarding = false;

  constructor(limits: EventLogLimits, now: () => number, options: EventLogOptions = {}) {
    this.#limits = limits;
    this.#now = now;
    this.#history = options.history;
    this.#redact = options.redact ?? ((fact) => fact);
    this.#journal = options.journal;
    this.#lastSeq = options.lastSeq ?? 0;
    this.#epoch = options.epoch ?? 0;
    this.#publishedSeq = this.#lastSeq;
    this.#listeners = new Listeners(options.onListenerError);
    this.#insiders = new Listeners(options.onListenerError);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Of the newest event. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The last event that readers and listeners have got, or could have. */
  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  /** What is not durable yet; undefined where everything is, or nothing is to be. */
  get unkept(): LogJournal['unkept'] {
    return this.#journal?.unkept;
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
   * every listener has heard the one before. Bytes of a message move out of the chunk they were read with. What happens here
   * after a handover is none of the log: it is told to nobody, and changes nothing that is kept.
   */
  append(epoch: number, fact: SessionFact): SessionEvent {
    if (this.#isSealed) return numbered(fact, this.#lastSeq, this.#epoch, this.#now());
    if (fact.type === 'message') fact.message.moveBytes(this.#blocks.settle);
    this.#lastSeq += 1;
    // What a process that is gone left to tell is told under the number of its successor: epochs never fall.
    this.#epoch = Math.max(this.#epoch, epoch);
    const event = numbered(this.#redact(fact), this.#lastSeq, this.#epoch, this.#now());
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    this.#insiders.add(event);
    if (this.#journal === undefined) this.#release(this.#lastSeq);
    else if (!this.#isDiscarding) this.#journal.take(event);
    this.#insiders.tellAll();
    this.#listeners.tellAll();
    return event;
  }

  /** Calls the listener with every event that is published from now on, synchronously and in order. Returns the way to stop it. */
  listen(hear: (event: SessionEvent) => void): () => void {
    return this.#listeners.join(hear, this.#publishedSeq);
  }

  /** As `listen`, for what decides inside this process: it hears each event at once, also before it is published. */
  listenInside(hear: (event: SessionEvent) => void): () => void {
    return this.#insiders.join(hear, this.#lastSeq);
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
    if (this.#isFinished && this.#isPublished) subscription.finish();
    return subscription;
  }

  /** The same over everything that is kept anywhere: what memory has dropped is read from the store. */
  follow(options: { from: number }): AsyncIterableIterator<ObservedEvent> {
    const subscription = this.read(options);
    return this.#history === undefined ? subscription : new WholeLog(subscription, this.#history);
  }

  /** For the journal: readers and listeners may have the events up to here. */
  publish(upTo: number): void {
    this.#release(upTo);
    this.#listeners.tellAll();
    if (this.#isFinished && this.#isPublished) this.#end();
  }

  /** For the journal: what is not published by now never will be, and nothing that comes. */
  discard(): void {
    this.#isDiscarding = true;
    for (const { discarded } of this.#awaiting.splice(0)) discarded();
    if (this.#isFinished) this.#end();
  }

  /** Calls `published` when everything appended so far is published, at once where it is; `discarded` when it never will be. */
  whenPublished(published: () => void, discarded: () => void = published): void {
    if (this.#publishedSeq === this.#lastSeq) published();
    else if (this.#isDiscarding) discarded();
    else this.#awaiting.push({ seq: this.#lastSeq, published, discarded });
  }

  /** As `LogJournal.whenKept`; without a journal it is kept at once, as long as this process lasts. */
  whenKept(kept: () => void, failed: (error: TroupeError) => void): void {
    if (this.#journal === undefined) kept();
    else this.#journal.whenKept(kept, failed);
  }

  /** The next events behind a cursor, at most so many, wherever they are kept; a notice first where some are gone. */
  async page(after: number, most: number): Promise<readonly ObservedEvent[]> {
    const oldest = this.#events[this.#head]?.seq ?? this.#lastSeq + 1;
    const first = Math.min(oldest, this.#publishedSeq + 1);
    const isHole = after < first - 1;
    const stored: ObservedEvent[] = [];
    if (isHole && this.#history !== undefined) {
      for await (const event of this.#history(after)) if (stored.push(event) === most) break;
    }
    if (stored.length > 0) return stored;
    const start = this.#head + Math.max(0, after - first + 1);
    const kept = this.#events
      .slice(start, start + most)
      .filter((event) => event !== undefined)
      .filter(({ seq }) => seq <= this.#publishedSeq);
    return isHole ? [{ type: 'log.truncated', from: after, firstSeq: first }, ...kept] : kept;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** No more events will be appended: readers end after what they have. */
  finish(): void {
    this.#isFinished = true;
    if (this.#isPublished || this.#isDiscarding) this.#end();
  }

  /** Another host goes on with the log. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** The fact is the last one that this host adds: readers end after it, and another host goes on behind it. */
  seal(epoch: number, fact: SessionFact): void {
    if (this.#isFinished) return;
    this.append(epoch, fact);
    this.#isSealed = true;
    for (const act of this.#sealers.splice(0)) act();
    this.finish();
  }

  /** Calls back when the log is left to another host. */
  whenSealed(act: () => void): void {
    this.#sealers.push(act);
  }

  get #isPublished(): boolean {
    return this.#publishedSeq === this.#lastSeq;
  }

  #release(upTo: number): void {
    while (this.#publishedSeq < upTo) {
      const event = this.#events[this.#events.length - (this.#lastSeq - this.#publishedSeq)];
      this.#publishedSeq += 1;
      if (event === undefined) continue;
      // Never later than this: who begins to read meanwhile gets the event by replay, and must not get it again.
      for (const subscription of this.#subscriptions) subscription.offer(event);
      this.#listeners.add(event);
    }
    this.#evict();
    while (this.#awaiting[0] !== undefined && this.#awaiting[0].seq <= this.#publishedSeq) {
      this.#awaiting.shift()?.published();
    }
  }

  #end(): void {
    for (const subscription of this.#subscriptions) subscription.finish();
    this.#listeners.end();
    this.#insiders.end();
  }

  #replayAfter(from: number): ObservedEvent[] {
    const isShown = (event: SessionEvent | undefined) => event !== undefined && event.seq <= this.#publishedSeq;
    const kept = this.#events
      .slice(this.#head)
      .filter((event) => event !== undefined)
      .filter(isShown);
    const firstSeq = kept[0]?.seq ?? this.#publishedSeq + 1;
    const replay: ObservedEvent[] = from < firstSeq - 1 ? [{ type: 'log.truncated', from, firstSeq }] : [];
    replay.push(...kept.slice(Math.max(0, from - firstSeq + 1)));
    replay.push({ type: 'replay.completed', seq: this.#publishedSeq });
    return replay;
  }

  #evict(): void {
    const { maxItems, maxBytes } = this.#limits;
    while (this.#events.length - this.#head > 1) {
      if (this.#events.length - this.#head <= maxItems && this.#bytes <= maxBytes) break;
      const oldest = this.#events[this.#head];
      if (oldest === undefined || oldest.seq > this.#publishedSeq) break;
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
