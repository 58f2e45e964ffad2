import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { archiveSession, renameSession, tagSession, unarchiveSession } from '../../src/conversations/change-session.ts';
import { deleteSession } from '../../src/conversations/delete-session.ts';
import { forkSession } from '../../src/conversations/fork-session.ts';
import { importSessionToStore } from '../../src/conversations/import-session.ts';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import { getSessionInfo } from '../../src/conversations/list-sessions.ts';
import { storeProject } from '../../src/conversations/store-listing.ts';
import { readProcessNow } from '../../src/transport/process-table.ts';
import { answer, idOf, linesOf, prompt, transcriptDisk } from './transcript-disk.ts';

const ROWS = [prompt(1, 'Hello'), answer(2, 'Yes')];

describe('a title or a tag', () => {
  it('adds one line to the transcript and changes nothing else; the last one counts', async () => {
    const { configDir, path } = openTranscript(ROWS);
    await renameSession(idOf(1), 'One', { configDir });
    await renameSession(idOf(1), ' Two ', { configDir });
    await tagSession(idOf(1), 'red', { configDir });

    const added = readFileSync(path, 'utf8').slice(linesOf(ROWS).length);
    expect(
      added
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'custom-title', customTitle: 'One', sessionId: idOf(1) },
      { type: 'custom-title', customTitle: 'Two', sessionId: idOf(1) },
      { type: 'tag', tag: 'red', sessionId: idOf(1) },
    ]);
    expect(await getSessionInfo(idOf(1), { configDir })).toMatchObject({ customTitle: 'Two', tag: 'red' });
    await tagSession(idOf(1), null, { configDir });
    expect(await getSessionInfo(idOf(1), { configDir })).not.toHaveProperty('tag');
  });

  it('ends a line that a crash cut, so that neither is lost', async () => {
    const { configDir, path } = openTranscript(`${linesOf(ROWS)}{"type":"user","mess`);
    await renameSession(idOf(1), 'After the crash', { configDir });
    expect(readFileSync(path, 'utf8').split('\n').at(-2)).toContain('After the crash');
    expect(await getSessionInfo(idOf(1), { configDir })).toMatchObject({ customTitle: 'After the crash' });
  });

  it('loses nothing when many are given at the same time', async () => {
    const { configDir, path } = openTranscript(ROWS);
    const titles = Array.from({ length: 30 }, (_, index) => `Title ${index}`);
    await Promise.all(titles.map((title) => renameSession(idOf(1), title, { configDir })));
    const lines = readFileSync(path, 'utf8').split('\n').slice(2, -1);
    expect(lines.map((line) => JSON.parse(line).customTitle).toSorted()).toEqual(titles.toSorted());
  });

  it.each([
    ['line ends', 'one\ntwo\r\n', 'one two'],
    ['controls', 'a\u0000b\u001b[31m', 'a b [31m'],
    ['marks that turn the text', 'safe\u202egnp.exe', 'safe gnp.exe'],
    ['isolates', '\u2066a\u2069', 'a'],
    ['a byte order mark', '\ufefftitle', 'title'],
    ['private characters', 'a\ue000b', 'a b'],
    ['half a character', 'a\ud800', 'a'],
    ['two ways to write one letter', 'Cafe\u0301', 'Café'],
  ])('in a title: %s are cleaned', async (_, title, expected) => {
    const { configDir } = openTranscript(ROWS);
    await renameSession(idOf(1), title, { configDir });
    expect((await getSessionInfo(idOf(1), { configDir }))?.customTitle).toBe(expected);
  });

  it.each([
    ['no width', 'r\u200be\u200dd\ufeff', 'red'],
    ['a variation of a sign', 'a\ufe0f', 'a'],
    ['another form of the letters', '\uff52\uff45\uff44', 'red'],
    ['a filler', '\u3164red', 'red'],
  ])('in a tag: %s is cleaned', async (_, tag, expected) => {
    const { configDir } = openTranscript(ROWS);
    await tagSession(idOf(1), tag, { configDir });
    expect((await getSessionInfo(idOf(1), { configDir }))?.tag).toBe(expected);
  });

  it.each(['', '  ', '\u202e', '\n', 7, undefined])('%j is no title', async (title) => {
    const { configDir, path } = openTranscript(ROWS);
    await expect(renameSession(idOf(1), title as string, { configDir })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'title' },
    });
    expect(readFileSync(path, 'utf8')).toBe(linesOf(ROWS));
  });

  it.each(['', '\u200b\u200d', undefined])('%j is no tag; null takes one away', async (tag) => {
    const { configDir } = openTranscript(ROWS);
    await expect(tagSession(idOf(1), tag as string, { configDir })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'tag' },
    });
  });

  it('goes into no empty stub, no link and no missing file', async () => {
    const { configDir, write, root } = transcriptDisk();
    const stub = write(`-srv/${idOf(1)}.jsonl`, '');
    const outside = write('../outside.jsonl', ROWS);
    symlinkSync(outside, join(dirname(stub), `${idOf(2)}.jsonl`));
    for (const number of [1, 2, 3]) {
      await expect(renameSession(idOf(number), 'Title', { configDir })).rejects.toMatchObject({
        code: 'CONVERSATION_NOT_FOUND',
        details: { sessionId: idOf(number) },
      });
    }
    expect(statSync(stub).size).toBe(0);
    expect(readFileSync(outside, 'utf8')).toBe(linesOf(ROWS));
    expect(existsSync(root)).toBe(true);
  });

  it('goes into a store as a line with a uuid and a time', async () => {
    const store = new InMemorySessionStore();
    const key = { ...(await storeProject(undefined)), sessionId: idOf(1) };
    await renameSession(idOf(1), 'Stored', { sessionStore: store });
    await tagSession(idOf(1), 'red', { sessionStore: store });
    expect(store.getEntries({ projectKey: key.projectKey, sessionId: idOf(1) })).toMatchObject([
      { type: 'custom-title', customTitle: 'Stored', uuid: expect.any(String), timestamp: expect.any(String) },
      { type: 'tag', tag: 'red' },
    ]);
  });
});

