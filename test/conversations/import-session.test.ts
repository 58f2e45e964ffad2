import { describe, expect, it } from 'vitest';
import { importSessionToStore } from '../../src/conversations/import-session.ts';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import type { SessionKey, SessionStoreEntry } from '../../src/conversations/session-store.ts';
import { storeProject } from '../../src/conversations/store-listing.ts';
import { answer, idOf, linesOf, prompt, transcriptDisk } from './transcript-disk.ts';

const ROWS = [prompt(1, 'Hello'), answer(2, 'Yes'), { type: 'tag', tag: 'red' }];

describe('importing a conversation into a store', () => {
  it('brings all lines in order, its subagents and what is known of them', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS);
    write(`-srv/${idOf(1)}/subagents/agent-a1.jsonl`, [prompt(1, 'Do it')]);
    write(`-srv/${idOf(1)}/subagents/agent-a1.meta.json`, '{"toolUseId":"toolu_1"}');
    write(`-srv/${idOf(1)}/subagents/w/agent-b2.jsonl`, [prompt(1, 'Do that')]);
    const store = new InMemorySessionStore();
    await importSessionToStore(idOf(1), store, { configDir });

    const key = await keyOf(1);
    expect(store.getEntries(key)).toEqual(ROWS);
    expect(store.getEntries({ ...key, subpath: 'subagents/agent-a1' })).toEqual([
      prompt(1, 'Do it'),
      { type: 'agent_metadata', toolUseId: 'toolu_1' },
    ]);
    expect(store.getEntries({ ...key, subpath: 'subagents/w/agent-b2' })).toHaveLength(1);
  });

  it('leaves subagents out when asked to', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS);
    write(`-srv/${idOf(1)}/subagents/agent-a1.jsonl`, ROWS);
    const store = new InMemorySessionStore();
    await importSessionToStore(idOf(1), store, { configDir, includeSubagents: false });
    expect(await store.listSubkeys(await keyOf(1))).toEqual([]);
  });

  it('may be done again: what has a uuid is there once', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS.slice(0, 2));
    const store = new InMemorySessionStore();
    for (let time = 0; time < 2; time += 1) await importSessionToStore(idOf(1), store, { configDir });
    expect(store.getEntries(await keyOf(1))).toHaveLength(2);
  });

  it('goes in batches of lines and of characters', async () => {
    const { configDir, write } = transcriptDisk();
    write(
      `-srv/${idOf(1)}.jsonl`,
      Array.from({ length: 1_001 }, (_, index) => prompt(index + 1, 'x')),
    );
    write(
      `-srv/${idOf(2)}.jsonl`,
      Array.from({ length: 4 }, (_, index) => prompt(index + 1, 'x'.repeat(600_000))),
    );

    expect(await batchesOf(1, { configDir })).toEqual([500, 500, 1]);
    expect(await batchesOf(1, { configDir, batchSize: 400 })).toEqual([400, 400, 201]);
    expect(await batchesOf(2, { configDir })).toEqual([2, 2]);
  });

  it('tells of corrupt lines, and imports the others', async () => {
    const { configDir, write } = transcriptDisk();
    const path = write(`-srv/${idOf(1)}.jsonl`, `broken\n${linesOf(ROWS)}{"ty`);
    const told: unknown[] = [];
    const store = new InMemorySessionStore();
    await importSessionToStore(idOf(1), store, { configDir, onSkipped: (skipped) => told.push(skipped) });
    expect(store.getEntries(await keyOf(1))).toEqual(ROWS);
    expect(told).toEqual([{ path, corrupt: 2, tooLong: 0 }]);
  });

  it('stops with the reason of a store that fails', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS);
    const store = { append: () => Promise.reject(new Error('No room.')), load: async () => null };
    await expect(importSessionToStore(idOf(1), store, { configDir })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(importSessionToStore(idOf(2), store, { configDir })).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
  });

  it.each([0, -1, 1.5])('refuses %d as the size of a batch', async (batchSize) => {
    const importing = importSessionToStore(idOf(1), new InMemorySessionStore(), { batchSize });
    await expect(importing).rejects.toMatchObject({ code: 'INVALID_OPTIONS', details: { field: 'batchSize' } });
  });
});

async function keyOf(number: number): Promise<SessionKey> {
  const { projectKey } = await storeProject(undefined);
  return { projectKey, sessionId: idOf(number) };
}

async function batchesOf(number: number, options: object): Promise<number[]> {
  const sizes: number[] = [];
  const append = async (_key: SessionKey, entries: SessionStoreEntry[]) => void sizes.push(entries.length);
  await importSessionToStore(idOf(number), { append, load: async () => null }, options);
  return sizes;
}
