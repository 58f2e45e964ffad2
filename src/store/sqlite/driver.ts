import { createRequire, isBuiltin } from 'node:module';
import { TroupeError } from '../../errors.ts';
import { type BetterSqlite3, openBetterSqlite3 } from './driver-better-sqlite3.ts';

/** What is used of SQLite: the part that Node's own module and the packages which stand in for it have in common. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

export type SqlValue = null | number | string | Uint8Array;
export type Row = Record<string, unknown>;

export type OpenDatabase = (path: string, options?: { readonly readOnly?: boolean }) => Database;

export type DriverName = 'node:sqlite' | 'better-sqlite3' | '@photostructure/sqlite';

export interface Driver {
  readonly name: DriverName;
  readonly open: OpenDatabase;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database;
}

/** How a module is loaded by its name; throws where there is none. */
export type LoadModule = (name: string) => unknown;

/** In the order in which they are tried: the one that needs nothing, the one people know, the one that needs no compiler. */
const DRIVERS: readonly { readonly name: DriverName; readonly opener: (module: unknown) => OpenDatabase }[] = [
  { name: 'node:sqlite', opener: (module) => openDatabaseSync(module as SqliteModule) },
  { name: 'better-sqlite3', opener: (module) => openBetterSqlite3(module as BetterSqlite3) },
  { name: '@photostructure/sqlite', opener: (module) => openDatabaseSync(module as SqliteModule) },
];

/** Packages are looked for where this one is installed. */
const installed: LoadModule = createRequire(import.meta.url);

let found: Driver | undefined;

/** Throws `STORE_DRIVER_MISSING`, with what to do about it, where no store in a file could be opened. */
export function assertDriver(): void {
  // Loading Node's own would have it warn; that it is there says enough.
  if (!isBuiltin('node:sqlite')) findDriver();
}

/** The first driver that works in this process; throws `STORE_DRIVER_MISSING` where there is none. */
export function findDriver(): Driver {
  found ??= driverFrom(installed);
  return found;
}

/** The first driver that can be loaded this way. */
export function driverFrom(load: LoadModule): Driver {
  const failures: Record<string, string> = {};
  for (const { name, opener } of DRIVERS) {
    try {
      const open = opener(load(name));
      // A package can be there without its binary, and says so only now.
      open(':memory:').close();
      return { name, open };
    } catch (error) {
      failures[name] = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    }
  }
  throw new TroupeError('STORE_DRIVER_MISSING', {
    reason:
      'Use Node 22.13 or later, or run `npm install better-sqlite3@12` or `npm install @photostructure/sqlite@1.2.1`.',
    details: { failures },
  });
}

function openDatabaseSync({ DatabaseSync }: SqliteModule): OpenDatabase {
  return (path, { readOnly = false } = {}) => new DatabaseSync(path, { readOnly });
}
