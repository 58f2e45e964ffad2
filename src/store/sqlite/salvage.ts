import { closeSync, openSync } from 'node:fs';
import { EVENT_OVERHEAD_BYTES } from '../stored-row.ts';
import type { Database, Row } from './driver.ts';
import { findDriver } from './driver.ts';
import { expectFile, storeFailure } from './failure.ts';
import { CONNECTION_PRAGMAS, migrate, prepareToWrite } from './schema.ts';
import { readableRows, type Survey } from './survey.ts';

const LINE_FEED = 0x0a;

export interface Salvaged extends Survey {
  /** Events that could not be read; each is an event `log.lost` in the new store, so that the numbers stay those of before. */
  readonly lostEvents: number;
}

/**
 * Writes whatever can be read of a damaged store to a new one; the damaged file is left as it is. Rejects with
 * `STORE_UNREACHABLE` when something is already there, or with what stands in the way of writing.
 */
export async function salvageStore(path: string, target: string): Promise<Salvaged> {
  expectFile(path);
  const { open } = findDriver();
  try {
    closeSync(openSync(target, 'wx', 0o600));
    const source = open(path, { readOnly: true });
    const copy = open(target);
    try {
      copy.exec(CONNECTION_PRAGMAS);
      prepareToWrite(copy);
      migrate(copy);
      return inOneTransaction(copy, () => copyReadable(source, copy));
    } finally {
      source.close();
      copy.close();
    }
  } catch (error) {
    throw storeFailure(error, target);
  }
}

function inOneTransaction<Result>(database: Database, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  const result = work();
  database.exec('COMMIT');
  return result;
}

function copyReadable(source: Database, copy: Database): Salvaged {
  const sessions = copyTable(source, copy, 'sessions');
  const records = copyTable(source, copy, 'records');
  const events = copyTable(source, copy, 'events');
  nameUnknownSessions(copy);
  return { sessions, records, events, lostEvents: fillGaps(copy) };
}

function copyTable(source: Database, copy: Database, table: 'sessions' | 'events' | 'records'): number {
  let number = 0;
  for (const row of readableRows(source, table)) {
    if (table === 'events') row['count'] = linesIn(row);
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    // Two rows that a damaged page shows twice are one.
    const insert = `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${places})`;
    copy.prepare(insert).run(...names.map((name) => sqlValueOf(row, name)));
    number += table === 'events' ? linesIn(row) : 1;
  }
  return number;
}

/** A row of the first version is one event; a number that does not fit what is there was damaged, too. */
function linesIn({ count = 1, data }: Row): number {
  if (!(data instanceof Uint8Array) || count === 1) return 1;
  const lines = data.reduce((sum, byte) => (byte === LINE_FEED ? sum + 1 : sum), 1);
  return Math.max(1, Math.min(Number(count), lines));
}

/** Events and records whose session cannot be read keep together, under a name that says so. */
function nameUnknownSessions(copy: Database): void {
  copy.exec(`
    INSERT INTO sessions (key, id, epoch, last_seq, first_seq, bytes)
      SELECT session, 'salvaged-' || session, max(epoch), max(seq + count - 1), min(seq), 0 FROM events
      WHERE session NOT IN (SELECT key FROM sessions) GROUP BY session;
    DELETE FROM records WHERE session NOT IN (SELECT key FROM sessions)`);
}

/** An event for every number that is missing between the first and the last, and sizes that are right again. */
function fillGaps(copy: Database): number {
  const insert = copy.prepare(
    `INSERT INTO events (session, seq, epoch, at, type, data) VALUES (?, ?, ?, ?, 'log.lost', CAST('{}' AS BLOB))`,
  );
  const kept = copy.prepare('SELECT seq, epoch, at, count FROM events WHERE session = ? AND seq >= ? ORDER BY seq');
  let lost = 0;
  for (const session of copy.prepare('SELECT key, first_seq, last_seq, epoch FROM sessions').all()) {
    const [key, first, last] = [Number(session['key']), Number(session['first_seq']), Number(session['last_seq'])];
    let next = first;
    let [epoch, at] = [0, 0];
    const fill = (end: number): void => {
      for (; next < end; next += 1, lost += 1) insert.run(key, next, epoch, at);
    };
    for (const row of kept.all(key, first)) {
      if (epoch === 0) [epoch, at] = [Number(row['epoch']), Number(row['at'])];
      fill(Number(row['seq']));
      [epoch, at] = [Number(row['epoch']), Number(row['at'])];
      next = Number(row['seq']) + Number(row['count']);
    }
    if (epoch === 0) epoch = Number(session['epoch']);
    fill(last + 1);
    copy.prepare('UPDATE sessions SET last_seq = max(last_seq, ?) WHERE key = ?').run(next - 1, key);
  }
  copy.exec(`UPDATE sessions SET bytes =
    (SELECT coalesce(sum(length(data) + 1 + count * ${EVENT_OVERHEAD_BYTES - 1}), 0) FROM events WHERE session = sessions.key)`);
  return lost;
}

function sqlValueOf(row: Row, name: string): null | number | string | Uint8Array {
  const value = row[name];
  if (typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) return value;
  return null;
}
