import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renameSession } from '../../../src/conversations/change-session.ts';
import { forkSession } from '../../../src/conversations/fork-session.ts';
import { importSessionToStore } from '../../../src/conversations/import-session.ts';
import { InMemorySessionStore } from '../../../src/conversations/in-memory-session-store.ts';
import { getSessionInfo, listSessions } from '../../../src/conversations/list-sessions.ts';
import { getSessionMessages } from '../../../src/conversations/read-messages.ts';
import { jsonSeeds } from '../json-input.ts';
import { recordedLines } from '../recorded-lines.ts';
import { attemptAsync } from '../refusals.ts';
import { type FuzzRunner, type FuzzTarget, holds } from '../target.ts';

const ID = '00000001-0000-4000-8000-000000000000';

export const target: FuzzTarget = {
  name: 'transcripts',
  promise:
    'P6, P10 What the CLI keeps of a conversation may hold anything: it is listed, read, forked and renamed, or refused.',
  format: 'ndjson',
  isGuided: true,
  seeds: () => [chain(), Buffer.from(recordedLines().slice(0, 20).join('\n'))],
  open,
};

function open(): FuzzRunner {
  const configDir = mkdtempSync(join(tmpdir(), 'troupe-fuzz-config-'));
  const folder = join(configDir, 'projects', '-srv-app');
  mkdirSync(folder, { recursive: true });
  return {
    run: async (input) => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, `${ID}.jsonl`), input);
      await readAll(configDir);
    },
    close: () => rmSync(configDir, { recursive: true, force: true }),
  };
}

async function readAll(configDir: string): Promise<void> {
  const listed = await listSessions({ configDir });
  const info = await getSessionInfo(ID, { configDir });
  holds(listed.length === (info === undefined ? 0 : 1), 'It is listed and not found, or the other way round.');
  holds(typeof JSON.stringify(info ?? null) === 'string', 'What is told of it is no JSON.');
  await attemptAsync(() => getSessionMessages(ID, { configDir }));
  await attemptAsync(() => getSessionMessages(ID, { configDir, limit: 2, offset: 1 }));
  await attemptAsync(() => importSessionToStore(ID, new InMemorySessionStore(), { configDir }));
  const forked = await attemptAsync(() => forkSession(ID, { configDir }));
  if ('value' in forked) {
    const { sessionId } = forked.value;
    holds(sessionId !== ID, 'A fork has the id of what it was made of.');
    await attemptAsync(() => getSessionMessages(sessionId, { configDir }));
  }
  const renamed = await attemptAsync(() => renameSession(ID, 'Another', { configDir }));
  const after = await getSessionInfo(ID, { configDir });
  if ('value' in renamed)
    holds(after === undefined || after.customTitle === 'Another', `It is called ${after?.customTitle}.`);
}

/** A conversation with everything in it that readers look for. */
function chain(): Buffer {
  const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const row = (number: number, type: string, more: object) => ({
    type,
    uuid: uuid(number),
    parentUuid: number > 1 ? uuid(number - 1) : null,
    timestamp: '2026-01-01T00:00:00.000Z',
    sessionId: ID,
    cwd: '/srv/app',
    gitBranch: 'main',
    isSidechain: false,
    ...more,
  });
  const use = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } };
  const given = { type: 'tool_result', tool_use_id: 't1', content: 'a' };
  return Buffer.from(
    jsonSeeds(
      row(1, 'user', { message: { role: 'user', content: 'Hello' } }),
      row(2, 'assistant', { message: { role: 'assistant', content: [{ type: 'text', text: 'Yes' }, use] } }),
      row(3, 'user', { message: { role: 'user', content: [given] }, toolUseResult: {} }),
      row(4, 'system', { subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 1 } }),
      { type: 'summary', summary: 'A greeting', leafUuid: uuid(2) },
      { type: 'custom-title', customTitle: 'Mine', sessionId: ID },
      { type: 'tag', tag: 'x', sessionId: ID },
      { type: 'file-history-snapshot', messageId: uuid(1), snapshot: {} },
      { type: 'mode', mode: 'plan' },
    ).join('\n'),
  );
}
