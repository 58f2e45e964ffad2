import type { TroupeError } from '../errors.ts';
import type { LineRun } from '../wire/line-run.ts';
import { ByteBlocks } from './byte-blocks.ts';
import { EventRun, isRun, type LogEntry } from './event-run.ts';
import { EventShelf } from './event-shelf.ts';
import { type Hear, type HearRun, Listeners } from './listeners.ts';
import type { ObservedEvent, SessionEvent, SessionFact, SubscriberEvent } from './session-event.ts';
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
  /** The same for messages that were logged as one thing. Default: each by itself. */
  takeRun?(run: EventRun): void;
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

/** A reader for whom no more waits takes it before long. */
const NEAR_BYTES = 256 * 1024;

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
  readonly #shelf = new EventShelf();
  #lastSeq: number;
  #publishedSeq: number;
  #epoch = 0;
  readonly #sealers: (() => void)[] = [];
  #isFinished = false;
  #isSealed = false;
  #lostBecause: TroupeError | undefined;

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

  /** Nothing keeps it beyond this process. */
  get isVolatile(): boolean {
    return this.#journal === undefined;
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
    if (fact.type === 'message') fact.message.moveLine(this.#blocks.settleLine);
    this.#lastSeq += 1;
    // What a process that is gone left to tell is told under the number of its successor: epochs never fall.
    this.#epoch = Math.max(this.#epoch, epoch);
    const event = numbered(this.#redact(fact), this.#lastSeq, this.#epoch, this.#now());
    this.#shelf.push(event);
    this.#insiders.add(event);
    if (this.#journal === undefined) this.#releaseNewest(event);
    else if (!this.#isDiscarding) this.#journal.take(event);
    this.#insiders.tellAll();
    this.#listeners.tellAll();
    return event;
  }

  /** The same for messages that were read as one thing, and are kept as one. They come without secrets. */
  appendRun(epoch: number, lines: LineRun): void {
    if (this.#isSealed) return;
    this.#epoch = Math.max(this.#epoch, epoch);
    const own = lines.movedTo(this.#blocks.settle(lines.bytes));
    const run = new EventRun(this.#lastSeq + 1, this.#epoch, this.#now(), own);
    this.#lastSeq = run.lastSeq;
    this.#shelf.push(run);
    this.#insiders.add(run);
    const journal = this.#journal;
    if (journal === undefined) this.#releaseNewest(run);
    else if (!this.#isDiscarding) {
      if (journal.takeRun !== undefined) journal.takeRun(run);
      else for (const event of run.events()) journal.take(event);
    }
    this.#insiders.tellAll();
    this.#listeners.tellAll();
  }

  /**
   * Calls the listener with every event that is published from now on, synchronously and in order; with `hearRun`, that gets
   * messages that were logged as one thing. Returns the way to stop it.
   */
  listen(hear: Hear, hearRun?: HearRun): () => void {
    return this.#listeners.join(hear, hearRun, this.#publishedSeq);
  }

  /** As `listen`, for what decides inside this process: it hears each event at once, also before it is published. */
  listenInside(hear: Hear, hearRun?: HearRun): () => void {
    return this.#insiders.join(hear, hearRun, this.#lastSeq);
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

  /** The same, with the messages together that were logged as one thing. */
  followEntries(options: { from: number }): AsyncIterableIterator<LogEntry | SubscriberEvent> {
    const subscription = this.read(options);
    const entries = subscription.entries();
    return this.#history === undefined ? entries : new WholeLog(entries, this.#history);
  }

  /** For the journal: readers and listeners may have the events up to here. */
  publish(upTo: number): void {
    if (this.#isDiscarding) return;
    this.#release(upTo);
    this.#listeners.tellAll();
    if (this.#isFinished && this.#isPublished) this.#end();
  }

  /** For the journal: what is not published by now never will be, and nothing that comes. */
  discard(because: TroupeError): void {
    this.#lostBecause ??= because;
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
    const oldest = this.#shelf.firstSeq ?? this.#lastSeq + 1;
    const first = Math.min(oldest, this.#publishedSeq + 1);
    const isHole = after < first - 1;
    const stored: ObservedEvent[] = [];
    if (isHole && this.#history !== undefined) {
      for await (const event of this.#history(after)) if (stored.push(event) === most) break;
    }
    if (stored.length > 0) return stored;
    const from = Math.max(after, first - 1);
    const kept = this.#shelf
      .between(from, Math.min(this.#publishedSeq, from + most))
      .flatMap((entry) => (isRun(entry) ? [...entry.events()] : [entry]));
    return isHole ? [{ type: 'log.truncated', from: after, firstSeq: first }, ...kept] : kept;
  }

  /** Why what is appended is kept no more, and told to nobody. */
  get lostBecause(): TroupeError | undefined {
    return this.#lostBecause;
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

  get #isDiscarding(): boolean {
    return this.#lostBecause !== undefined;
  }

  get #isPublished(): boolean {
    return this.#publishedSeq === this.#lastSeq;
  }

  #release(upTo: number): void {
    for (const entry of this.#shelf.between(this.#publishedSeq, upTo)) this.#hand(entry);
    if (this.#areReadersNear) this.#shelf.settle(this.#publishedSeq, upTo);
    this.#released(upTo);
  }

  /** Nothing waits where there is no journal: it need not be looked for. */
  #releaseNewest(entry: LogEntry): void {
    this.#hand(entry);
    if (isRun(entry) && this.#areReadersNear) this.#shelf.settle(this.#publishedSeq, this.#lastSeq);
    this.#released(this.#lastSeq);
  }

  /** Never later than this: who begins to read meanwhile gets the event by replay, and must not get it again. */
  #hand(entry: LogEntry): void {
    for (const subscription of this.#subscriptions) subscription.offer(entry);
    this.#listeners.add(entry);
  }

  /** What a reader has not taken yet and the log shares memory, unless that is little: else both would have it (P9). */
  get #areReadersNear(): boolean {
    for (const { waitingBytes } of this.#subscriptions) if (waitingBytes > NEAR_BYTES) return false;
    return true;
  }

  #released(upTo: number): void {
    this.#publishedSeq = Math.max(this.#publishedSeq, upTo);
    this.#shelf.evict(this.#limits, this.#publishedSeq);
    while (this.#awaiting[0] !== undefined && this.#awaiting[0].seq <= this.#publishedSeq) {
      this.#awaiting.shift()?.published();
    }
  }

  #end(): void {
    for (const subscription of this.#subscriptions) subscription.finish();
    // Where the store has not got all of it, its journal tells later that it has.
    if (this.unkept === undefined) this.#listeners.end();
    this.#insiders.end();
  }

  #replayAfter(from: number): (LogEntry | SubscriberEvent)[] {
    const firstSeq = Math.min(this.#shelf.firstSeq ?? this.#lastSeq + 1, this.#publishedSeq + 1);
    const replay: (LogEntry | SubscriberEvent)[] = [];
    if (from < firstSeq - 1) replay.push({ type: 'log.truncated', from, firstSeq });
    replay.push(...this.#shelf.between(from, this.#publishedSeq));
    replay.push({ type: 'replay.completed', seq: this.#publishedSeq });
    return replay;
  }
}

/**
 * Conversation lines are nearly all there is, so they get their shape at once instead of by copying. Others are assigned: an
 * object that is spread from many shapes gets one of its own, which takes more memory than the event.
 */
function numbered(fact: SessionFact, seq: number, epoch: number, at: number): SessionEvent {
  return fact.type === 'message'
    ? { type: 'message', message: fact.message, seq, epoch, at }
    : Object.assign({ type: fact.type }, fact, { seq, epoch, at });
}
