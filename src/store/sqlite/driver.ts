import { TroupeError } from '../../errors.ts';

/** What is used of SQLite; Node's own module and the package that stands in for it on older releases both have it. */
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

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database;
}

/** Named by a variable: the types of the oldest Node that is supported do not know the module. */
const BUILT_IN: string = 'node:sqlite';

/** Node's own SQLite (22.13 and later), else the optional package; `STORE_DRIVER_MISSING` where there is neither. */
export async function loadDriver(): Promise<OpenDatabase> {
  const { DatabaseSync } = await builtIn().catch(packaged);
  return (path, { readOnly = false } = {}) => new DatabaseSync(path, { readOnly });
}

async function builtIn(): Promise<SqliteModule> {
  return await import(BUILT_IN);
}

async function packaged(): Promise<SqliteModule> {
  try {
    // The compiler sees two classes with private parts of their own; what is used of them is the same.
    return (await import('@photostructure/sqlite')) as unknown as SqliteModule;
  } catch (cause) {
    throw new TroupeError('STORE_DRIVER_MISSING', {
      reason: 'Use Node 22.13 or later, or install @photostructure/sqlite 1.2.1.',
      cause,
    });
  }
}
