import { resolve } from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import type {
  Change,
  Durability,
  LogHead,
  LogTruncated,
  Pruned,
  ReadRequest,
  RetentionPolicy,
  SessionEntry,
  SessionSnapshot,
  Store,
  StoredEvent,
  StoreHealth,
} from '../store.ts';
import type { Claimant } from './claim.ts';
import { CommitQueue } from './commit-queue.ts';
import { buffersOf, type PlainChange, packChanges, plainChange } from './packing.ts';
import { SqliteReading } from './reading.ts';
import { errorOf } from './service.ts';
import { becomeWriter, ClaimListener, type StoreTakeover } from './succession.ts';
import { type SqliteThread, startThread } from './thread.ts';

export interface SqliteStoreOptions {
  /** Default `batched`. */
  readonly durability?: Durability;
  /** How long the first change of a commit waits for others, with `batched`. Milliseconds, default 10. */
  readonly commitDelayMs?: number;
  /** A commit begins at once when this much waits, and holds no more. Defaults 2 000 events, 1 MiB. */
  readonly maxCommitEvents?: number;
  readonly maxCommitBytes?: number;
  /** More than this waits for the disk: `STORE_OVERLOADED`. Defaults 50 000 events, 64 MiB. */
  readonly maxQueuedEvents?: number;
  readonly maxQueuedBytes?: number;
  /** The file grows no further: `STORE_FULL`. Default: as far as the disk goes. */
  readonly maxFileBytes?: number;
  /** Where another process writes: it is asked to let go, and waited for. Default: `STORE_HELD` at once. */
  readonly takeover?: StoreTakeover;
  /** Hears, several times a second, that another process asks for the store and waits. Default: nobody looks. */
  readonly onClaimed?: (claimant: Claimant) => void;
  /** Hears each change of `health()`. */
  readonly onHealth?: (health: StoreHealth) => void;
  /** Time for the delay of commits. Default: the real one. */
  readonly clock?: Clock;
}

/** How a thread is started; tests have SQLite answer in their own. */
export type StartSqliteThread = (onLost: (error: TroupeError) => void) => SqliteThread;

const Whole = z.int().positive();
const OptionsShape = z.strictObject({
  durability: z.enum(['strict', 'batched']).optional(),
  commitDelayMs: z.number().min(0).max(10_000).optional(),
  maxCommitEvents: Whole.optional(),
  maxCommitBytes: Whole.optional(),
  maxQueuedEvents: Whole.optional(),
  maxQueuedBytes: Whole.optional(),
  maxFileBytes: Whole.optional(),
  takeover: z.strictObject({ waitMs: z.number().min(0) }).optional(),
  onClaimed: z.custom<SqliteStoreOptions['onClaimed']>(isFunction).optional(),
  onHealth: z.custom<SqliteStoreOptions['onHealth']>(isFunction).optional(),
  clock: z.custom<Clock>().optional(),
});

const DEFAULTS = {
  durability: 'batched',
  commitDelayMs: 10,
  maxCommitEvents: 2_000,
  maxCommitBytes: 2 ** 20,
  maxQueuedEvents: 50_000,
  maxQueuedBytes: 64 * 2 ** 20,
  clock: systemClock,
} as const;

/** A commit of lines holds about as much; a larger one brings its own memory, which is kept up to the second. */
const MEMORY_BYTES = 64 * 1024;
const MOST_MEMORY_BYTES = 4 * 2 ** 20;

/** A disk that does not answer keeps the thread for ever: it is ended without having closed the file. */
const CLOSE_MS = 30_000;

/** Refusals of single changes say nothing about the store. */
const FAILING = ['STORE_FULL', 'STORE_READ_ONLY', 'STORE_UNREACHABLE', 'STORE_DAMAGED'];

/**
 * Opens, or makes, a store in one SQLite file on a local disk, and becomes its one writer. Rejects with `INVALID_OPTIONS`,
 * `STORE_HELD`, `STORE_NEWER`, `STORE_FOREIGN`, `STORE_DAMAGED`, `STORE_READ_ONLY`, `STORE_FULL`, `STORE_UNREACHABLE` or
 * `STORE_DRIVER_MISSING`.
 */
export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  return await openSqliteStoreOn(path, options, startThread);
}

/** With threads of the caller's. */
export async function openSqliteStoreOn(
  path: string,
  options: SqliteStoreOptions,
  thread: StartSqliteThread,
): Promise<Store> {
  const parsed = OptionsShape.safeParse(options);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path: field, message }) => `${field.join('.')}: ${message}`);
    throw new TroupeError('INVALID_OPTIONS', { reason: issues.join('; '), details: { issues } });
  }
  return await SqliteStore.open(resolve(path), options, thread);
}

