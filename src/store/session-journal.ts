import { TroupeError } from '../errors.ts';
import type { LogJournal } from './event-log.ts';
import { type EventRun, isRun, type LogEntry } from './event-run.ts';
import { newestRecords, type RecordChange } from './newest-records.ts';
import type { SessionEvent, SessionFact } from './session-event.ts';
import { sizeOf } from './session-event.ts';
import type { Store } from './store.ts';
import { EVENT_OVERHEAD_BYTES, inRows } from './stored-row.ts';
import { isLine, storedEventOf, storedRunOf } from './stored-session-event.ts';

/** What a journal does with the log whose events it keeps. */
export interface JournaledLog {
  /** Another host goes on with it: nothing can be said in it any more. */
  readonly isSealed: boolean;
  append(epoch: number, fact: SessionFact): unknown;
  publish(upTo: number): void;
  discard(because: TroupeError): void;
}

export interface SessionJournalOptions {
  readonly sessionId: string;
  readonly store: Store;
  /** What may wait to be written. */
  readonly limits: { readonly maxItems: number; readonly maxBytes: number };
  /** Asked while the event is logged: what is so at this moment. */
  readonly recordsOf: (event: SessionEvent) => RecordChange | undefined;
  /** The session must end, with this reason: what it does can no longer be kept. */
  readonly onUnkept: (error: TroupeError) => void;
  /** So much waits that no more should be read, or no longer. Not while the store fails: then the bounds end the session. */
  readonly pressed: (isPressed: boolean) => void;
  /** A change was kept, after a failure too. */
  readonly kept: () => void;
  /** The store fails; `retry` is expected. */
  readonly failed: (error: TroupeError) => void;
  /** Calls back when a change takes too long. Returns the way to call that off. */
  readonly deadline: (late: () => void) => () => void;
  /** Nothing can be written any more, by no session of this process. */
  readonly lost: (error: TroupeError) => void;
}

interface Pending extends Partial<RecordChange> {
  readonly entry: LogEntry;
}

/** Logged, and not yet with its records among what is to be written. */
interface Arrival {
  readonly entry: LogEntry;
  readonly recordsOf: () => RecordChange | undefined;
}

interface Wait {
  readonly seq: number;
  readonly kept: () => void;
  readonly failed: (error: TroupeError) => void;
}

/** One change holds no more than this, so that those of other sessions come between. A run counts as one. */
const MAX_CHANGE_EVENTS = 1_000;
const MAX_CHANGE_BYTES = 2 ** 20;

/** The store itself fails: it is tried again. */
const FAILING: ReadonlySet<string> = new Set(['STORE_FULL', 'STORE_READ_ONLY', 'STORE_UNREACHABLE', 'STORE_DAMAGED']);
const LOST: ReadonlySet<string> = new Set(['STORE_TAKEN_OVER', 'STORE_CLOSED']);

/**
 * Writes the events of one session to the store, with the records that change because of them, in order and without a hole:
 * one change at a time, and what happens meanwhile is the next. A change that was refused is tried again under the same
 * numbers; until then the log is published all the same, and says so.
 */
export class SessionJournal implements LogJournal {
  readonly #options: SessionJournalOptions;
  #log: JournaledLog | undefined;
  /** Taken and not durable; the first of them may be on their way. */
  #pending: Pending[] = [];
  readonly #arrivals: Arrival[] = [];
  #isTaking = false;
  #events = 0;
  #bytes = 0;
  #lastSeq = 0;
  #durableSeq = 0;
  #state: 'resting' | 'due' | 'writing' | 'late' | 'failing' | 'lost' = 'resting';
  #error: TroupeError | undefined;
  /** The store fails, or has not yet got everything from the time when it did. */
  #isVolatile = false;
  #isOverfull = false;
  /** Another session has the conversation: this one ends, and claims it no more. */
  #isRival = false;
  readonly #waits: Wait[] = [];
  #stopWaiting: () => void = () => {};
  readonly #idlers: (() => void)[] = [];

  constructor(options: SessionJournalOptions) {
    this.#options = options;
  }

