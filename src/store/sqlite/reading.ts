import { resolve } from 'node:path';
import { TroupeError } from '../../errors.ts';
import type {
  LogHead,
  LogTruncated,
  ReadRequest,
  SessionEntry,
  SessionSnapshot,
  StoredEvent,
  StoreReader,
} from '../store.ts';
import { lastSeqOf } from '../stored-row.ts';
import { expectFile } from './failure.ts';
import { unpackEvents } from './packing.ts';
import { type SqliteThread, startThread } from './thread.ts';

type StartThread = (onLost: () => void) => SqliteThread;

/**
 * Opens a store to read it, while another process writes to it or none does: without the lock, and without changing anything.
 * What it shows is what was durable when it was asked. Rejects with `STORE_UNREACHABLE` where there is no file,
 * `STORE_FOREIGN`, `STORE_NEWER`, `STORE_DAMAGED` or `STORE_DRIVER_MISSING`.
 */
export async function openStoreReader(path: string): Promise<StoreReader> {
  return await openStoreReaderOn(path, startThread);
}

/** With a thread of the caller's. */
export async function openStoreReaderOn(path: string, thread: StartThread): Promise<StoreReader> {
  expectFile(path);
  const reading = new SqliteReading(resolve(path), thread);
  await reading.open();
  return reading;
}

/** Reading of a store in a file, in a thread that is started for the first who reads. */
export class SqliteReading implements StoreReader {
  readonly #path: string;
  readonly #startThread: StartThread;
  #reader: Promise<SqliteThread> | undefined;
  #isClosed = false;

  constructor(path: string, start: StartThread) {
    this.#path = path;
    this.#startThread = start;
  }

  async open(): Promise<void> {
    await this.#thread();
  }

  async head(sessionId: string): Promise<LogHead | undefined> {
    return await (await this.#thread()).ask('head', sessionId);
  }

  async *read({ sessionId, after }: ReadRequest): AsyncGenerator<StoredEvent | LogTruncated> {
    const reader = await this.#thread();
    const upTo = (await reader.ask('head', sessionId))?.lastSeq ?? 0;
    for (let cursor = after; cursor < upTo; ) {
      const page = await reader.ask('page', { sessionId, after: cursor, upTo });
      if (page === undefined) return;
      const { firstSeq } = page.head;
      // Also in the middle of a long reading: what it had still to read may be gone.
      if (cursor < firstSeq - 1) yield { type: 'log.truncated', from: cursor, firstSeq };
      cursor = Math.max(cursor, firstSeq - 1);
      for (const event of unpackEvents(page.events)) {
        yield event;
        cursor = lastSeqOf(event);
      }
    }
  }

  async snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    return await (await this.#thread()).ask('snapshot', sessionId);
  }

  async *sessions(): AsyncGenerator<SessionEntry> {
    const reader = await this.#thread();
    for (let key: number | undefined = 0; key !== undefined; ) {
      const page: { entries: SessionEntry[]; nextKey: number | undefined } = await reader.ask('sessions', key);
      yield* page.entries;
      key = page.nextKey;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#reader?.catch(() => undefined);
    this.#reader = undefined;
    // A thread that is lost has nothing left to close.
    await thread?.ask('close', undefined).catch(() => undefined);
    await thread?.end();
  }

  #thread(): Promise<SqliteThread> {
    if (this.#isClosed) return Promise.reject(new TroupeError('STORE_CLOSED'));
    this.#reader ??= this.#open();
    return this.#reader;
  }

  async #open(): Promise<SqliteThread> {
    const forget = (): void => {
      this.#reader = undefined;
    };
    const thread = this.#startThread(forget);
    try {
      await thread.ask('openReader', { path: this.#path });
      return thread;
    } catch (error) {
      // The next reader tries again.
      forget();
      await thread.end();
      throw error;
    }
  }
}
