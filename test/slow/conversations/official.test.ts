import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
} from '../../../src/index.ts';
import { eventOf, type Stage, stage } from '../real-cli/stage.ts';
import { asJson, closed, officialFor, run, withoutLive } from './both-ways.ts';

const BYPASS = {
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
} as const;
const AGENT =
  'CALL Task {"description":"job","prompt":"CALL Bash {\\"command\\":\\"echo sub\\"}","subagent_type":"general-purpose"}';
const TWO_CALLS = 'CALLS [{"name":"Bash","input":{"command":"echo 1"}},{"name":"Bash","input":{"command":"echo 2"}}]';

/** Everything both can say about what is on the stage's disk; equal or the test fails. */
async function expectSameView(set: Stage, dir?: string): Promise<string[]> {
  const official = officialFor(set.configDir);
  const { configDir } = set;
  const listed = await official.listSessions();
  expect(withoutLive(await listSessions({ configDir }))).toEqual(asJson(listed));
  if (dir !== undefined) {
    expect(withoutLive(await listSessions({ configDir, dir }))).toEqual(asJson(await official.listSessions({ dir })));
  }
  for (const { sessionId } of listed) {
    const info = await getSessionInfo(sessionId, { configDir });
    expect(withoutLive(info === undefined ? [] : [info])).toEqual(asJson([await official.getSessionInfo(sessionId)]));
    for (const includeSystemMessages of [false, true]) {
      const ours = await getSessionMessages(sessionId, { configDir, includeSystemMessages });
      expect(asJson(ours)).toEqual(asJson(await official.getSessionMessages(sessionId, { includeSystemMessages })));
    }
    const agents = await official.listSubagents(sessionId);
    expect((await listSubagents(sessionId, { configDir })).toSorted()).toEqual(agents.toSorted());
    for (const agent of agents) {
      const ours = await getSubagentMessages(sessionId, agent, { configDir });
      expect(asJson(ours)).toEqual(asJson(await official.getSubagentMessages(sessionId, agent)));
    }
  }
  return listed.map(({ sessionId }) => sessionId);
}