  /** Everything is durable, or never will be. */
  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  get unkept(): LogJournal['unkept'] {
    const oldest = this.#pending[0];
    if (oldest === undefined) return undefined;
    const refusal = this.#error && { code: this.#error.code, message: this.#error.message };
    return { since: oldest.entry.at, events: this.#events, refusal };
  }

  /** Nothing is written any more, and what was not durable is none of the log. */
  get isLost(): boolean {
    return this.#state === 'lost';
  }

  /** Whether readers see what is not durable. */
  get isVolatile(): boolean {
    return this.#isVolatile;
  }

  /** The last event that is durable; `lastSeq` of the log that goes on, before the first. */
  attach(log: JournaledLog, lastSeq: number): void {
    this.#log = log;
    this.#lastSeq = lastSeq;
    this.#durableSeq = lastSeq;
  }

  take(event: SessionEvent): void {
    this.#take(event, () => this.#options.recordsOf(event));
  }

  /** Its lines change no record. */
  takeRun(run: EventRun): void {
    this.#take(run, () => undefined);
  }

  whenKept(kept: () => void, failed: (error: TroupeError) => void): void {
    if (this.#durableSeq === this.#lastSeq) kept();
    else if (this.#error !== undefined) failed(this.#error);
    else this.#waits.push({ seq: this.#lastSeq, kept, failed });
  }

  /** Calls back when everything is durable, or never will be. */
  whenIdle(act: () => void): void {
    if (this.isIdle) act();
    else this.#idlers.push(act);
  }

  /** Writes again what was refused. */
  retry(): void {
    if (this.#state !== 'failing') return;
    this.#state = 'due';
    this.#write();
  }

  /** Nothing more is written: what is not durable is none of the log. */
  lose(error: TroupeError): void {
    if (this.#state === 'lost') return;
    this.#stopWaiting();
    this.#state = 'lost';
    this.#error = error;
    this.#pending = [];
    this.#events = 0;
    this.#bytes = 0;
    this.#press();
    for (const { failed } of this.#waits.splice(0)) failed(error);
    this.#log?.discard(error);
    this.#rest();
  }

  /**
   * Whoever is asked for the records may log something: the look at a clock finds that the host stood still. That has the
   * next number, and its turn comes behind the event whose records are asked for.
   */
  #take(entry: LogEntry, recordsOf: Arrival['recordsOf']): void {
    if (this.#state === 'lost') return;
    this.#lastSeq = lastOf(entry);
    this.#arrivals.push({ entry, recordsOf });
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      for (let next = this.#arrivals.shift(); next !== undefined; next = this.#arrivals.shift()) this.#add(next);
    } finally {
      this.#isTaking = false;
    }
  }

  #add({ entry, recordsOf }: Arrival): void {
    const change = recordsOf();
    // By what its records had logged, or by one that was told of the event before it.
    if (this.#state === 'lost') return;
    this.#pending.push({ entry, ...change });
    this.#events += numberOf(entry);
    this.#bytes += weightOf(entry);
    if (this.#isVolatile) this.#log?.publish(lastOf(entry));
    if (this.#state === 'resting') {
      this.#state = 'due';
      // Not yet: what this tick still adds belongs to the same change.
      queueMicrotask(() => this.#write());
    }
    this.#press();
    this.#checkBounds();
  }

  #write(): void {
    if (this.#state !== 'due') return;
    this.#state = 'writing';
    const batch = this.#nextBatch();
    const callOff = this.#options.deadline(() => this.#late());
    this.#stopWaiting = callOff;
    void this.#append(batch).then(
      () => {
        callOff();
        this.#kept(batch);
      },
      (error: unknown) => {
        callOff();
        this.#refused(error);
      },
    );
  }

  async #append(batch: readonly Pending[]): Promise<void> {
    const { sessionId, store } = this.#options;
    const rows = batch.map(({ entry }) => (isRun(entry) ? storedRunOf(entry) : storedEventOf(entry)));
    const epoch = batch[0]?.entry.epoch ?? 0;
    const records = newestRecords(batch, { claimsConversation: !this.#isRival });
    await store.append({ sessionId, epoch, events: inRows(rows, isLine), ...records });
  }

  /** It is not tried again while it may still be kept: under the same numbers it would be refused then. */
  #late(): void {
    if (this.#state !== 'writing') return;
    this.#fail(new TroupeError('STORE_UNREACHABLE', { reason: 'It does not answer.' }), 'late');
  }

  /** A change is on its way. */
  get #isWriting(): boolean {
    return this.#state === 'writing' || this.#state === 'late';
  }

  #kept(batch: readonly Pending[]): void {
    if (!this.#isWriting) return;
    this.#state = 'resting';
    this.#error = undefined;
    this.#pending.splice(0, batch.length);
    for (const { entry } of batch) {
      this.#events -= numberOf(entry);
      this.#bytes -= weightOf(entry);
    }
    const last = batch.at(-1);
    this.#durableSeq = last === undefined ? this.#durableSeq : lastOf(last.entry);
    this.#press();
    this.#options.kept();
    while (this.#waits[0] !== undefined && this.#waits[0].seq <= this.#durableSeq) this.#waits.shift()?.kept();
    if (this.#isVolatile && this.isIdle) {
      this.#isVolatile = false;
      this.#log?.append(0, { type: 'log.durable' });
    } else if (!this.#isVolatile) this.#log?.publish(this.#durableSeq);
    if (this.isIdle) this.#rest();
    else if (this.#state === 'resting') {
      this.#state = 'due';
      this.#write();
    }
  }

  #refused(error: unknown): void {
    if (!this.#isWriting) return;
    const refusal = TroupeError.is(error) ? error : new TroupeError('STORE_UNREACHABLE', { cause: error });
    const { code } = refusal;
    if (LOST.has(code)) this.#options.lost(refusal);
    else if (TroupeError.is(error) && FAILING.has(code)) this.#fail(refusal);
    else if (code === 'STORE_OVERLOADED') this.#awaitRoom();
    else if (code === 'CONVERSATION_IN_USE' && !this.#isRival) {
      this.#isRival = true;
      this.#state = 'due';
      this.#options.onUnkept(refusal);
      this.#write();
    } else {
      this.lose(refusal);
      this.#options.onUnkept(refusal);
    }
  }

  #fail(error: TroupeError, state: 'failing' | 'late' = 'failing'): void {
    this.#state = state;
    this.#error = error;
    this.#press();
    // First, so that nothing runs of what its owner is told was not accepted.
    for (const { failed } of this.#waits.splice(0)) failed(error);
    // Nobody could be told any more that a crash would lose it: what the store has not got is told to nobody (P7).
    if (this.#log?.isSealed === true && !this.#isVolatile) this.#log.discard(error);
    else this.#publishUnkept(error);
    this.#options.failed(error);
  }

  #publishUnkept({ code, message }: TroupeError): void {
    if (!this.#isVolatile) {
      this.#isVolatile = true;
      this.#log?.append(0, { type: 'log.volatile', after: this.#durableSeq, code, message });
    }
    this.#log?.publish(this.#lastSeq);
  }

  #awaitRoom(): void {
    this.#stopWaiting = this.#options.deadline(() => this.#late());
    this.#options.store.room().then(
      () => {
        if (!this.#isWriting) return;
        this.#stopWaiting();
        this.#state = 'due';
        this.#write();
      },
      (error: unknown) => this.#refused(error),
    );
  }

  #rest(): void {
    for (const act of this.#idlers.splice(0)) act();
  }

  /** Half of what may wait is left for what was read already, and for what comes from elsewhere. */
  #press(): void {
    const { limits, pressed } = this.#options;
    const isOver = this.#events * 2 > limits.maxItems || this.#bytes * 2 > limits.maxBytes;
    pressed(isOver && this.#isWritten);
  }

  /** As far as is known, the store takes what it is given. */
  get #isWritten(): boolean {
    return this.#state !== 'failing' && this.#state !== 'late' && this.#state !== 'lost';
  }

  #checkBounds(): void {
    const { limits, onUnkept } = this.#options;
    const { maxItems, maxBytes } = limits;
    // What one change takes is never too much for a store that works: it was read at once, before anybody could wait.
    const [leastItems, leastBytes] = this.#isWritten ? [MAX_CHANGE_EVENTS, MAX_CHANGE_BYTES] : [0, 0];
    const isOver = this.#events > Math.max(maxItems, leastItems) || this.#bytes > Math.max(maxBytes, leastBytes);
    if (this.#isOverfull || !isOver) return;
    this.#isOverfull = true;
    const details = { waitingEvents: this.#events, waitingBytes: this.#bytes, ...limits };
    onUnkept(this.#error ?? new TroupeError('STORE_OVERLOADED', { details }));
  }

  #nextBatch(): Pending[] {
    const epoch = this.#pending[0]?.entry.epoch;
    let [count, bytes] = [0, 0];
    for (const { entry } of this.#pending) {
      bytes += weightOf(entry);
      if (entry.epoch !== epoch || count >= MAX_CHANGE_EVENTS || (count > 0 && bytes > MAX_CHANGE_BYTES)) break;
      count += 1;
    }
    return this.#pending.slice(0, count);
  }
}

function numberOf(entry: LogEntry): number {
  return isRun(entry) ? entry.count : 1;
}

function lastOf(entry: LogEntry): number {
  return isRun(entry) ? entry.lastSeq : entry.seq;
}

function weightOf(entry: LogEntry): number {
  return (isRun(entry) ? entry.bytes : sizeOf(entry)) + EVENT_OVERHEAD_BYTES;
}
