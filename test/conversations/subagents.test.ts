import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import { storeProject } from '../../src/conversations/store-listing.ts';
import { getSubagentMessages, listSubagents } from '../../src/conversations/subagents.ts';
import { answer, idOf, prompt, transcriptDisk } from './transcript-disk.ts';

const SIDE = { isSidechain: true };
const ROWS = [prompt(1, 'Do it', SIDE), answer(2, 'Done', SIDE)];

describe('the subagents of a conversation (R103)', () => {
  it('are found in folders within folders too, each once', async () => {
    const { configDir, write } = openDisk();
    write('subagents/agent-a1.jsonl', ROWS);
    write('subagents/workflows/run-1/agent-b2.jsonl', ROWS);
    write('subagents/workflows/run-2/agent-b2.jsonl', ROWS);
    write('subagents/agent-c3.meta.json', '{}');
    write('subagents/notes.jsonl', ROWS);
    const target = write('tool-results/agent-d4.jsonl', ROWS);
    symlinkSync(target, join(dirname(target), '..', 'subagents', 'agent-e5.jsonl'));

    expect(await listSubagents(idOf(1), { configDir })).toEqual(['a1', 'b2']);
    expect(await getSubagentMessages(idOf(1), 'b2', { configDir })).toHaveLength(2);
    expect(await getSubagentMessages(idOf(1), 'e5', { configDir })).toEqual([]);
  });

  it('know who started them, from what the CLI noted beside them', async () => {
    const { configDir, write } = openDisk();
    write('subagents/agent-a1.jsonl', ROWS);
    write('subagents/agent-a1.meta.json', JSON.stringify({ toolUseId: 'toolu_1', parentAgentId: 'b2' }));

    const [first] = await getSubagentMessages(idOf(1), 'a1', { configDir });
    expect(first).toMatchObject({ type: 'user', parent_tool_use_id: 'toolu_1', parent_agent_id: 'b2' });
  });

  it.each(['{"toolUseId":', '[]', '{"toolUseId":7,"parentAgentId":null}', `{"toolUseId":"${'x'.repeat(300_000)}"}`])(
    'are read all the same when that note is bad: %.40s',
    async (note) => {
      const { configDir, write } = openDisk();
      write('subagents/agent-a1.jsonl', ROWS);
      write('subagents/agent-a1.meta.json', note);
      const [first] = await getSubagentMessages(idOf(1), 'a1', { configDir });
      expect(first).toMatchObject({ parent_tool_use_id: null, parent_agent_id: null });
    },
  );

  it('come in pages, and tell of lines that cannot be read', async () => {
    const { configDir, write } = openDisk();
    write('subagents/agent-a1.jsonl', `corrupt\n${ROWS.map((row) => JSON.stringify(row)).join('\n')}`);
    const told: number[] = [];
    const onSkipped = ({ corrupt }: { corrupt: number }) => told.push(corrupt);

    expect(await getSubagentMessages(idOf(1), 'a1', { configDir, offset: 1, onSkipped })).toMatchObject([
      { type: 'assistant' },
    ]);
    expect(told).toEqual([1]);
  });

  it.each(['../a1', 'a1/../a1', '..', '', 'a1\u0000', '-a1', 'x'.repeat(300)])(
    'are not looked for by an id that could lead elsewhere: %j',
    async (agentId) => {
      const { configDir, write } = openDisk();
      write('subagents/agent-a1.jsonl', ROWS);
      write('agent-a1.jsonl', ROWS);
      expect(await getSubagentMessages(idOf(1), agentId, { configDir })).toEqual([]);
      expect(await getSubagentMessages('../x', 'a1', { configDir })).toEqual([]);
    },
  );
});

describe('the subagents in a store', () => {
  it('are the same, also nested ones, with who started them', async () => {
    const { store, key } = await openStore();
    const nested = { ...key, subpath: 'subagents/workflows/run-1/agent-b2' };
    await store.append(nested, [...ROWS, { type: 'agent_metadata', toolUseId: 'toolu_1' }]);
    await store.append({ ...key, subpath: 'subagents/agent-a1' }, ROWS);
    await store.append({ ...key, subpath: 'tool-results/agent-c3' }, ROWS);
    const where = { sessionStore: store };

    expect((await listSubagents(key.sessionId, where)).toSorted()).toEqual(['a1', 'b2']);
    const messages = await getSubagentMessages(key.sessionId, 'b2', where);
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant']);
    expect(messages[0]?.parent_tool_use_id).toBe('toolu_1');
    expect(await getSubagentMessages(key.sessionId, 'zz', where)).toEqual([]);
  });

  it('can be read, but not listed, where the store cannot list them', async () => {
    const { store, key } = await openStore();
    await store.append({ ...key, subpath: 'subagents/agent-a1' }, ROWS);
    const sessionStore = {
      append: store.append.bind(store),
      load: store.load.bind(store),
    };

    expect(await getSubagentMessages(key.sessionId, 'a1', { sessionStore })).toHaveLength(2);
    await expect(listSubagents(key.sessionId, { sessionStore })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'sessionStore', method: 'listSubkeys' },
    });
  });
});

function openDisk() {
  const { configDir, write } = transcriptDisk();
  write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'Hello')]);
  return {
    configDir,
    write: (name: string, content: string | readonly object[]) => write(`-srv/${idOf(1)}/${name}`, content),
  };
}

async function openStore() {
  const { projectKey } = await storeProject(undefined);
  return { store: new InMemorySessionStore(), key: { projectKey, sessionId: idOf(1) } };
}