describe('transcripts of the real CLI are read as the official SDK reads them (R103)', () => {
  it('text, thinking, parallel tools, a subagent', async () => {
    const set = await stage({ env: { IS_SANDBOX: '1' } });
    const session = await set.start({ ...BYPASS });
    await run(session, 'Hello there', 'THINK', 'CALL Bash {"command":"echo hi"}', TWO_CALLS, AGENT);
    await session.settled();
    const id = await closed(session);

    expect(await expectSameView(set, set.cwd)).toEqual([id]);

    const messages = await getSessionMessages(id, { configDir: set.configDir });
    const blocks = messages.flatMap(
      ({ message }) => (message as { content: { type?: string; tool_use_id?: string }[] }).content,
    );
    const results = blocks.filter(({ type }) => type === 'tool_result');
    // Both results of the parallel calls are there, though only one of them is on the way up from the last message.
    expect(results).toHaveLength(4);
    expect(await listSubagents(id, { configDir: set.configDir })).toHaveLength(1);
  });

  it('an interrupted turn, a compaction, what follows it, and a fork made by the CLI', async () => {
    const set = await stage();
    const session = await set.start();
    await run(session, 'Hello there');
    const turn = session.prompt('SLOW 200');
    await eventOf(session, 'turn.started', ({ promptId }) => promptId === turn.id);
    await session.interrupt();
    await run(session, '/compact', 'After the compaction');
    const id = await closed(session);
    const fork = await set.start({ resume: id, forkSession: true });
    await run(fork, 'In the fork');
    const forkId = await closed(fork);

    expect((await expectSameView(set, set.cwd)).toSorted()).toEqual([id, forkId].toSorted());

    const messages = await getSessionMessages(id, { configDir: set.configDir });
    expect(messages[0]).toMatchObject({ type: 'user', isCompactSummary: true });
    expect(JSON.stringify(messages.at(-2)?.message)).toContain('After the compaction');
  });

  it('a prompt that was put into a running turn, a denied tool, a refused API call, a command of the CLI itself', async () => {
    const set = await stage();
    const session = await set.start({ allowedTools: ['Bash(sleep:*)'] });
    const slow = session.prompt('CALL Bash {"command":"sleep 1"}');
    await eventOf(
      session,
      'message',
      ({ message }) => message.type === 'assistant' && message.text.includes('tool_use'),
    );
    const steered = session.prompt('And this, too', { onBusy: 'steer' });
    await Promise.all([slow.result, steered.result]);
    const denied = session.prompt('CALL Bash {"command":"touch denied"}');
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.permissions.answer(requestId, { behavior: 'deny', message: 'Not this.' });
    await denied.result;
    const id = await closed(session);
    const failed = await set.start();
    await run(failed, 'ERROR 400');
    const failedId = await closed(failed);
    const local = await set.start();
    await run(local, '/cost');
    const localId = await closed(local);

    expect((await expectSameView(set)).toSorted()).toEqual([id, failedId, localId].toSorted());

    const messages = await getSessionMessages(id, { configDir: set.configDir });
    const texts = messages.filter(({ type }) => type === 'user').map(({ message }) => JSON.stringify(message));
    expect(texts.filter((text) => text.includes('And this, too'))).toHaveLength(1);
  });

  it('working directories with spaces, letters beyond ASCII, and more than 200 characters', async () => {
    const set = await stage();
    const long = join(set.cwd, ...Array.from({ length: 6 }, (_, index) => `${index}`.repeat(40)));
    const decomposed = join(set.cwd, 'Cafe\u0301');
    const folders = [join(set.cwd, 'Grüße aus Köln'), decomposed, long, join(long, 'inner')];
    for (const folder of folders) await mkdir(folder, { recursive: true });
    for (const cwd of folders) {
      const session = await set.start({ cwd });
      await run(session, `In ${cwd.length} characters`);
      await session.close();
    }
    const official = officialFor(set.configDir);

    for (const dir of folders) {
      const [one, ...others] = await listSessions({ configDir: set.configDir, dir });
      expect(others).toEqual([]);
      expect(one?.firstPrompt).toBe(`In ${dir.length} characters`);
      expect(asJson([one])).toEqual(asJson(await official.listSessions({ dir })));
    }
    await expectSameView(set);
  });

  it('conversations of all working trees of a repository, or of one', async () => {
    const set = await stage();
    const tree = join(set.cwd, '..', 'tree');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: set.cwd });
    git('init', '-q');
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', tree);
    for (const cwd of [set.cwd, tree]) {
      const session = await set.start({ cwd });
      await run(session, 'Hello');
      await session.close();
    }
    const official = officialFor(set.configDir);

    for (const includeWorktrees of [true, false]) {
      const ours = await listSessions({ configDir: set.configDir, dir: set.cwd, includeWorktrees });
      expect(ours).toHaveLength(includeWorktrees ? 2 : 1);
      expect(asJson(ours)).toEqual(asJson(await official.listSessions({ dir: set.cwd, includeWorktrees })));
    }
  });
});

