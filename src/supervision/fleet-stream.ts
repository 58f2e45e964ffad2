import type { EventLog } from '../store/event-log.ts';
import type { ObservedEvent } from '../store/session-event.ts';
import { FleetCursor } from './fleet-cursor.ts';
import type { FleetEvent } from './fleet-event.ts';
import { hearingRuns } from './fleet-observers.ts';

/** Told to one reader of the fleet only. */
export type FleetReaderEvent =
  /** Everything that was there when the reading began was delivered; what follows is live. */
  | { readonly type: 'replay.completed' }
  /** The log of that session no longer holds what was asked for; `firstSeq` is the oldest event that is left. */
  | { readonly type: 'log.truncated'; readonly sessionId: string; readonly from: number; readonly firstSeq: number }
  /** So many events were dropped for this reader: of one session, or such as belong to none. */
  | { readonly type: 'subscriber.lagged'; readonly sessionId?: string; readonly missed: number };

export interface FleetStreamOptions {
  readonly from: FleetCursor | undefined;
  /** The living sessions, in order of start. */
  readonly living: () => Iterable<FleetLog>;
  readonly logOf: (id: string) => EventLog | undefined;
  /** Has a listener hear every event of the fleet. Returns the way to stop it. */
  readonly listen: (hear: (event: FleetEvent) => void) => () => void;
}

export interface FleetLog {
  readonly id: string;
  readonly log: EventLog;
}

interface Followed {
  readonly log: EventLog;
  /** The last event that was delivered. */
  seq: number;
}

/** Events that are taken out of a log at once. */
const PAGE_ITEMS = 100;
/** Events of no session that wait for a slow reader. */
const MOST_OTHERS = 1_000;
/** Logs of sessions that are over and that a slow reader has not read to their end. */
const MOST_ENDED_LOGS = 100;

/**
 * The events of all sessions, first those behind the cursor, then live. Nothing of a session waits here: they stay in its
 * log, bounded there, and are taken out page by page as they are pulled. So a slow reader costs nothing, and is told what its
 * logs have dropped meanwhile.
 */
