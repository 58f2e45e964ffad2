import { TroupeError } from '../../errors.ts';
import type { Database, OpenDatabase, Row } from './driver.ts';

/** What of a damaged store can still be read. */
export interface Survey {
  readonly sessions: number;
  readonly events: number;
  readonly records: number;
}

/** Rows that are read at once. */
const STEP_ROWS = 200;

/** Reads that may fail in one table before the rest is given up: each damaged page costs as many as it had rows, and a few. */
const MAX_FAILURES = 20_000;

/** No table gets longer: a failed look at the end of a table must not end the search. */
const HIGHEST_KEY = 2 ** 40;

/** The refusal of a damaged file, with what `salvageStore` would save. Reads the whole file. */
export function damageError(open: OpenDatabase, path: string, failure: TroupeError): TroupeError {
  const { sessions, events, records } = survey(open, path);
  return new TroupeError('STORE_DAMAGED', {
    reason: `${failure.reason ?? ''} Readable: ${events} events and ${records} records of ${sessions} sessions.`.trim(),
    cause: failure.cause,
    details: { ...failure.details, readable: { sessions, events, records } },
  });
}

function survey(open: OpenDatabase, path: string): Survey {
  let database: Database | undefined;
  try {
    database = open(path, { readOnly: true });
    return surveyOf(database);
  } catch {
    return { sessions: 0, events: 0, records: 0 };
  } finally {
    database?.close();
  }
}

export function surveyOf(database: Database): Survey {
  return {
    sessions: count(readableRows(database, 'sessions')),
    events: countEvents(readableRows(database, 'events')),
    records: count(readableRows(database, 'records')),
  };
}

/** Every row of a table that can be read, by its key: around a damaged page the range is halved until the page is alone. */
export function* readableRows(database: Database, table: 'sessions' | 'events' | 'records'): Generator<Row> {
  let failures = 0;
  const ranges: [from: number, to: number][] = [[1, HIGHEST_KEY]];
  for (let range = ranges.pop(); range !== undefined && failures < MAX_FAILURES; range = ranges.pop()) {
    const [from, to] = range;
    const rows = rowsBetween(database, table, from, to);
    if (rows === undefined) {
      failures += 1;
      const middle = Math.floor((from + to) / 2);
      if (from < to) ranges.push([middle + 1, to], [from, middle]);
      continue;
    }
    yield* rows;
    const last = rows.length < STEP_ROWS ? to : Number(rows.at(-1)?.['key']);
    if (last < to) ranges.push([last + 1, to]);
  }
}

function rowsBetween(database: Database, table: string, from: number, to: number): Row[] | undefined {
  try {
    return database
      .prepare(`SELECT * FROM ${table} WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ${STEP_ROWS}`)
      .all(from, to);
  } catch {
    return undefined;
  }
}

/** Several stand in one row; a file of the first version does not say so. */
function countEvents(rows: Iterable<Row>): number {
  let number = 0;
  for (const { count: inRow = 1 } of rows) number += Number(inRow);
  return number;
}

function count(rows: Iterable<unknown>): number {
  let number = 0;
  for (const _ of rows) number += 1;
  return number;
}