describe('what one of the two changes, the other one sees', () => {
  it('titles, tags, archives', async () => {
    const set = await stage();
    const session = await set.start();
    await run(session, 'Hello');
    const id = await closed(session);
    const { configDir } = set;
    const official = officialFor(configDir);
    const both = async () => {
      await expectSameView(set);
      return getSessionInfo(id, { configDir });
    };

    await renameSession(id, '  Ours\n ', { configDir });
    expect(await both()).toMatchObject({ customTitle: 'Ours', summary: 'Ours' });
    await official.renameSession(id, 'Theirs');
    expect(await both()).toMatchObject({ customTitle: 'Theirs' });
    await tagSession(id, 'red\u200b', { configDir });
    expect(await both()).toMatchObject({ tag: 'red' });
    await official.tagSession(id, null);
    expect(await both()).not.toHaveProperty('tag');
    await archiveSession(id, { configDir });
    expect(await both()).toMatchObject({ archived: true });
    await official.unarchiveSession(id);
    expect(await both()).toMatchObject({ archived: false });
    await official.archiveSession(id);
    expect(await both()).toMatchObject({ archived: true });
    await unarchiveSession(id, { configDir });
    expect(await both()).toMatchObject({ archived: false });

    // The CLI goes on with a transcript that others have added lines to.
    const again = await set.start({ resume: id });
    await run(again, 'Still there?');
    await closed(again);
    expect(await both()).toMatchObject({ customTitle: 'Theirs' });
  });

  it('a fork: the same messages under new ids, a title, and the CLI goes on with it', async () => {
    const set = await stage({ env: { IS_SANDBOX: '1' } });
    const { configDir } = set;
    const session = await set.start({ ...BYPASS });
    await run(session, 'First', TWO_CALLS, '/compact', 'Last');
    const id = await closed(session);
    const official = officialFor(configDir);
    const contents = async (sessionId: string) =>
      (await official.getSessionMessages(sessionId, { includeSystemMessages: true })).map(({ type, message }) => ({
        type,
        message,
      }));

    const ours = await forkSession(id, { configDir });
    const theirs = await official.forkSession(id);
    expect(await contents(ours.sessionId)).toEqual(await contents(theirs.sessionId));
    expect(await contents(ours.sessionId)).toEqual(await contents(id));
    expect((await getSessionInfo(ours.sessionId, { configDir }))?.summary).toBe(
      (await official.getSessionInfo(theirs.sessionId))?.summary,
    );
    const source = new Set((await getSessionMessages(id, { configDir })).map(({ uuid }) => uuid));
    const copies = await getSessionMessages(ours.sessionId, { configDir });
    expect(copies.filter(({ uuid }) => source.has(uuid))).toEqual([]);

    const resumed = await set.start({ ...BYPASS, resume: ours.sessionId });
    await run(resumed, 'In the copy');
    expect(await closed(resumed)).toBe(ours.sessionId);
    expect((await getSessionMessages(ours.sessionId, { configDir })).length).toBe(copies.length + 2);
    expect((await getSessionMessages(id, { configDir })).length).toBe(source.size);
  });

  it('a fork up to a message: before, at and behind a compaction', async () => {
    const set = await stage();
    const { configDir } = set;
    const session = await set.start();
    await run(session, 'First', 'Second', '/compact', 'Third', 'Fourth');
    const id = await closed(session);
    const official = officialFor(configDir);
    const all = await official.getSessionMessages(id, { includeSystemMessages: true });
    const early = JSON.stringify(all).length > 0 ? await uuidsOnDisk(set, id) : [];
    const contents = async (sessionId: string) =>
      (await official.getSessionMessages(sessionId)).map(({ type, message }) => ({ type, message }));

    for (const upToMessageId of [...new Set([...early, ...all.map(({ uuid }) => uuid)])]) {
      const theirs = await official.forkSession(id, { upToMessageId }).catch(() => undefined);
      const ours = await forkSession(id, { configDir, upToMessageId }).catch(() => undefined);
      expect(ours === undefined).toBe(theirs === undefined);
      if (ours === undefined || theirs === undefined) continue;
      expect(await contents(ours.sessionId)).toEqual(await contents(theirs.sessionId));
    }
  });

  it('a deletion: transcript and subagents are gone, the other conversations stay', async () => {
    const set = await stage({ env: { IS_SANDBOX: '1' } });
    const { configDir } = set;
    const [one, two] = [await set.start({ ...BYPASS }), await set.start()];
    await run(one, AGENT);
    await one.settled();
    await run(two, 'Hello');
    const oneId = await closed(one);

    const live = await listSessions({ configDir });
    expect(live.find(({ livePid }) => livePid !== undefined)?.sessionId).toBe(two.conversationId);
    expect(live.find(({ livePid }) => livePid !== undefined)?.livePid).toBe(two.pid);
    await expect(deleteSession(two.conversationId ?? '', { configDir })).rejects.toMatchObject({
      code: 'CONVERSATION_IN_USE',
      details: { pid: two.pid },
    });
    await deleteSession(oneId, { configDir });
    const twoId = await closed(two);
    expect(await expectSameView(set)).toEqual([twoId]);
    const [project] = await readdir(join(configDir, 'projects'));
    expect(
      (await readdir(join(configDir, 'projects', project ?? ''))).filter((name) => name.startsWith(oneId)),
    ).toEqual([]);
    await deleteSession(twoId, { configDir });
    expect(await expectSameView(set)).toEqual([]);
    await expect(deleteSession(twoId, { configDir })).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });
});

/** Every user and assistant row of the file, also those that a compaction left behind. */
async function uuidsOnDisk(set: Stage, id: string): Promise<string[]> {
  const { readFile } = await import('node:fs/promises');
  const [project] = await readdir(join(set.configDir, 'projects'));
  const text = await readFile(join(set.configDir, 'projects', project ?? '', `${id}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; uuid?: string; isMeta?: boolean })
    .flatMap(({ type, uuid }) => (uuid !== undefined && (type === 'user' || type === 'assistant') ? [uuid] : []));
}