export class FleetStream implements AsyncIterableIterator<FleetEvent | FleetReaderEvent> {
  readonly #options: FleetStreamOptions;
  readonly #followed = new Map<string, Followed>();
  /** Sessions with events that were not delivered, in order. */
  readonly #behind = new Set<string>();
  readonly #others: FleetEvent[] = [];
  readonly #stop: () => void;
  readonly #replayTo = new Map<string, number>();
  #missedOthers = 0;
  #page: { readonly id: string; readonly events: ObservedEvent[] } | undefined;
  #isReplaying = true;
  #isClosed = false;
  /** Where a reading that is over has ended. */
  #lastCursor: string | undefined;
  #at = 0;
  #wake: () => void = () => {};
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FleetStreamOptions) {
    this.#options = options;
    this.#at = options.from?.at ?? 0;
    // First this: what happens while the logs are looked at must not fall between.
    this.#stop = options.listen(
      hearingRuns(
        (event) => this.#hear(event),
        (id, { firstSeq }) => this.#hearOf(id, firstSeq),
      ),
    );
    for (const { id, log } of options.living()) {
      const seq = Math.min(options.from?.seqOf(id) ?? 0, log.publishedSeq);
      this.#followed.set(id, { log, seq });
      if (seq === log.publishedSeq) continue;
      this.#replayTo.set(id, log.publishedSeq);
      this.#behind.add(id);
    }
  }

  /** Where to go on after what was delivered so far, as the `from` of another reading, also after a restart of everything. */
  get cursor(): string {
    if (this.#lastCursor !== undefined) return this.#lastCursor;
    const seqs = [...this.#followed].map(([id, { seq }]) => [id, seq] as const);
    return FleetCursor.of(seqs, this.#at).toString();
  }

  /** False when a pull would wait for something new. */
  get hasMore(): boolean {
    const isReplayed = this.#isReplaying && this.#replayTo.size === 0;
    const isPaging = this.#page !== undefined && this.#page.events.length > 0;
    return isReplayed || isPaging || this.#behind.size + this.#others.length + this.#missedOthers > 0;
  }

  /** Pulls are served one after the other. */
  next(): Promise<IteratorResult<FleetEvent | FleetReaderEvent>> {
    const turn = this.#turn.then(() => this.#next());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  return(): Promise<IteratorResult<FleetEvent | FleetReaderEvent>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Nothing is delivered any more. */
  close(): void {
    this.#lastCursor ??= this.cursor;
    this.#isClosed = true;
    this.#stop();
    this.#followed.clear();
    this.#behind.clear();
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #next(): Promise<IteratorResult<FleetEvent | FleetReaderEvent>> {
    while (!this.#isClosed) {
      const value = this.#isReplaying && this.#replayTo.size === 0 ? this.#endReplay() : await this.#take();
      if (value !== undefined) return { done: false, value };
      if (this.hasMore || this.#isClosed) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  #endReplay(): FleetReaderEvent {
    this.#isReplaying = false;
    return { type: 'replay.completed' };
  }

  async #take(): Promise<FleetEvent | FleetReaderEvent | undefined> {
    if (this.#missedOthers > 0) {
      const missed = this.#missedOthers;
      this.#missedOthers = 0;
      return { type: 'subscriber.lagged', missed };
    }
    const event = this.#page?.events.shift();
    if (this.#page !== undefined && event !== undefined) return this.#deliver(this.#page.id, event);
    this.#page = undefined;
    const other = this.#others.shift();
    if (other !== undefined) return other;
    const [id] = this.#behind;
    const followed = id === undefined ? undefined : this.#followed.get(id);
    if (id === undefined || followed === undefined) return undefined;
    const events = await followed.log.page(followed.seq, PAGE_ITEMS);
    this.#page = { id, events: [...events] };
    // The next page of this one is taken when the others had theirs.
    this.#behind.delete(id);
    return undefined;
  }

  #deliver(sessionId: string, event: ObservedEvent): FleetEvent | FleetReaderEvent | undefined {
    const followed = this.#followed.get(sessionId);
    if (followed === undefined || event.type === 'replay.completed') return undefined;
    if (event.type === 'log.truncated') {
      this.#passed(sessionId, followed, event.firstSeq - 1);
      return { ...event, sessionId };
    }
    if (event.type === 'subscriber.lagged') return { type: 'subscriber.lagged', sessionId, missed: event.missed };
    this.#at = Math.max(this.#at, event.at);
    this.#passed(sessionId, followed, event.seq);
    if (event.type === 'session.ended') this.#followed.delete(sessionId);
    // Of its account the fleet hears once, not from each of its sessions.
    return event.type === 'quota.reached' || event.type === 'quota.reset' ? undefined : { ...event, sessionId };
  }

  #passed(id: string, followed: Followed, seq: number): void {
    followed.seq = seq;
    const replayTo = this.#replayTo.get(id);
    if (replayTo !== undefined && seq >= replayTo) this.#replayTo.delete(id);
    if (seq < followed.log.publishedSeq) this.#behind.add(id);
    else this.#behind.delete(id);
  }

  #hear(event: FleetEvent): void {
    if (!('sessionId' in event) || !('seq' in event)) this.#keep(event);
    else {
      this.#hearOf(event.sessionId, event.seq);
      if (event.type === 'session.ended') this.#forgetEnded();
    }
    this.#wake();
  }

  /** What happened is read from the log of the session when its turn comes. */
  #hearOf(id: string, seq: number): void {
    const log = this.#followed.get(id)?.log ?? this.#options.logOf(id);
    if (log === undefined) return;
    if (!this.#followed.has(id)) this.#followed.set(id, { log, seq: seq - 1 });
    this.#behind.add(id);
    this.#wake();
  }

  #keep(event: FleetEvent): void {
    this.#others.push(event);
    if (this.#others.length <= MOST_OTHERS) return;
    this.#missedOthers += this.#others.length;
    this.#others.length = 0;
  }

  /** A reader that stands still keeps only so many of the logs that nobody else keeps any more. */
  #forgetEnded(): void {
    const ended = [...this.#followed].filter(([, { log }]) => log.isFinished);
    for (const [id, { log, seq }] of ended.slice(0, Math.max(0, ended.length - MOST_ENDED_LOGS))) {
      this.#followed.delete(id);
      this.#behind.delete(id);
      this.#replayTo.delete(id);
      this.#missedOthers += log.publishedSeq - seq;
    }
  }
}
