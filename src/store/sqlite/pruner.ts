import type { Pruned, RetentionPolicy, StoredEvent } from '../store.ts';
import { firstWeighing, weightOf, withoutFirst } from '../stored-row.ts';
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
    const events = this.#drop(this.#firstOf(session, Infinity));
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
    return { events: this.#drop(this.#firstOf(Number(row['key']), over)), sessions: 0 };
  }

  /** So many of its first events, as far as one step goes. */
  #firstOf(session: number, most: number): Cut[] {
    const cuts: Cut[] = [];
    let events = 0;
    for (const row of this.#statements.firstOf.all(session, Math.min(most, STEP_EVENTS))) {
      if (events >= Math.min(most, STEP_EVENTS)) break;
      const gone = Math.min(most - events, Number(row['count']));
      cuts.push({ row, gone });
      events += gone;
    }
    return cuts;
  }

  #oldest(maxBytes: number, before: number): Pruned | undefined {
    if (maxBytes === Infinity && before === -Infinity) return undefined;
    let bytes = Number(this.#statements.allBytes.get()?.['bytes'] ?? 0);
    const cuts: Cut[] = [];
    let events = 0;
    for (const row of this.#statements.first.all(STEP_EVENTS)) {
      const isOld = Number(row['at']) < before;
      if (events >= STEP_EVENTS || (bytes <= maxBytes && !isOld)) break;
      const [weight, count] = [weightOf(Number(row['size']), Number(row['count'])), Number(row['count'])];
      const isWhole = isOld || count === 1 || weight <= bytes - maxBytes;
      const gone = isWhole ? count : firstWeighing(this.#eventOf(row), bytes - maxBytes);
      cuts.push({ row, gone });
      events += gone;
      bytes -= weight;
    }
    return cuts.length === 0 ? undefined : { events: this.#drop(cuts), sessions: 0 };
  }

  /** Space of what went goes back to the disk, but for a little that is soon used again. */
  #giveBack(): Pruned | undefined {
    const free = pragma(this.#database, 'freelist_count');
    if (free <= STEP_PAGES) return undefined;
    // A statement that is only run gives back one page: this one is stepped to its end.
    this.#database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
    return pragma(this.#database, 'freelist_count') < free ? { events: 0, sessions: 0 } : undefined;
  }

  #drop(cuts: readonly Cut[]): number {
    const sessions = new Map<number, { firstSeq: number; bytes: number }>();
    let events = 0;
    for (const { row, gone } of cuts) {
      const session = Number(row['session']);
      const bytes = this.#cut(row, gone) + (sessions.get(session)?.bytes ?? 0);
      sessions.set(session, { firstSeq: Number(row['seq']) + gone, bytes });
      events += gone;
    }
    for (const [session, { firstSeq, bytes }] of sessions) this.#statements.shorten.run(firstSeq, bytes, session);
    return events;
  }

  /** Takes the first events of a row away; what they weighed. */
  #cut(row: Row, gone: number): number {
    const { dropEvent, keepRest } = this.#statements;
    const key = Number(row['key']);
    const weight = weightOf(Number(row['size']), Number(row['count']));
    const rest = gone < Number(row['count']) ? withoutFirst(this.#eventOf(row), gone) : undefined;
    if (rest === undefined) {
      dropEvent.run(key);
      return weight;
    }
    const { seq, count = 1, data } = rest;
    keepRest.run(seq, count, data, key);
    return weight - weightOf(data.length, count);
  }

  #eventOf(row: Row): StoredEvent {
    const data = this.#statements.dataOf.get(Number(row['key']))?.['data'];
    const place = { seq: Number(row['seq']), epoch: 0, at: 0, type: '', count: Number(row['count']) };
    return { ...place, data: data instanceof Uint8Array ? data : new Uint8Array() };
  }
}

/** So many of the first events of a row. */
interface Cut {
  readonly row: Row;
  readonly gone: number;
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
  | 'keepRest'
  | 'dataOf'
  | 'shorten';

function prepareAll(database: Database): Record<Name, Statement> {
  const oldest = 'SELECT key, session, seq, at, count, length(data) AS size FROM events';
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
    keepRest: database.prepare('UPDATE events SET seq = ?, count = ?, data = ? WHERE key = ?'),
    dataOf: database.prepare('SELECT data FROM events WHERE key = ?'),
    shorten: database.prepare('UPDATE sessions SET first_seq = ?, bytes = bytes - ? WHERE key = ?'),
  };
}
