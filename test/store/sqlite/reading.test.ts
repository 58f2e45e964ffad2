import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportSession } from '../../../src/store/export-session.ts';
import { importSession } from '../../../src/store/import-session.ts';
import { openStoreReaderOn } from '../../../src/store/sqlite/reading.ts';
import type { SessionRecord } from '../../../src/store/store-record.ts';
import { inlineThread } from './inline-thread.ts';
import { change, codeOf, driver, event, openInline, readAll, refusal, temporaryFolder } from './sqlite-harness.ts';

const session: SessionRecord = {
  ...{ kind: 'session', state: 'running', options: { cwd: '/somewhere' }, settings: {} },
  ...{ conversationIds: [], restarts: [], deadlines: {} },
};

describe('a store that is opened to be read', () => {
  it('shows what another has made durable, also later, and keeps nobody from writing', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const store = await openInline(path);
    await store.append(change('a', 1, 2, [session]));
    const reader = await openReader(path);

    expect(await readAll(reader, 'a')).toEqual(change('a', 1, 2).events);
    await store.append(change('a', 3, 3));
    expect(await reader.head('a')).toMatchObject({ lastSeq: 3 });
    expect(await reader.snapshot('a')).toMatchObject({ lastSeq: 3, records: [session] });
    await store.close();
    const next = await openInline(path);
    await next.append(change('a', 4, 4));
    expect(await readAll(reader, 'a', 3)).toEqual(change('a', 4, 4).events);
  });

  it('may be one that nobody has open', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const store = await openInline(path);
    await store.append(change('a', 1, 1, [session]));
    await store.close();
    const before = readFileSync(path);
    const reader = await openReader(path);

    expect(await readAll(reader, 'a')).toEqual(change('a', 1, 1).events);
    await reader.close();
    expect(await codeOf(reader.head('a'))).toBe('STORE_CLOSED');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is refused where there is none, and none is made', async () => {
    const path = join(temporaryFolder(), 'troupe.db');

    expect(await codeOf(openReader(path))).toBe('STORE_UNREACHABLE');
    expect(existsSync(path)).toBe(false);
  });

  it('is refused with what to do where no file can be made beside it', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    await (await openInline(path)).close();
    // As SQLite says it in a folder that cannot be written; root can write everywhere.
    const cannotOpen = Object.assign(new Error('unable to open database file'), { errcode: 14 });
    const opening = openStoreReaderOn(path, () =>
      inlineThread(() => {
        throw cannotOpen;
      }),
    );

    expect(await refusal(opening)).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('read the copy'),
    });
  });

  it('is refused when it is something else', async () => {
    const path = join(temporaryFolder(), 'other.db');
    const other = driver(path);
    other.exec('CREATE TABLE t (x)');
    other.close();
    expect(await codeOf(openReader(path))).toBe('STORE_FOREIGN');

    const text = join(temporaryFolder(), 'text');
    writeFileSync(text, 'no database at all, and longer than a page of one'.repeat(100));
    expect(await codeOf(openReader(text))).toBe('STORE_DAMAGED');
    const empty = join(temporaryFolder(), 'empty');
    writeFileSync(empty, '');
    expect(await codeOf(openReader(empty))).toBe('STORE_FOREIGN');
  });

  it('can be exported while another writes, and imported elsewhere', async () => {
    const folder = temporaryFolder();
    const store = await openInline(join(folder, 'one.db'));
    await store.append(change('a', 1, 700, [session]));
    await store.append({ sessionId: 'a', epoch: 2, events: [{ ...event(701), epoch: 2 }] });
    await store.prune({ maxEventsPerSession: 600 });
    const reader = await openReader(join(folder, 'one.db'));
    const other = await openInline(join(folder, 'other.db'));
    const lines: string[] = [];
    for await (const line of exportSession(reader, 'a')) lines.push(line.trimEnd());

    await importSession(other, lines);
    expect(await readAll(other, 'a')).toEqual(await readAll(store, 'a'));
    expect(await other.snapshot('a')).toEqual(await store.snapshot('a'));
  });
});

async function openReader(path: string) {
  const reader = await openStoreReaderOn(path, () => inlineThread(driver));
  onTestFinished(() => reader.close());
  return reader;
}
