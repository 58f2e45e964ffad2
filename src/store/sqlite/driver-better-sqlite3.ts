import type { Database, OpenDatabase, Row, SqlValue, Statement } from './driver.ts';

/** What is used of the package, which has no types of its own and need not be installed. */
export type BetterSqlite3 = new (
  path: string,
  options: { readonly readonly: boolean },
) => {
  exec(sql: string): unknown;
  prepare(sql: string): BetterStatement;
  close(): unknown;
};

interface BetterStatement {
  /** Whether it has columns: only then may it be asked for rows. */
  readonly reader: boolean;
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

/** better-sqlite3, spoken to as Node's own module is. What it throws is understood by `resultCodeOf`. */
export function openBetterSqlite3(Connection: BetterSqlite3): OpenDatabase {
  return (path, { readOnly = false } = {}): Database => {
    const database = new Connection(path, { readonly: readOnly });
    return {
      exec: (sql) => void database.exec(sql),
      prepare: (sql) => statementOf(database.prepare(sql)),
      close: () => void database.close(),
    };
  };
}

function statementOf(statement: BetterStatement): Statement {
  if (statement.reader) return statement;
  return {
    run: (...values) => statement.run(...values),
    get: (...values) => void statement.run(...values),
    all: (...values) => {
      statement.run(...values);
      return [];
    },
  };
}
