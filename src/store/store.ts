import type { StoreRecord } from './store-record.ts';

/**
 * What outlives this process: the log of every session, and what is so now. Small, asynchronous and free of SQL and paths, so
 * that an engine beyond one machine can stand behind it. `storeConformance` in `troupe/testing` is its definition.
 */
export interface Store extends StoreReader {
  /** What the writer of data lines is asked to do; see `Durability`. */
  readonly durability: Durability;

  /**
   * Keeps one change of one session, wholly or not at all, and resolves when it is durable: it will be there after SIGKILL and
   * after a power cut. Changes of one session are kept in the order of the calls. Records are taken as they are at the call;
   * the bytes of events must stay what they are until it resolves. Rejects, having kept nothing of it, with
   * `STORE_CONFLICT`, `CONVERSATION_IN_USE`, `STORE_OVERLOADED`, `STORE_FULL`, `STORE_READ_ONLY`, `STORE_UNREACHABLE`,
   * `STORE_DAMAGED`, `STORE_TAKEN_OVER` or `STORE_CLOSED`. After a failure the same change may be tried again.
   */
  append(change: Change): Promise<void>;

  /** Resolves as soon as less than half of what may wait is waiting: the way to slow down instead of being refused. */
  room(): Promise<void>;

  /** Forgets the oldest, as far as the policy asks. What goes of a log is marked: a late reader is told. */
  prune(policy: RetentionPolicy): Promise<Pruned>;

  /** Whether it can be written to at this moment; new work should be accepted only while `state` is `open`. */
  health(): StoreHealth;

  /** Keeps what waits, then lets go of everything. What comes later is refused with `STORE_CLOSED`. Closing twice is fine. */
  close(): Promise<void>;
}

/** What can be asked of a store, also by who may not write to it. Refused with `STORE_CLOSED` when it is closed. */
export interface StoreReader {
  /** Where the log of a session stands; undefined when there was never one. */
  head(sessionId: string): Promise<LogHead | undefined>;

  /**
   * The events behind `after` that are durable when it is called, in order and in pages, read as they are pulled; several
   * together where they were kept together. What is no longer kept is told first, by one `log.truncated`. Nothing for an
   * unknown session.
   */
  read(request: ReadRequest): AsyncIterable<StoredEvent | LogTruncated>;

  /**
   * What is so at `seq`, read in one piece: this and the events behind `seq` are the whole state. Undefined for a session
   * that has no records, or none any more.
   */
  snapshot(sessionId: string): Promise<SessionSnapshot | undefined>;

  /** The heads of all sessions that have a record, in the order of their first change. */
  sessions(): AsyncIterable<SessionEntry>;

  /** Lets go of everything. Closing twice is fine. */
  close(): Promise<void>;
}

/**
 * Whether commits wait to be shared. `batched` (default of SQLite): changes gather for a few milliseconds, so that one flush of the
 * disk serves many. `strict`: a commit begins as soon as the one before has ended, for writers that wait for each. What was
 * acknowledged is on the disk in both.
 */
export type Durability = 'strict' | 'batched';

/** What happened to one session, and what is so because of it. */
export interface Change {
  readonly sessionId: string;
  /** The incarnation; never smaller than the one of the change before. */
  readonly epoch: number;
  /** Follow the last event of the session without a gap. */
  readonly events: readonly StoredEvent[];
  /**
   * The log was begun elsewhere: here it begins with this number, and its events may be of incarnations up to the one of the
   * change. Only the first change of a session may say so.
   */
  readonly firstSeq?: number;
  /** Written over those with the same kind and id. */
  readonly records?: readonly StoreRecord[];
  /** Records that are gone with this change. */
  readonly forget?: readonly RecordName[];
}

export interface RecordName {
  readonly kind: Exclude<StoreRecord['kind'], 'session'>;
  readonly id: string;
}

/**
 * One event of a log: what a reader needs to order it, and its bytes as they were. Or several that follow each other, of one
 * incarnation, moment and type: `storedEventsOf` takes them apart.
 */
export interface StoredEvent {
  /** Of the first. */
  readonly seq: number;
  /** How many there are; then `data` is as many lines, with a line feed between each two. Default 1. */
  readonly count?: number;
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: string;
  /** Of a message the original line; of every other event its facts as JSON. */
  readonly data: Uint8Array;
}

/** The log no longer holds what the cursor asked for; `firstSeq` is the oldest event that is left, or would be. */
export interface LogTruncated {
  readonly type: 'log.truncated';
  readonly from: number;
  readonly firstSeq: number;
}

export interface LogHead {
  readonly lastSeq: number;
  /** The oldest event that is kept; `lastSeq + 1` when none is. */
  readonly firstSeq: number;
  readonly epoch: number;
}

export interface ReadRequest {
  readonly sessionId: string;
  /** The last event that the reader has; 0 for none. */
  readonly after: number;
}

export interface SessionSnapshot extends LogHead {
  /** In the order in which each was first written. */
  readonly records: readonly StoreRecord[];
}

export interface SessionEntry extends LogHead {
  readonly sessionId: string;
  readonly record: StoreRecord & { readonly kind: 'session' };
}

/** How much to keep; what is not given has no bound. Events that are kept together count as if each stood alone. */
export interface RetentionPolicy {
  /** Events of one session. */
  readonly maxEventsPerSession?: number;
  /** Bytes of all logs together; each event counts 100 more than its data. The first that came go first. */
  readonly maxBytes?: number;
  /** Events from before this moment go; milliseconds since 1970. Seen in the order in which they came. */
  readonly before?: number;
  /** Sessions that have ended; of more, the first that ended go, with log and records. */
  readonly maxEndedSessions?: number;
}

export interface Pruned {
  readonly events: number;
  readonly sessions: number;
}

export interface StoreHealth {
  /** `failing`: the last commit failed, the next may not. `lost`: this process can never write again. */
  readonly state: 'open' | 'failing' | 'lost' | 'closed';
  /** Why, for `failing` and `lost`. */
  readonly error?: Error;
}
