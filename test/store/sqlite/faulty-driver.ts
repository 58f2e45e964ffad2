import type { Database, OpenDatabase, Statement } from '../../../src/store/sqlite/driver.ts';
import { driver } from './sqlite-harness.ts';

/** A driver whose Nth operation from now on fails with a result code of SQLite. */
export function faultyDriver(errcode: number) {
  let left = Infinity;
  const step = (): void => {
    left -= 1;
    if (left === 0) throw Object.assign(new Error('fault'), { code: 'ERR_SQLITE_ERROR', errcode });
  };
  const wrapStatement = (statement: Statement): Statement => ({
    run: (...values) => {
      step();
      return statement.run(...values);
    },
    get: (...values) => {
      step();
      return statement.get(...values);
    },
    all: (...values) => {
      step();
      return statement.all(...values);
    },
  });
  const faulty: OpenDatabase = (path, options): Database => {
    const database = driver(path, options);
    return {
      exec(sql) {
        if (sql !== 'ROLLBACK') step();
        database.exec(sql);
      },
      prepare: (sql) => wrapStatement(database.prepare(sql)),
      close: () => database.close(),
    };
  };
  return {
    driver: faulty,
    failAt(nth: number): void {
      left = nth;
    },
    /** Whether it had failed. */
    disarm(): boolean {
      const hasFailed = left <= 0;
      left = Infinity;
      return hasFailed;
    },
  };
}
