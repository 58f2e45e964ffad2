import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSchema, MIGRATIONS, migrate, pragma, prepareToWrite } from '../../../src/store/sqlite/schema.ts';
import { change, codeOf, driver, openInline, refusal, temporaryFolder } from './sqlite-harness.ts';

describe('the schema of a store', () => {
  it('is brought from any version to the newest, with what was there', () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const steps = [...MIGRATIONS, 'ALTER TABLE sessions ADD COLUMN colour TEXT', 'CREATE TABLE more (key INTEGER)'];
    const database = driver(path);
    migrate(database, steps.slice(0, 1));
    database.exec(`INSERT INTO sessions (id, epoch, last_seq, first_seq, bytes) VALUES ('a', 1, 7, 1, 0)`);

    migrate(database, steps);
    expect(pragma(database, 'user_version')).toBe(steps.length);
    expect({ ...database.prepare('SELECT id, last_seq, colour FROM sessions').get() }).toEqual({
      id: 'a',
      last_seq: 7,
      colour: null,
    });
    migrate(database, steps);
    database.close();
  });

  it('stays at the old version when a step fails: all of them or none', () => {
    const database = driver(join(temporaryFolder(), 'troupe.db'));
    migrate(database);

    const steps = [...MIGRATIONS, 'CREATE TABLE fine (key INTEGER)', 'ALTER TABLE nowhere ADD COLUMN x TEXT'];
    expect(() => migrate(database, steps)).toThrow('nowhere');
    expect(pragma(database, 'user_version')).toBe(MIGRATIONS.length);
    expect(database.prepare(`SELECT name FROM sqlite_schema WHERE name = 'fine'`).all()).toEqual([]);
    database.close();
  });

  it('of a later release is refused as STORE_NEWER, and the file is left as it was', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const database = driver(path);
    migrate(database, [...MIGRATIONS, 'CREATE TABLE later (key INTEGER)']);
    database.close();
    const before = readFileSync(path);

    const { code, details } = await refusal(openInline(path));
    expect(code).toBe('STORE_NEWER');
    expect(details).toMatchObject({ found: MIGRATIONS.length + 1, known: MIGRATIONS.length });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('of another program is refused as STORE_FOREIGN, and the file is left as it was', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const database = driver(path);
    database.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
    database.close();
    const before = readFileSync(path);

    expect(await codeOf(openInline(path))).toBe('STORE_FOREIGN');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is refused by its mark also when the other program has no table yet', () => {
    const database = driver(':memory:');
    database.exec('PRAGMA application_id = 1');
    expect(() => checkSchema(database, 'x.db')).toThrow(expect.objectContaining({ code: 'STORE_FOREIGN' }));
    database.close();
  });
});

describe('the file of a store', () => {
  it('is for its owner alone: conversations are in it (P11)', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const store = await openInline(path);
    await store.append(change('a', 1, 1));

    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  });

  it('can be asked by people: views for the log, prompts, permissions and the ledger', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const store = await openInline(path);
    await store.append(
      change('a', 1, 1, [
        { kind: 'prompt', id: 'p1', state: 'ended', outcome: 'completed', acceptedAt: 5, content: null },
        { kind: 'ledger', id: 'l1', at: 6, costUsd: 0.25 },
        {
          ...{ kind: 'permission', id: 'q1', about: 'tool', state: 'settled', toolName: 'Bash', inputDigest: 'd' },
          ...{ requestedAt: 1, decision: { outcome: 'allow', by: 'ann', at: 2 }, question: {} },
        },
      ]),
    );

    const database = driver(path, { readOnly: true });
    const first = (sql: string) => ({ ...database.prepare(sql).get() });
    expect(first('SELECT * FROM log')).toMatchObject({ session: 'a', seq: 1, type: 'message', data: '{"seq":1}' });
    expect(first('SELECT * FROM prompts')).toMatchObject({ session: 'a', id: 'p1', outcome: 'completed' });
    expect(first('SELECT * FROM permissions')).toMatchObject({ tool: 'Bash', decided_by: 'ann' });
    expect(first('SELECT sum(cost_usd) AS usd FROM ledger')).toEqual({ usd: 0.25 });
    database.close();
  });

  // STORE, pragmas: 4 000 pages of 4 KiB are carried over at once.
  it.each([
    ['made now has pages of 8 KiB', 8_192, ''],
    ['of an earlier release keeps its pages, and is carried over as often', 4_096, 'PRAGMA page_size = 4096'],
  ])('%s', async (_, pageBytes, made) => {
    const path = join(temporaryFolder(), 'troupe.db');
    if (made !== '') {
      const earlier = driver(path);
      earlier.exec(`${made}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL`);
      migrate(earlier);
      earlier.close();
    }
    const store = await openInline(path);
    await store.append(change('a', 1, 100));
    await store.close();

    const database = driver(path);
    prepareToWrite(database);
    expect(pragma(database, 'page_size')).toBe(pageBytes);
    expect(pragma(database, 'wal_autocheckpoint') * pageBytes).toBe(16 * 2 ** 20);
    expect({ ...database.prepare('SELECT count(*) AS events FROM log').get() }).toEqual({ events: 100 });
    database.close();
  });

  it('gives space back to the disk when much was forgotten', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const store = await openInline(path);
    const data = new Uint8Array(20_000).fill(120);
    for (let seq = 1; seq <= 1_000; seq += 100) {
      const events = Array.from({ length: 100 }, (_, index) => ({ ...changeEvent(seq + index), data }));
      await store.append({ sessionId: 'a', epoch: 1, events });
    }
    await store.close();
    const before = statSync(path).size;

    const again = await openInline(path);
    expect(await again.prune({ maxEventsPerSession: 10 })).toEqual({ events: 990, sessions: 0 });
    await again.close();
    expect(statSync(path).size).toBeLessThan(before / 3);
  });

  it.each([
    ['an empty file is a new store', ''],
    ['a file of something else is refused as STORE_DAMAGED and left as it was', 'Dear diary, '.repeat(500)],
  ])('%s', async (_, text) => {
    const path = join(temporaryFolder(), 'troupe.db');
    writeFileSync(path, text);
    if (text === '') return void (await openInline(path));

    const { code, details } = await refusal(openInline(path));
    expect(code).toBe('STORE_DAMAGED');
    expect(details['readable']).toEqual({ sessions: 0, events: 0, records: 0 });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

function changeEvent(seq: number) {
  return { seq, epoch: 1, at: seq, type: 'message' };
}
