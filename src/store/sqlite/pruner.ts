import { EVENT_OVERHEAD_BYTES } from '../change-check.ts';
import type { Pruned, RetentionPolicy } from '../store.ts';
import type { Database, Row, Statement } from './driver.ts';
import { pragma } from './schema.ts';

/** Events that one transaction may take away, so that writers wait for milliseconds only. */
const STEP_EVENTS = 2_000;

/** Pages that one step gives back to the disk, and that may lie unused. */
const STEP_PAGES = 1_000;

/** Forgets the oldest step by step. Runs inside the transaction of whoever calls. */
export class Pruner {
  readonly #database: Database;
  readonly #statements: ReturnType<typeof prepareAll>;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = prepareAll(database);
  }

  /** What was taken away by this step; undefined when the policy asks for nothing more. */
  step(policy: RetentionPolicy): Pruned | undefined {
    return (
      this.#endedSession(policy.maxEndedSessions) ??
      this.#longLog(policy.maxEventsPerSession) ??
      this.#oldest(policy.maxBytes ?? Infinity, policy.before ?? -Infinity) ??
      this.#giveBack()
    );
  }

  #endedSession(max: number | undefined): Pruned | undefined {
    if (max === undefined) return undefined;
    const row = this.#statements.endedBeyond.get(max);
    if (row === undefined) return undefined;
    const session = Number(row['key']);
    const events = this.#drop(this.#statements.firstOf.all(session, STEP_EVENTS));
    if (events > 0) return { events, sessions: 0 };
    this.#statements.dropRecords.run(session);
    this.#statements.forgetSession.run(session);
    return { events: 0, sessions: 1 };
  }

  #longLog(max: number | undefined): Pruned | undefined {
    if (max === undefined) return undefined;
    const row = this.#statements.longest.get(max);
    if (row === undefined) return undefined;
    const over = Number(row['kept']) - max;
    return {
      events: this.#drop(this.#statements.firstOf.all(Number(row['key']), Math.min(over, STEP_EVENTS))),
      sessions: 0,
    };
  }

  #oldest(maxBytes: number, before: number): Pruned | undefined {
    if (maxBytes === Infinity && before === -Infinity) return undefined;
    let bytes = Number(this.#statements.allBytes.get()?.['bytes'] ?? 0);
    const rows: Row[] = [];
    for (const row of this.#statements.first.all(STEP_EVENTS)) {
      if (bytes <= maxBytes && Number(row['at']) >= before) break;
      bytes -= Number(row['size']) + EVENT_OVERHEAD_BYTES;
      rows.push(row);
    }
    return rows.length === 0 ? undefined : { events: this.#drop(rows), sessions: 0 };
  }

  /** Space of what went goes back to the disk, but for a little that is soon used again. */
  #giveBack(): Pruned | undefined {
    const free = pragma(this.#database, 'freelist_count');
    if (free <= STEP_PAGES) return undefined;
    // A statement that is only run gives back one page: this one is stepped to its end.
    this.#database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
    return pragma(this.#database, 'freelist_count') < free ? { events: 0, sessions: 0 } : undefined;
  }

  #drop(rows: readonly Row[]): number {
    const { dropEvent, shorten } = this.#statements;
    const cut = new Map<number, { seq: number; bytes: number }>();
    for (const row of rows) {
      dropEvent.run(Number(row['key']));
      const session = Number(row['session']);
      const bytes = Number(row['size']) + EVENT_OVERHEAD_BYTES + (cut.get(session)?.bytes ?? 0);
      cut.set(session, { seq: Number(row['seq']), bytes });
    }
    for (const [session, { seq, bytes }] of cut) shorten.run(seq + 1, bytes, session);
    return rows.length;
  }
}

type Name =
  | 'endedBeyond'
  | 'firstOf'
  | 'dropRecords'
  | 'forgetSession'
  | 'longest'
  | 'allBytes'
  | 'first'
  | 'dropEvent'
  | 'shorten';

function prepareAll(database: Database): Record<Name, Statement> {
  const oldest = 'SELECT key, session, seq, at, length(data) AS size FROM events';
  return {
    // The newest stay; of those that ended together, the one that came later.
    endedBeyond: database.prepare(
      'SELECT key FROM sessions WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, key DESC LIMIT 1 OFFSET ?',
    ),
    firstOf: database.prepare(`${oldest} WHERE session = ? ORDER BY seq LIMIT ?`),
    dropRecords: database.prepare('DELETE FROM records WHERE session = ?'),
    forgetSession: database.prepare('UPDATE sessions SET ended_at = NULL, open_conversation = NULL WHERE key = ?'),
    longest: database.prepare(
      'SELECT key, last_seq + 1 - first_seq AS kept FROM sessions WHERE last_seq + 1 - first_seq > ? LIMIT 1',
    ),
    allBytes: database.prepare('SELECT sum(bytes) AS bytes FROM sessions'),
    first: database.prepare(`${oldest} ORDER BY key LIMIT ?`),
    dropEvent: database.prepare('DELETE FROM events WHERE key = ?'),
    shorten: database.prepare('UPDATE sessions SET first_seq = ?, bytes = bytes - ? WHERE key = ?'),
  };
}
