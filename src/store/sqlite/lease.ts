import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { TroupeError } from '../../errors.ts';
import type { Database, OpenDatabase, Row, Statement } from './driver.ts';
import { BUSY, resultCodeOf } from './failure.ts';

/** Who may write. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/**
 * The lock that says whether the writer lives: a transaction that stays open in a file of its own. The system lets go of it
 * when the process is gone, however it went, and not before: a stopped process keeps it. Nobody has to guess by a heartbeat.
 */
export function lock(open: OpenDatabase, path: string): Database | undefined {
  const database = open(`${path}-lock`);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (resultCodeOf(error) === BUSY) return undefined;
    throw error;
  }
}

/**
 * The fence: a token in the store that every write looks at in its own transaction. Should the lock ever fail, as on a network
 * disk or when somebody deletes its file, the one who came later writes and the other is refused (`STORE_TAKEN_OVER`).
 */
export class Fence {
  readonly #token = randomUUID();
  readonly #read: Statement;
  readonly #path: string;

  constructor(database: Database, path: string, now: number) {
    this.#path = path;
    database
      .prepare('INSERT OR REPLACE INTO holder (one, token, pid, host, since) VALUES (1, ?, ?, ?, ?)')
      .run(this.#token, process.pid, hostname(), now);
    this.#read = database.prepare('SELECT token, pid, host, since FROM holder');
  }

  /** To be called inside the transaction that writes. */
  check(): void {
    const row = this.#read.get();
    if (row?.['token'] === this.#token) return;
    throw new TroupeError('STORE_TAKEN_OVER', {
      reason: row === undefined ? undefined : sentence(holderOf(row)),
      details: { path: this.#path, ...(row !== undefined && { holder: holderOf(row) }) },
    });
  }
}

/** The refusal of the second writer, with what the store says about the first. */
export function heldError(path: string, row: Row | undefined): TroupeError {
  if (row === undefined) return new TroupeError('STORE_HELD', { details: { path } });
  const holder = holderOf(row);
  return new TroupeError('STORE_HELD', { reason: sentence(holder), details: { path, holder } });
}

function holderOf(row: Row): Holder {
  return { pid: Number(row['pid']), host: String(row['host']), since: Number(row['since']) };
}

function sentence({ pid, host, since }: Holder): string {
  return `It is process ${pid} on ${host}, since ${new Date(since).toISOString()}.`;
}
