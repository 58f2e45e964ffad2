import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  deleteSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
} from '../../../src/index.ts';
import { answer, idOf, linesOf, prompt, transcriptDisk } from '../../conversations/transcript-disk.ts';
import { stage } from '../real-cli/stage.ts';

const ROWS = [prompt(1, 'Hello'), answer(2, 'Yes')];
const DEADLINE_MS = 20_000;

/** A pipe that nobody writes to: who opens it in the ordinary way waits for ever. */
async function fifo(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
  return path;
}

describe('pipes and links where transcripts lie (R103, P5)', () => {
  it('are passed over by lists and by readers, and nobody waits for them', { timeout: DEADLINE_MS }, async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS);
    const outside = write('../outside.jsonl', ROWS);
    const project = join(configDir, 'projects', '-srv');
    await fifo(join(project, `${idOf(2)}.jsonl`));
    symlinkSync(outside, join(project, `${idOf(3)}.jsonl`));
    symlinkSync(join(project, `${idOf(2)}.jsonl`), join(project, `${idOf(4)}.jsonl`));

    expect((await listSessions({ configDir })).map(({ sessionId }) => sessionId)).toEqual([idOf(1)]);
    for (const number of [2, 3, 4]) {
      expect(await getSessionInfo(idOf(number), { configDir })).toBeUndefined();
      expect(await getSessionMessages(idOf(number), { configDir })).toEqual([]);
      await expect(renameSession(idOf(number), 'Title', { configDir })).rejects.toMatchObject({
        code: 'CONVERSATION_NOT_FOUND',
      });
      const store = new InMemorySessionStore();
      await expect(importSessionToStore(idOf(number), store, { configDir })).rejects.toMatchObject({
        code: 'CONVERSATION_NOT_FOUND',
      });
    }
  });

  it('among subagents are no subagents', { timeout: DEADLINE_MS }, async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS);
    write(`-srv/${idOf(1)}/subagents/agent-good.jsonl`, ROWS);
    const outside = write('../outside.jsonl', ROWS);
    const folder = join(configDir, 'projects', '-srv', idOf(1), 'subagents');
    await fifo(join(folder, 'agent-pipe.jsonl'));
    // The note beside a subagent may be a pipe as well.
    await fifo(join(folder, 'agent-good.meta.json'));
    symlinkSync(outside, join(folder, 'agent-link.jsonl'));

    expect(await listSubagents(idOf(1), { configDir })).toEqual(['good']);
    for (const agent of ['pipe', 'link']) {
      expect(await getSubagentMessages(idOf(1), agent, { configDir })).toEqual([]);
    }
    expect(await getSubagentMessages(idOf(1), 'good', { configDir })).toHaveLength(2);
  });

  it('go with the conversation they lie beside, and what a link leads to stays', { timeout: DEADLINE_MS }, async () => {
    const { configDir, write, root } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, ROWS);
    write('../kept/agent-x.jsonl', linesOf(ROWS));
    await fifo(join(configDir, 'projects', '-srv', idOf(1), 'subagents', 'agent-pipe.jsonl'));
    symlinkSync(join(configDir, 'kept'), join(configDir, 'projects', '-srv', idOf(1), 'linked'));
    await deleteSession(idOf(1), { configDir });

    expect(await readdir(join(configDir, 'projects', '-srv'))).toEqual([]);
    expect(await readdir(join(configDir, 'kept'))).toEqual(['agent-x.jsonl']);
    expect(root).not.toBe('');
  });
});

describe('pipes where the settings and the login of the user lie', () => {
  it('hold no resume out of a store up', { timeout: 60_000 }, async () => {
    const set = await stage();
    const sessionStore = new InMemorySessionStore();
    const first = await set.start({ sessionStore });
    await first.prompt('Remember the word heliotrope').result;
    await first.close();
    const source = await mkdtemp(join(tmpdir(), 'troupe-pipes-'));
    onTestFinished(() => rm(source, { recursive: true, force: true }));
    for (const name of ['settings.json', '.credentials.json', '.claude.json']) await fifo(join(source, name));

    const env = { ...set.setting.env, CLAUDE_CONFIG_DIR: source };
    const session = await set.start({ env, sessionStore, resume: first.conversationId ?? '' });
    await session.prompt('Which word was it?').result;
    expect(JSON.stringify(set.model.requests.at(-1))).toContain('heliotrope');
    await session.close();
  });
});