describe('an archived conversation', () => {
  it('stays where it is, with a mark beside it that nobody ever sees half of', async () => {
    const { configDir, path } = openTranscript(ROWS);
    const side = path.slice(0, -'.jsonl'.length);
    await archiveSession(idOf(1), { configDir });
    expect(await getSessionInfo(idOf(1), { configDir })).toMatchObject({ archived: true });
    expect(statSync(join(side, 'archived.json')).mode & 0o777).toBe(0o600);
    await unarchiveSession(idOf(1), { configDir });
    expect(await getSessionInfo(idOf(1), { configDir })).toMatchObject({ archived: false });
    expect(readdirSync(side)).toEqual(['archived.json']);
    expect(readFileSync(path, 'utf8')).toBe(linesOf(ROWS));
  });

  it('is not one of a store: the mark is no line', async () => {
    const sessionStore = new InMemorySessionStore();
    for (const change of [archiveSession, unarchiveSession]) {
      await expect(change(idOf(1), { sessionStore })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        details: { field: 'sessionStore' },
      });
    }
    const { configDir } = transcriptDisk();
    await expect(archiveSession(idOf(1), { configDir })).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });
});

describe('deleting a conversation', () => {
  it('removes its transcript and its folder, and nothing of another one', async () => {
    const { configDir, write, path } = openTranscript(ROWS);
    write(`-srv/${idOf(1)}/subagents/agent-a1.jsonl`, ROWS);
    const other = write(`-srv/${idOf(2)}.jsonl`, ROWS);
    await deleteSession(idOf(1), { configDir });
    expect(readdirSync(dirname(path))).toEqual([`${idOf(2)}.jsonl`]);
    expect(existsSync(other)).toBe(true);
    await expect(deleteSession(idOf(1), { configDir })).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });

  it('is refused while a live process has it open, and done with force', async () => {
    const { configDir, path } = openTranscript(ROWS);
    register(configDir, process.pid, startTimeOf(process.pid));
    await expect(deleteSession(idOf(1), { configDir })).rejects.toMatchObject({
      code: 'CONVERSATION_IN_USE',
      details: { sessionId: idOf(1), pid: process.pid },
    });
    expect(existsSync(path)).toBe(true);
    await deleteSession(idOf(1), { configDir, force: true });
    expect(existsSync(path)).toBe(false);
  });

  it('is not refused for an entry that a killed process left behind, whoever has its pid now', async () => {
    const { configDir } = openTranscript(ROWS);
    register(configDir, process.pid, '1');
    register(configDir, 2 ** 22 + 1, '1');
    await deleteSession(idOf(1), { configDir });
    expect(await getSessionInfo(idOf(1), { configDir })).toBeUndefined();
  });

  it('does nothing in a store that cannot delete', async () => {
    const store = new InMemorySessionStore();
    const { projectKey } = await storeProject(undefined);
    await store.append({ projectKey, sessionId: idOf(1) }, [{ type: 'user' }]);
    await deleteSession(idOf(1), { sessionStore: { append: async () => {}, load: async () => null } });
    await deleteSession(idOf(1), { sessionStore: store });
    expect(store.size).toBe(0);
  });
});

describe.each([
  ['renameSession', (id: string, configDir: string) => renameSession(id, 'Title', { configDir })],
  ['tagSession', (id: string, configDir: string) => tagSession(id, 'tag', { configDir })],
  ['archiveSession', (id: string, configDir: string) => archiveSession(id, { configDir })],
  ['unarchiveSession', (id: string, configDir: string) => unarchiveSession(id, { configDir })],
  ['forkSession', (id: string, configDir: string) => forkSession(id, { configDir })],
  ['deleteSession', (id: string, configDir: string) => deleteSession(id, { configDir })],
  [
    'importSessionToStore',
    (id: string, configDir: string) => importSessionToStore(id, new InMemorySessionStore(), { configDir }),
  ],
])('%s', (_, change) => {
  it.each(['', 'x', '..', '../-srv/secret', `${idOf(1)}/..`, `${idOf(1)}.jsonl`, `${idOf(1)}\u0000`, 7, undefined])(
    'refuses %j before any path is built of it',
    async (id) => {
      const { configDir, write } = openTranscript(ROWS);
      const secret = write('-srv/secret.jsonl', ROWS);
      await expect(change(id as string, configDir)).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        details: { field: 'sessionId' },
      });
      expect(readFileSync(secret, 'utf8')).toBe(linesOf(ROWS));
    },
  );
});

function openTranscript(content: string | readonly object[]) {
  const disk = transcriptDisk();
  return { ...disk, path: disk.write(`-srv/${idOf(1)}.jsonl`, content) };
}

/** An entry of the registry in which a CLI says what it has open (WIRE §12). */
function register(configDir: string, pid: number, procStart: string | undefined): void {
  const folder = join(configDir, 'sessions');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify({ pid, sessionId: idOf(1), procStart }));
}

function startTimeOf(pid: number): string | undefined {
  const running = readProcessNow(pid);
  return running === 'unknown' ? undefined : running?.startTime;
}
