import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { salvageStore } from '../../../src/store/sqlite/salvage.ts';
import { change, codeOf, driver, openInline, readAll, refusal, seqsOf, temporaryFolder } from './sqlite-harness.ts';

const PAGE_BYTES = 8_192;

describe('a damaged store', () => {
  it('is refused as STORE_DAMAGED when it is opened, with how much can still be read', async () => {
    const path = await filledStore();
    damage(path, rootOf(path, 'holder'));

    const { code, details, message } = await refusal(openInline(path));
    expect(code).toBe('STORE_DAMAGED');
    expect(details['readable']).toEqual({ sessions: 2, events: 1_200, records: 2 });
    expect(message).toContain('1200 events');
    expect(await codeOf(openInline(path))).toBe('STORE_DAMAGED');
  });

  it('says STORE_DAMAGED to who reads into the damage, and serves the rest', async () => {
    const path = await filledStore();
    damage(path, leafOf(path, 'events', 2));
    const store = await openInline(path);

    expect(await codeOf(readAll(store, 'a'))).toBe('STORE_DAMAGED');
    expect((await seqsOf(store, 'b', 500)).length).toBe(100);
  });

  it('is salvaged into a new one: what can be read is there under its number, what cannot is told as log.lost', async () => {
    const path = await filledStore();
    damage(path, leafOf(path, 'events', 2));
    const target = join(temporaryFolder(), 'salvaged.db');

    const { sessions, events, records, lostEvents } = await salvageStore(path, target);
    expect({ sessions, records }).toEqual({ sessions: 2, records: 2 });
    expect(lostEvents).toBeGreaterThan(0);
    expect(lostEvents).toBeLessThan(300); // One page of so small events.
    expect(events + lostEvents).toBe(1_200);

    const store = await openInline(target);
    for (const session of ['a', 'b']) {
      expect(await seqsOf(store, session)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    }
    const all = [...(await readAll(store, 'a')), ...(await readAll(store, 'b'))];
    expect(all.filter(({ type }) => type === 'log.lost')).toHaveLength(lostEvents);
    expect(all.filter((one) => 'data' in one && one.type === 'message' && hasItsText(one))).toHaveLength(events);
    expect((await store.snapshot('a'))?.records).toHaveLength(1);
    await store.append(change('a', 601, 601));
  });

  it('keeps events whose session cannot be read any more together, under a name that says so', async () => {
    const path = await filledStore();
    damage(path, rootOf(path, 'sessions'));
    const target = join(temporaryFolder(), 'salvaged.db');

    expect(await salvageStore(path, target)).toMatchObject({ sessions: 0, events: 1_200, lostEvents: 0 });
    const store = await openInline(target);
    expect((await seqsOf(store, 'salvaged-1')).length).toBe(600);
    expect((await seqsOf(store, 'salvaged-2')).length).toBe(600);
  });

  it('is left as it was, and nothing that exists is written over', async () => {
    const path = await filledStore();
    damage(path, leafOf(path, 'events', 2));
    const before = readFileSync(path);

    await salvageStore(path, join(temporaryFolder(), 'salvaged.db'));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(await codeOf(salvageStore(path, path))).toBe('STORE_UNREACHABLE');
    expect(statSync(path).size).toBe(before.length);
  });
});

/** Two sessions of 600 events and a record each, closed. */
async function filledStore(): Promise<string> {
  const path = join(temporaryFolder(), 'troupe.db');
  const store = await openInline(path);
  const record = { kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: null } as const;
  await Promise.all([store.append(change('a', 1, 600, [record])), store.append(change('b', 1, 600, [record]))]);
  await store.close();
  return path;
}

function hasItsText({ seq, data }: { seq: number; data: Uint8Array }): boolean {
  return new TextDecoder().decode(data) === `{"seq":${seq}}`;
}

function rootOf(path: string, table: string): number {
  const database = driver(path, { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(row?.['rootpage']);
}

/** The nth page that the table's root points to. */
function leafOf(path: string, table: string, nth: number): number {
  const page = readFileSync(path)
    .subarray((rootOf(path, table) - 1) * PAGE_BYTES)
    .subarray(0, PAGE_BYTES);
  expect(page[0]).toBe(5); // An inner page of a table.
  const cell = page.readUInt16BE(12 + 2 * nth);
  return page.readUInt32BE(cell);
}

function damage(path: string, page: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  closeSync(file);
}
