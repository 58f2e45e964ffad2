import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { exportSession } from '../../../src/store/export-session.ts';
import { importSession } from '../../../src/store/import-session.ts';
import { checkStore } from '../../../src/store/sqlite/check.ts';
import { openStoreReaderOn } from '../../../src/store/sqlite/reading.ts';
import { salvageStore } from '../../../src/store/sqlite/salvage.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/schema.ts';
import type { StoredEvent, StoreReader } from '../../../src/store/store.ts';
import { storedEventsOf } from '../../../src/store/stored-row.ts';
import { sessionEventOf } from '../../../src/store/stored-session-event.ts';
import { inlineThread } from './inline-thread.ts';
import { driver, openInline, readAll, seqsOf, temporaryFolder } from './sqlite-harness.ts';

describe('a file of the first version, which has one event in each row', () => {
  it('is read as it is, also while this release brings it forward beside the reader (P7)', async () => {
    const path = fileOfVersion1();
    const reader = await openStoreReaderOn(path, () => inlineThread(driver));
    const before = await apart(reader, 'review-1');
    expect(before.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(checkStore(path)).toMatchObject({ events: 30, problems: [] });

    const store = await openInline(path);
    await store.append({ sessionId: 'review-1', epoch: 2, events: [{ ...row(11, ['a', 'b']), epoch: 2 }] });

    const after = await apart(reader, 'review-1');
    expect(after.slice(0, 10)).toEqual(before);
    expect(after.slice(10).map(({ data }) => text(data))).toEqual(['a', 'b']);
    await reader.close();
  });

  it('is opened with every event, record and number that it had, and goes on in rows', async () => {
    const path = fileOfVersion1();
    const store = await openInline(path);

    const events = (await apart(store, 'review-1')).map(sessionEventOf);
    expect(events.map(({ type }) => type)).not.toContain('diagnostic');
    const kinds = events.flatMap((event) => (event.type === 'message' ? [event.message.type] : []));
    expect(kinds).toEqual(['system', ...Array(3).fill('stream_event'), 'a/b', 'stream_event', 'result']);
    expect((await store.snapshot('review-1'))?.records.map(({ kind }) => kind)).toEqual([
      'session',
      'prompt',
      'permission',
    ]);
    expect(await store.head('long')).toEqual({ lastSeq: 30, firstSeq: 11, epoch: 1 });
    await store.append({ sessionId: 'long', epoch: 1, events: [row(31, ['{"a":1}', '{"b":2}'])] });
    expect(await store.prune({ maxEventsPerSession: 4 })).toEqual({ events: 6 + 18, sessions: 0 });
    expect((await apart(store, 'long')).map(({ seq }) => seq)).toEqual([29, 30, 31, 32]);
    await store.close();
    expect(checkStore(path)).toMatchObject({ events: 8, problems: [] });
  });

  it('is salvaged into one of the newest version', async () => {
    const target = join(temporaryFolder(), 'saved.db');

    expect(await salvageStore(fileOfVersion1(), target)).toMatchObject({ events: 30, lostEvents: 0 });
    expect(driver(target).prepare('PRAGMA user_version').get()?.['user_version']).toBe(MIGRATIONS.length);
    expect(checkStore(target).problems).toEqual([]);
  });
});

describe('lines that stand in one row of a file', () => {
  const ODD = ['{"text":"\\n is no line end, \\\\n neither"}', '{"quote":"\\"","tab":"\t"}', '{"é":"漢🦊"}', '[]'];

  it('are shown to people one by one, each with its number', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const store = await openInline(path);
    await store.append({ sessionId: 'a', epoch: 1, events: [plain(1), row(2, ODD), plain(6)] });
    await store.append({ sessionId: 'b', epoch: 1, events: [row(1, ['x', 'y'])] });

    const database = driver(path, { readOnly: true });
    const shown = database.prepare(`SELECT seq, at, data FROM log WHERE session = 'a' ORDER BY seq`).all();
    expect(shown.map((one) => ({ ...one }))).toEqual([
      { seq: 1, at: 1_001, data: 'plain' },
      ...ODD.map((data, index) => ({ seq: 2 + index, at: 1_000, data })),
      { seq: 6, at: 1_006, data: 'plain' },
    ]);
    expect(database.prepare('SELECT count(*) AS number FROM log').get()?.['number']).toBe(8);
    database.close();
  });

  it('are as many when the file is checked and salvaged, and keep their numbers', async () => {
    const [path, target] = [join(temporaryFolder(), 'troupe.db'), join(temporaryFolder(), 'saved.db')];
    const store = await openInline(path);
    await store.append({ sessionId: 'a', epoch: 1, events: [plain(1), row(2, ODD), plain(6)] });
    await store.close();
    expect(checkStore(path)).toMatchObject({ events: 6, problems: [] });

    const database = driver(path);
    database.exec('DELETE FROM events WHERE seq = 1; UPDATE events SET count = 99 WHERE seq = 2');
    database.close();
    expect(checkStore(path).problems).toHaveLength(1);
    expect(await salvageStore(path, target)).toMatchObject({ events: 5, lostEvents: 1 });
    const saved = await openInline(target);
    expect(await seqsOf(saved, 'a')).toEqual([1, 2, 6]);
    expect((await apart(saved, 'a')).map(({ type }) => type)).toEqual(['log.lost', ...Array(4).fill(LINE), 'plain']);
    await saved.prune({ maxEventsPerSession: 0 });
    expect(driver(target, { readOnly: true }).prepare('SELECT bytes FROM sessions').get()?.['bytes']).toBe(0);
  });

  it('are exported line by line, and imported into rows again', async () => {
    const store = await openInline(join(temporaryFolder(), 'troupe.db'));
    const record = { kind: 'session', state: 'hibernated', options: {}, settings: {} } as const;
    const records = [{ ...record, conversationIds: [], restarts: [], deadlines: {} }];
    await store.append({ sessionId: 'a', epoch: 1, events: [plain(1), row(2, ODD), plain(6)], records });
    const lines: string[] = [];
    for await (const line of exportSession(store, 'a')) lines.push(line.trimEnd());
    expect(lines.map((line) => JSON.parse(line).seq).filter((seq) => seq !== undefined)).toEqual([1, 2, 3, 4, 5, 6]);

    const other = await openInline(join(temporaryFolder(), 'other.db'));
    expect(await importSession(other, lines)).toMatchObject({ events: 6 });
    expect(await readAll(other, 'a')).toEqual(await readAll(store, 'a'));
  });
});

const LINE = 'message/stream_event';

function fileOfVersion1(): string {
  const path = join(temporaryFolder(), 'troupe.db');
  writeFileSync(path, gunzipSync(readFileSync(new URL('version-1.db.gz', import.meta.url))));
  return path;
}

function row(seq: number, lines: readonly string[]): StoredEvent {
  return { seq, epoch: 1, at: 1_000, type: LINE, data: Buffer.from(lines.join('\n')), count: lines.length };
}

function plain(seq: number): StoredEvent {
  return { seq, epoch: 1, at: 1_000 + seq, type: 'plain', data: Buffer.from('plain') };
}

async function apart(store: StoreReader, sessionId: string): Promise<StoredEvent[]> {
  const rows = await readAll(store, sessionId);
  return rows.flatMap((one) => ('data' in one ? storedEventsOf(one) : []));
}

function text(data: Uint8Array): string {
  return Buffer.from(data).toString();
}
