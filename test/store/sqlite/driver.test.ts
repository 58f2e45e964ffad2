import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../../src/errors.ts';
import { assertDriver, driverFrom, findDriver } from '../../../src/store/sqlite/driver.ts';
import { resultCodeOf } from '../../../src/store/sqlite/failure.ts';

const load = createRequire(import.meta.url);

describe('the driver of a store', () => {
  it('is the first that works: the one of Node, better-sqlite3, @photostructure/sqlite', () => {
    const tried: string[] = [];
    const only = (wanted: string) => (name: string) => {
      tried.push(name);
      if (name !== wanted) throw new Error(`Cannot find module '${name}'\nRequire stack: …`);
      return name === 'better-sqlite3' ? BetterSqlite3 : { DatabaseSync: Connection };
    };

    expect(driverFrom(only('node:sqlite')).name).toBe('node:sqlite');
    expect(tried.splice(0)).toEqual(['node:sqlite']);
    expect(driverFrom(only('better-sqlite3')).name).toBe('better-sqlite3');
    expect(tried.splice(0)).toEqual(['node:sqlite', 'better-sqlite3']);
    expect(driverFrom(only('@photostructure/sqlite')).name).toBe('@photostructure/sqlite');
    expect(tried.splice(0)).toEqual(['node:sqlite', 'better-sqlite3', '@photostructure/sqlite']);
  });

  it('is the next one where a package is there without its binary', () => {
    const driver = driverFrom((name) => {
      if (name === 'node:sqlite') throw new Error('No such built-in module');
      return name === 'better-sqlite3' ? BetterSqlite3WithoutBinary : { DatabaseSync: Connection };
    });

    expect(driver.name).toBe('@photostructure/sqlite');
  });

  it('is STORE_DRIVER_MISSING where there is none, with the remedies and why each was of no use', () => {
    const failure = caught(() =>
      driverFrom((name) => {
        throw new Error(`no ${name}\nRequire stack: …`);
      }),
    );

    expect(failure).toMatchObject({ code: 'STORE_DRIVER_MISSING' });
    expect(failure.message).toContain('Node 22.13');
    expect(failure.message).toContain('npm install better-sqlite3@12');
    expect(failure.message).toContain('npm install @photostructure/sqlite@1.2.1');
    expect(failure.details['failures']).toEqual({
      'node:sqlite': 'no node:sqlite',
      'better-sqlite3': 'no better-sqlite3',
      '@photostructure/sqlite': 'no @photostructure/sqlite',
    });
  });

  it('is there in this process, and the one that was asked for', () => {
    assertDriver();
    const { name } = driverFrom(load);
    expect(findDriver().name).toBe(process.env['TROUPE_TEST_DRIVER'] ?? name);
  });
});

describe('better-sqlite3', () => {
  const driver = driverFrom((name) => {
    if (name !== 'better-sqlite3') throw new Error('not this one');
    return BetterSqlite3;
  });

  it('is not asked for rows by a statement that has none, which it refuses', () => {
    const database = driver.open('x', { readOnly: true });

    expect(database.prepare('PRAGMA incremental_vacuum').all()).toEqual([]);
    expect(database.prepare('PRAGMA incremental_vacuum').get()).toBeUndefined();
    expect(database.prepare('SELECT 1').all()).toEqual([{ one: 1 }]);
  });

  it.each([
    ['SQLITE_FULL', 13],
    ['SQLITE_BUSY', 5],
    ['SQLITE_BUSY_SNAPSHOT', 5],
    ['SQLITE_IOERR_FSYNC', 10],
    ['SQLITE_READONLY_DBMOVED', 8],
    ['SQLITE_CORRUPT', 11],
    ['SQLITE_NOTADB', 26],
    ['SQLITE_CANTOPEN_ISDIR', 14],
    ['ENOSPC', 0],
  ])('says %s, which is result code %i', (code, expected) => {
    expect(resultCodeOf(Object.assign(new Error('x'), { code }))).toBe(expected);
  });
});

class Connection {
  close(): void {}
}

class BetterSqlite3WithoutBinary {
  constructor() {
    throw new Error('Could not locate the bindings file.');
  }
}

class BetterSqlite3 extends Connection {
  prepare(sql: string) {
    const reader = sql.startsWith('SELECT');
    const rows = (): unknown[] => {
      if (!reader) throw new TypeError('This statement does not return data. Use run() instead');
      return [{ one: 1 }];
    };
    return { reader, run: () => ({}), get: () => rows()[0], all: rows };
  }
}

function caught(work: () => unknown): TroupeError {
  try {
    work();
  } catch (error) {
    if (TroupeError.is(error)) return error;
  }
  throw new Error('It was not refused.');
}