class SqliteStore implements Store {
  readonly durability: Durability;
  readonly #options: SqliteStoreOptions;
  readonly #writer: SqliteThread;
  readonly #queue: CommitQueue;
  readonly #reading: SqliteReading;
  #health: StoreHealth = { state: 'open' };
  /** In which the bytes of a commit cross to the thread and come back. */
  #memory: ArrayBuffer | undefined;
  #claims: ClaimListener | undefined;
  #closing: Promise<void> | undefined;

  private constructor(path: string, options: SqliteStoreOptions, thread: StartSqliteThread) {
    const settings = { ...DEFAULTS, ...options };
    this.#options = options;
    this.durability = settings.durability;
    this.#writer = thread((error) => this.#lose(error));
    this.#reading = new SqliteReading(path, thread);
    this.#queue = new CommitQueue((changes) => this.#commit(changes), settings);
  }

  static async open(path: string, options: SqliteStoreOptions, thread: StartSqliteThread): Promise<SqliteStore> {
    const store = new SqliteStore(path, options, thread);
    try {
      const { takeover, clock = DEFAULTS.clock, maxFileBytes, onClaimed } = options;
      await becomeWriter(store.#writer, { path, maxFileBytes }, { takeover, clock });
      if (onClaimed !== undefined) store.#claims = new ClaimListener(store.#writer, clock, onClaimed);
      return store;
    } catch (error) {
      // What it waited for others may have.
      await store.#writer.ask('close', undefined).catch(() => undefined);
      await store.#writer.end();
      throw error;
    }
  }

  async append(change: Change): Promise<void> {
    this.#refuseClosed();
    if (this.#health.state === 'lost') throw this.#health.error;
    await this.#queue.add(plainChange(change));
  }

  async room(): Promise<void> {
    this.#refuseClosed();
    await this.#queue.room();
  }

  head(sessionId: string): Promise<LogHead | undefined> {
    return this.#reading.head(sessionId);
  }

  read(request: ReadRequest): AsyncIterable<StoredEvent | LogTruncated> {
    return this.#reading.read(request);
  }

  snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    return this.#reading.snapshot(sessionId);
  }

  sessions(): AsyncIterable<SessionEntry> {
    return this.#reading.sessions();
  }

  async prune(policy: RetentionPolicy): Promise<Pruned> {
    this.#refuseClosed();
    let [events, sessions] = [0, 0];
    for (;;) {
      // One short transaction at a time: commits go between.
      const step = await this.#judged(this.#writer.ask('prune', policy));
      if (step === undefined) return { events, sessions };
      events += step.events;
      sessions += step.sessions;
    }
  }

  health(): StoreHealth {
    return this.#health;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { clock = DEFAULTS.clock } = this.#options;
    let timer: unknown;
    const overdue = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.#leave(), overdue]);
    clock.clearTimeout(timer);
    await this.#writer.end();
    this.#tell({ state: 'closed' });
  }

  async #leave(): Promise<void> {
    this.#claims?.stop();
    await this.#queue.drain();
    await this.#reading.close();
    // A thread that is lost has nothing left to close.
    await this.#writer.ask('close', undefined).catch(() => undefined);
  }

  async #commit(changes: readonly PlainChange[]): Promise<(TroupeError | undefined)[]> {
    const memory = this.#memory ?? new ArrayBuffer(MEMORY_BYTES);
    this.#memory = undefined;
    const packed = packChanges(changes, memory);
    const committed = await this.#judged(this.#writer.ask('commit', packed, buffersOf(packed)));
    // One commit runs at a time: the next one has it back by then.
    if (committed.memory.byteLength <= MOST_MEMORY_BYTES) this.#memory = committed.memory;
    if (this.#health.state === 'failing') this.#tell({ state: 'open' });
    return committed.refusals.map((failure) => failure && errorOf(failure));
  }

  /** What comes of writing, and what it says about the store. */
  async #judged<Result>(writing: Promise<Result>): Promise<Result> {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof TroupeError) {
        if (error.code === 'STORE_TAKEN_OVER') this.#lose(error);
        else if (this.#health.state !== 'lost' && FAILING.includes(error.code)) this.#tell({ state: 'failing', error });
      }
      throw error;
    }
  }

  #lose(error: TroupeError): void {
    if (this.#closing !== undefined || this.#health.state === 'lost') return;
    this.#tell({ state: 'lost', error });
    this.#queue.fail(error);
  }

  #tell(health: StoreHealth): void {
    this.#health = health;
    this.#options.onHealth?.(health);
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw new TroupeError('STORE_CLOSED');
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
