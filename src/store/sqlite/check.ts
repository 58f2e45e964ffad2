import { type Database, findDriver } from './driver.ts';
import { expectFile, storeFailure } from './failure.ts';
import { CONNECTION_PRAGMAS, checkSchema, countColumn } from './schema.ts';
import { type Survey, surveyOf } from './survey.ts';

export interface Checked extends Survey {
  /** Sentences about what is wrong, the first hundred; none when the store is as it should be. */
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 100;

/** Reads the whole file, in this thread, and changes nothing. Throws `STORE_FOREIGN`, `STORE_NEWER`, `STORE_UNREACHABLE` or `STORE_DRIVER_MISSING`. */
export function checkStore(path: string): Checked {
  expectFile(path);
  const { open } = findDriver();
  let database: Database | undefined;
  try {
    database = open(path, { readOnly: true });
    database.exec(CONNECTION_PRAGMAS);
    checkSchema(database, path, { isToBeRead: true });
    return { ...surveyOf(database), problems: [...damagedPages(database), ...gaps(database)] };
  } catch (error) {
    throw storeFailure(error, path);
  } finally {
    database?.close();
  }
}

function damagedPages(database: Database): string[] {
  try {
    const found = database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all();
    return found.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Sessions that do not have as many events as their numbers say. */
function gaps(database: Database): string[] {
  try {
    const rows = database
      .prepare(
        `SELECT id, last_seq + 1 - first_seq AS expected,
           (SELECT total(${countColumn(database)}) FROM events WHERE session = sessions.key AND seq BETWEEN first_seq AND last_seq) AS kept
         FROM sessions WHERE expected <> kept LIMIT ${MAX_PROBLEMS}`,
      )
      .all();
    return rows.map(({ id, expected, kept }) => `session ${id}: ${kept} events where ${expected} should be`);
  } catch {
    return []; // The damage was told already.
  }
}
