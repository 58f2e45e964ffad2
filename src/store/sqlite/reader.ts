import type { LogHead, SessionEntry, SessionSnapshot, StoredEvent } from '../store.ts';
import { behind } from '../stored-row.ts';
import type { Database, OpenDatabase, Row, Statement } from './driver.ts';
import { readFailure, storeFailure } from './failure.ts';
import { type PackedEvents, packEvents } from './packing.ts';
import { CONNECTION_PRAGMAS, checkSchema, countColumn, rollBack } from './schema.ts';
import { headOf } from './writer.ts';

/** Where a page begins and how much it may hold; it holds one event at least. */
export interface PageRequest {
  readonly sessionId: string;
  readonly after: number;
  readonly upTo: number;
}

/** As much as a reader pulls at once. */
const PAGE_ROWS = 500;
const PAGE_BYTES = 512 * 1024;
const PAGE_SESSIONS = 200;

/** The connection that reads, for late readers: pages, so that no reading holds the file's log back for long. */
export class SqliteReader {
  readonly #path: string;
  readonly #database: Database;
  readonly #statements: Record<'head' | 'rowOf' | 'sizes' | 'records' | 'sessions', Statement>;
  /** A writer of this release may bring the file forward while it is read. */
  #page: { readonly count: string; readonly statement: Statement } | undefined;

  constructor(open: OpenDatabase, path: string) {
    this.#path = path;
    try {
      const database = open(path, { readOnly: true });
      this.#database = database;
      database.exec(CONNECTION_PRAGMAS);
      checkSchema(database, path, { isToBeRead: true });
      this.#statements = {
        head: database.prepare('SELECT key, last_seq, first_seq, epoch FROM sessions WHERE id = ?'),
        sizes: database.prepare(
          'SELECT seq, length(data) AS size FROM events WHERE session = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT ?',
        ),
        rowOf: database.prepare('SELECT max(seq) AS seq FROM events WHERE session = ? AND seq <= ?'),
        records: database.prepare('SELECT body FROM records WHERE session = ? ORDER BY key'),
        sessions: database.prepare(
          `SELECT sessions.key, sessions.id, last_seq, first_seq, epoch, body FROM sessions
           JOIN records ON records.session = sessions.key AND records.kind = 'session' AND records.id = ''
           WHERE sessions.key > ? ORDER BY sessions.key LIMIT ?`,
        ),
      };
    } catch (error) {
      throw readFailure(error, path);
    }
  }

  head(sessionId: string): LogHead | undefined {
    return this.#consistent(() => {
      const row = this.#statements.head.get(sessionId);
      return row === undefined ? undefined : headOf(row);
    });
  }

  /** The head as it is now beside the page: what went away meanwhile is told. */
  page({ sessionId, after, upTo }: PageRequest): { head: LogHead; events: PackedEvents } | undefined {
    return this.#consistent(() => {
      const row = this.#statements.head.get(sessionId);
      if (row === undefined) return undefined;
      const session = Number(row['key']);
      // The cursor may be inside a row.
      const first = Number(this.#statements.rowOf.get(session, after + 1)?.['seq'] ?? 0);
      const last = this.#lastOfPage(session, first, after + 1, upTo);
      const rows = this.#pageStatement().all(session, first, last).map(eventOf);
      return { head: headOf(row), events: packEvents(rows.flatMap((one) => behind(one, after) ?? [])) };
    });
  }

  snapshot(sessionId: string): SessionSnapshot | undefined {
    return this.#consistent(() => {
      const row = this.#statements.head.get(sessionId);
      if (row === undefined) return undefined;
      const records = this.#statements.records.all(Number(row['key'])).map(({ body }) => JSON.parse(String(body)));
      return records.length === 0 ? undefined : { ...headOf(row), records };
    });
  }

  sessions(afterKey: number): { entries: SessionEntry[]; nextKey: number | undefined } {
    const rows = this.#consistent(() => this.#statements.sessions.all(afterKey, PAGE_SESSIONS));
    const entries = rows.map((row) => ({
      sessionId: String(row['id']),
      ...headOf(row),
      record: JSON.parse(String(row['body'])),
    }));
    return { entries, nextKey: rows.length < PAGE_SESSIONS ? undefined : Number(rows.at(-1)?.['key']) };
  }

  close(): void {
    this.#database.close();
  }

  /** At least up to the row that the cursor needs next. */
  #lastOfPage(session: number, first: number, needed: number, upTo: number): number {
    let last = 0;
    let bytes = 0;
    for (const row of this.#statements.sizes.all(session, first, upTo, PAGE_ROWS)) {
      bytes += Number(row['size']);
      if (last >= needed && bytes > PAGE_BYTES) break;
      last = Number(row['seq']);
    }
    return last;
  }

  #pageStatement(): Statement {
    const count = countColumn(this.#database);
    if (this.#page?.count !== count) {
      const columns = `seq, epoch, at, type, data, ${count} AS count`;
      const statement = this.#database.prepare(
        `SELECT ${columns} FROM events WHERE session = ? AND seq >= ? AND seq <= ? ORDER BY seq`,
      );
      this.#page = { count, statement };
    }
    return this.#page.statement;
  }

  /** Several statements, one moment. */
  #consistent<Result>(work: () => Result): Result {
    try {
      this.#database.exec('BEGIN');
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // Left open, it would have every later reading refused, and hold the log of the file back.
      rollBack(this.#database);
      throw storeFailure(error, this.#path);
    }
  }
}

function eventOf(row: Row): StoredEvent {
  const count = Number(row['count']);
  return {
    seq: Number(row['seq']),
    epoch: Number(row['epoch']),
    at: Number(row['at']),
    type: String(row['type']),
    data: row['data'] instanceof Uint8Array ? row['data'] : new Uint8Array(),
    ...(count > 1 && { count }),
  };
}
