import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Database, OpenDatabase, Row } from './driver.ts';
import { BUSY, resultCodeOf } from './failure.ts';
import { rollBack } from './schema.ts';

/** Who asks the writer to let go. */
export interface Claimant {
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** How long it waits; `Infinity` for as long as it takes. */
  readonly waitMs: number;
}

const TABLE = `CREATE TABLE IF NOT EXISTS claimant (
  one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, host TEXT NOT NULL, since INTEGER NOT NULL, wait_ms REAL NOT NULL
)`;
const SETTINGS = 'PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY';

/** A claim that stands. */
export interface StandingClaim {
  release(): void;
}

/**
 * The wish to become the writer: a transaction that stays open in a file of its own, for as long as somebody waits. The system
 * takes it back when the one who waits is gone, so that there are no wishes of the dead. Undefined where somebody else waits,
 * or the writer is just looking.
 */
export function claim(open: OpenDatabase, path: string, now: number, waitMs: number): StandingClaim | undefined {
  const database = open(`${path}-next`);
  try {
    database.exec(`${SETTINGS}; ${TABLE}`);
    database
      .prepare('INSERT OR REPLACE INTO claimant (one, pid, host, since, wait_ms) VALUES (1, ?, ?, ?, ?)')
      .run(process.pid, hostname(), now, waitMs);
    // Others can still read who it is.
    database.exec('BEGIN IMMEDIATE');
    return {
      release() {
        // A statement that nobody has collected yet would keep the transaction of a closed connection.
        rollBack(database);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    if (resultCodeOf(error) === BUSY) return undefined;
    throw error;
  }
}

/** The writer's side of it: whether somebody waits. */
export class ClaimWatch {
  readonly #open: OpenDatabase;
  readonly #path: string;
  #database: Database | undefined;

  constructor(open: OpenDatabase, path: string) {
    this.#open = open;
    this.#path = `${path}-next`;
  }

  /** Who waits at this moment. What cannot be read now is looked for again. */
  look(): Claimant | undefined {
    // Nobody ever asked.
    if (this.#database === undefined && !existsSync(this.#path)) return undefined;
    try {
      this.#database ??= this.#open(this.#path);
      return this.#look(this.#database);
    } catch {
      this.close();
      return undefined;
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #look(database: Database): Claimant | undefined {
    try {
      database.exec(`${SETTINGS}; BEGIN IMMEDIATE`);
      database.exec('ROLLBACK');
      return undefined;
    } catch (error) {
      if (resultCodeOf(error) !== BUSY) throw error;
    }
    const row = database.prepare('SELECT pid, host, since, wait_ms FROM claimant').get();
    return row === undefined ? undefined : claimantOf(row);
  }
}

function claimantOf(row: Row): Claimant {
  const [pid, since, waitMs] = [Number(row['pid']), Number(row['since']), Number(row['wait_ms'])];
  return { pid, host: String(row['host']), since, waitMs };
}
