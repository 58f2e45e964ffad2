import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ErrorCode, TroupeError } from '../../../src/errors.ts';
import { findDriver, type OpenDatabase } from '../../../src/store/sqlite/driver.ts';
import {
  openSqliteStoreOn,
  type SqliteStoreOptions,
  type StartSqliteThread,
} from '../../../src/store/sqlite/sqlite-store.ts';
import type { Change, LogTruncated, Store, StoredEvent, StoreReader } from '../../../src/store/store.ts';
import type { StoreRecord } from '../../../src/store/store-record.ts';
import { inlineThread } from './inline-thread.ts';

/** The driver as it is; tests that need a failure wrap it. */
export const driver: OpenDatabase = findDriver().open;

/** Where one test keeps its files. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store whose SQLite runs in this thread: everything but the thread is as it is for users. */
export async function openInline(
  path: string,
  options: SqliteStoreOptions & { driver?: OpenDatabase; thread?: StartSqliteThread } = {},
): Promise<Store> {
  const { driver: open = driver, thread = () => inlineThread(open), ...rest } = options;
  const store = await openSqliteStoreOn(path, { durability: 'strict', ...rest }, thread);
  onTestFinished(() => store.close());
  return store;
}

export function change(sessionId: string, first: number, last: number, records: StoreRecord[] = []): Change {
  const events = Array.from({ length: last - first + 1 }, (_, index) => event(first + index));
  return { sessionId, epoch: 1, events, records };
}

export function event(seq: number, data = `{"seq":${seq}}`): StoredEvent {
  return { seq, epoch: 1, at: 1_000 + seq, type: 'message', data: new TextEncoder().encode(data) };
}

export async function readAll(
  store: StoreReader,
  sessionId: string,
  after = 0,
): Promise<(StoredEvent | LogTruncated)[]> {
  const all: (StoredEvent | LogTruncated)[] = [];
  for await (const one of store.read({ sessionId, after })) all.push(one);
  return all;
}

export async function seqsOf(store: Store, sessionId: string, after = 0): Promise<number[]> {
  return (await readAll(store, sessionId, after)).map((one) => ('seq' in one ? one.seq : 0));
}

/** The error it was refused with; a promise that is kept fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<TroupeError> {
  return await promise.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: TroupeError) => error,
  );
}

export async function codeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await refusal(promise)).code;
}
