import { TroupeError } from '../../errors.ts';
import type { Database } from './driver.ts';

/** Marks the file as ours, for `file` and for us: "Trou". */
export const APPLICATION_ID = 0x54726f75;

/** Step n makes version n of n - 1. A step that was released is never changed. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE holder (
     one INTEGER PRIMARY KEY CHECK (one = 1), token TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL,
     since INTEGER NOT NULL
   );
   CREATE TABLE sessions (
     key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, last_seq INTEGER NOT NULL,
     first_seq INTEGER NOT NULL, bytes INTEGER NOT NULL, ended_at INTEGER, open_conversation TEXT UNIQUE
   );
   CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
   CREATE TABLE events (
     key INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, epoch INTEGER NOT NULL, at INTEGER NOT NULL,
     type TEXT NOT NULL, data BLOB NOT NULL
   );
   CREATE UNIQUE INDEX events_in_order ON events (session, seq);
   CREATE TABLE records (
     key INTEGER PRIMARY KEY, session INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL
   );
   CREATE UNIQUE INDEX records_by_name ON records (session, kind, id);
   CREATE VIEW log AS SELECT sessions.id AS session, seq, events.epoch, at, type, CAST(data AS TEXT) AS data
     FROM events JOIN sessions ON sessions.key = events.session;
   CREATE VIEW prompts AS SELECT sessions.id AS session, records.id, records.body ->> 'state' AS state,
       records.body ->> 'outcome' AS outcome, records.body ->> 'acceptedAt' AS accepted_at, records.body AS record
     FROM records JOIN sessions ON sessions.key = records.session WHERE kind = 'prompt';
   CREATE VIEW permissions AS SELECT sessions.id AS session, records.id, records.body ->> 'state' AS state,
       records.body ->> 'toolName' AS tool, records.body ->> '$.decision.by' AS decided_by, records.body AS record
     FROM records JOIN sessions ON sessions.key = records.session WHERE kind = 'permission';
   CREATE VIEW ledger AS SELECT sessions.id AS session, records.id, records.body ->> 'at' AS at,
       records.body ->> 'costUsd' AS cost_usd, records.body AS record
     FROM records JOIN sessions ON sessions.key = records.session WHERE kind = 'ledger';`,
  // Several lines in one row. For people each stands alone: JSON makes a list of them, which SQLite takes apart.
  `ALTER TABLE events ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
   DROP VIEW log;
   CREATE VIEW log AS
     SELECT sessions.id AS session, seq, events.epoch, at, type, CAST(data AS TEXT) AS data
       FROM events JOIN sessions ON sessions.key = events.session WHERE count = 1
     UNION ALL
     SELECT sessions.id, seq + line.key, events.epoch, at, events.type, line.value
       FROM events JOIN sessions ON sessions.key = events.session
         JOIN json_each('["' || replace(replace(replace(CAST(data AS TEXT), '\\', '\\\\'), '"', '\\"'), char(10), '","') || '"]')
           AS line
       WHERE count > 1;`,
];

/** The column of a file that may be read before it is brought forward: the first version had one event in each row. */
export function countColumn(database: Database): string {
  return pragma(database, 'user_version') < 2 ? '1' : 'count';
}

/** For every connection. Local disks only: WAL needs memory that is shared between the processes that read. */
export const CONNECTION_PRAGMAS = `PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;`;

/**
 * Of a file that is made now; one that is there keeps what it has. Lines that come in long rows cost the thread that writes a
 * fifth less than with pages of half the size, which is what SQLite makes; with twice the size, single short lines cost more.
 */
const PAGE_BYTES = 8 * 1024;
/** So much of the write-ahead log is carried over at once. */
const CHECKPOINT_BYTES = 16 * 2 ** 20;

/** For the one that writes. Whether a file can give space back is settled with its first page, which WAL writes. */
export function prepareToWrite(database: Database): void {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${64 * 2 ** 20};`);
  database.exec(`PRAGMA wal_autocheckpoint = ${Math.floor(CHECKPOINT_BYTES / pragma(database, 'page_size'))}`);
}

/** Refuses what is not ours or from a later release, before anything is written to it (`STORE_FOREIGN`, `STORE_NEWER`). */
export function checkSchema(
  database: Database,
  path: string,
  { known = MIGRATIONS.length, isToBeRead = false }: { readonly known?: number; readonly isToBeRead?: boolean } = {},
): void {
  const application = pragma(database, 'application_id');
  const found = pragma(database, 'user_version');
  const tables = Number(database.prepare('SELECT count(*) AS number FROM sqlite_schema').get()?.['number'] ?? 0);
  if (application !== APPLICATION_ID && (application !== 0 || found !== 0 || tables > 0)) {
    throw new TroupeError('STORE_FOREIGN', { reason: 'It is a database of another program.', details: { path } });
  }
  if (found === 0 && isToBeRead) {
    throw new TroupeError('STORE_FOREIGN', { reason: 'It is empty.', details: { path } });
  }
  if (found > known) {
    throw new TroupeError('STORE_NEWER', {
      reason: `Its schema is ${found}; this release knows ${known}.`,
      details: { path, found, known },
    });
  }
}

/** Brings the file to the newest version, in one transaction: after a crash it is at the old version or the new one. */
export function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): void {
  const found = pragma(database, 'user_version');
  if (found >= migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const step of migrations.slice(found)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** After a failure; SQLite has often done so itself. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // There was no transaction left to roll back.
  }
}

export function pragma(database: Database, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}
