import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteSession } from '../../src/conversations/delete-session.ts';
import { getSessionInfo, listSessions } from '../../src/conversations/list-sessions.ts';
import { getSessionMessages } from '../../src/conversations/read-messages.ts';
import { listSubagents } from '../../src/conversations/subagents.ts';
import { answer, idOf, linesOf, prompt, type TranscriptDisk, transcriptDisk } from './transcript-disk.ts';

/* The lines are those of seed 004; what it leaves out is filled in. */
const SESSION = '550e8400-e29b-41d4-a716-446655440000';
const INIT = { type: 'system', subtype: 'init', session_id: SESSION, timestamp: '2026-02-02T10:30:00Z' };
const ASKED = message('user', [{ type: 'text', text: 'Read the file.' }], '2026-02-02T10:30:00Z');
const CALL = { type: 'tool_use', id: 'toolu_01A2', name: 'Read', input: { file_path: '/path/to/file.txt' } };
const CALLED = message('assistant', [{ type: 'text', text: "I'll read it." }, CALL], '2026-02-02T10:30:01Z');
const RETURNED = message('user', [
  { type: 'tool_result', tool_use_id: 'toolu_01A2', content: 'File contents here...' },
]);
const SAID = message('assistant', [{ type: 'text', text: 'Done.' }], '2026-02-02T10:30:03Z');
const RESULT = { type: 'result', subtype: 'success', session_id: SESSION, num_turns: 3 };
const LINES = [INIT, ASKED, CALLED, RETURNED, SAID, RESULT];

describe('a conversation in a session folder (DIALECTS §4)', () => {
  it('is listed and described by its three files, among the others', async () => {
    const disk = transcriptDisk();
    disk.write(`-srv-app/${idOf(1)}.jsonl`, [prompt(1, 'Newest')], 5);
    writeFolder(disk, SESSION, LINES, { cwd: '/srv/web', created_at: '2026-02-02T10:29:00Z', title: 'A file' }, 10);
    disk.write(`-srv-app/${idOf(2)}.jsonl`, [prompt(1, 'Oldest')], 20);

    const found = await listSessions({ configDir: disk.configDir });
    expect(found.map(({ sessionId }) => sessionId)).toEqual([idOf(1), SESSION, idOf(2)]);
    expect(found[1]).toMatchObject({
      summary: 'A file',
      customTitle: 'A file',
      firstPrompt: 'Read the file.',
      cwd: '/srv/web',
      createdAt: Date.parse('2026-02-02T10:29:00Z'),
      fileSize: Buffer.byteLength(linesOf(LINES)),
    });
    expect(await getSessionInfo(SESSION, { configDir: disk.configDir })).toEqual(found[1]);
    expect(await listSessions({ configDir: disk.configDir, limit: 1, offset: 1 })).toEqual([found[1]]);
  });

  it('needs no more than its messages', async () => {
    const disk = transcriptDisk();
    disk.write(`../sessions/${SESSION}/messages.jsonl`, LINES);
    expect(await listSessions({ configDir: disk.configDir })).toMatchObject([
      { sessionId: SESSION, summary: 'Read the file.', createdAt: Date.parse('2026-02-02T10:30:00Z') },
    ]);
  });

  it('has its messages in order, each under the same id whenever it is read', async () => {
    const disk = transcriptDisk();
    writeFolder(disk, SESSION, LINES);

    const messages = await getSessionMessages(SESSION, { configDir: disk.configDir });
    expect(messages.map(({ message }) => message)).toEqual([ASKED, CALLED, RETURNED, SAID].map((line) => line.message));
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages[0]).toMatchObject({ session_id: SESSION, timestamp: '2026-02-02T10:30:00Z' });
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(4);
    expect(await getSessionMessages(SESSION, { configDir: disk.configDir })).toEqual(messages);
    expect(await getSessionMessages(SESSION, { configDir: disk.configDir, limit: 2, offset: 1 })).toEqual(
      messages.slice(1, 3),
    );
    const all = await getSessionMessages(SESSION, { configDir: disk.configDir, includeSystemMessages: true });
    expect(all.map(({ type }) => type)).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
    expect(await listSubagents(SESSION, { configDir: disk.configDir })).toEqual([]);
  });

  it('may hold messages as the API has them, and ids of its own', async () => {
    const disk = transcriptDisk();
    const uuid = idOf(7);
    writeFolder(disk, SESSION, [
      { role: 'user', content: 'Hello', uuid },
      { role: 'assistant', content: 'Yes' },
    ]);
    expect(await getSessionInfo(SESSION, { configDir: disk.configDir })).toMatchObject({ firstPrompt: 'Hello' });
    expect(await getSessionMessages(SESSION, { configDir: disk.configDir })).toMatchObject([
      { type: 'user', uuid, session_id: SESSION, message: { role: 'user', content: 'Hello' } },
      { type: 'assistant', message: { role: 'assistant', content: 'Yes' } },
    ]);
  });

  it('gives way to a transcript of the same id, in every project', async () => {
    const disk = transcriptDisk();
    disk.write(`-srv-app/${SESSION}.jsonl`, [prompt(1, 'Measured'), answer(2, 'Yes')], 100);
    writeFolder(disk, SESSION, LINES, { cwd: disk.root });

    expect(await listSessions({ configDir: disk.configDir })).toMatchObject([
      { sessionId: SESSION, firstPrompt: 'Measured' },
    ]);
    expect(await getSessionInfo(SESSION, { configDir: disk.configDir })).toMatchObject({ firstPrompt: 'Measured' });
    expect(await getSessionMessages(SESSION, { configDir: disk.configDir })).toHaveLength(2);
    expect(await listSessions({ configDir: disk.configDir, dir: disk.root })).toEqual([]);
    expect(await getSessionInfo(SESSION, { configDir: disk.configDir, dir: disk.root })).toBeUndefined();
  });

  it('belongs to the directory that its metadata name', async () => {
    const disk = transcriptDisk();
    mkdirSync(join(disk.root, 'app'));
    writeFolder(disk, SESSION, LINES, { cwd: join(disk.root, 'app') });
    writeFolder(disk, idOf(2), [ASKED], { cwd: join(disk.root, 'web') });
    writeFolder(disk, idOf(3), [ASKED]);
    const dir = join(disk.root, 'app');

    expect((await listSessions({ configDir: disk.configDir, dir })).map(({ sessionId }) => sessionId)).toEqual([
      SESSION,
    ]);
    expect(await getSessionMessages(SESSION, { configDir: disk.configDir, dir })).toHaveLength(4);
    expect(await getSessionMessages(idOf(2), { configDir: disk.configDir, dir })).toEqual([]);
    expect(await getSessionInfo(idOf(3), { configDir: disk.configDir, dir })).toBeUndefined();
  });

  it('is read around what is corrupt, and is none without messages', async () => {
    const disk = transcriptDisk();
    const skipped: object[] = [];
    disk.write(`../sessions/${SESSION}/session.json`, '{"title": "cut');
    disk.write(`../sessions/${SESSION}/state.json`, '[1,2]');
    const text = `{"type":"us\n[1]\n{"content":"no role"}\n${linesOf([ASKED, SAID])}{"type":"assistant","mess`;
    disk.write(`../sessions/${SESSION}/messages.jsonl`, text);
    writeFolder(disk, idOf(2), [], { title: 'Nothing was said' });
    disk.write(`../sessions/${idOf(3)}/session.json`, '{"title":"No messages"}');
    disk.write('../sessions/notes/messages.jsonl', [ASKED]);
    disk.write('../sessions/4711.json', '{"pid":4711}');
    disk.write('../outside/messages.jsonl', [ASKED]);
    symlinkSync(join(disk.configDir, 'outside'), join(disk.configDir, 'sessions', idOf(4)));
    mkdirSync(join(disk.configDir, 'sessions', idOf(5)));
    symlinkSync(
      join(disk.configDir, 'outside', 'messages.jsonl'),
      join(disk.configDir, 'sessions', idOf(5), 'messages.jsonl'),
    );

    expect(await listSessions({ configDir: disk.configDir })).toMatchObject([
      { sessionId: SESSION, summary: 'Read the file.' },
    ]);
    const onSkipped = (one: object) => skipped.push(one);
    expect(await getSessionMessages(SESSION, { configDir: disk.configDir, onSkipped })).toHaveLength(2);
    expect(skipped).toMatchObject([{ corrupt: 4, tooLong: 0 }]);
    for (const number of [2, 3, 4, 5]) {
      expect(await getSessionInfo(idOf(number), { configDir: disk.configDir })).toBeUndefined();
      expect(await getSessionMessages(idOf(number), { configDir: disk.configDir })).toEqual([]);
    }
  });

  it('is only read: what changes a conversation finds none, and the files stay as they are', async () => {
    const disk = transcriptDisk();
    writeFolder(disk, SESSION, LINES, { title: 'A file' });
    await expect(deleteSession(SESSION, { configDir: disk.configDir })).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
    const folder = join(disk.configDir, 'sessions', SESSION);
    expect(readdirSync(folder).sort()).toEqual(['messages.jsonl', 'session.json', 'state.json']);
    expect(readFileSync(join(folder, 'messages.jsonl'), 'utf8')).toBe(linesOf(LINES));
    renameSync(folder, join(disk.configDir, 'sessions', idOf(9)));
    expect(await getSessionInfo(SESSION, { configDir: disk.configDir })).toBeUndefined();
  });
});

function message(role: 'user' | 'assistant', content: object[], timestamp = '2026-02-02T10:30:02Z') {
  return { type: role, message: { role, content }, session_id: SESSION, timestamp };
}

function writeFolder(disk: TranscriptDisk, id: string, lines: object[], about: object = {}, age = 0): void {
  disk.write(`../sessions/${id}/session.json`, JSON.stringify({ session_id: id, ...about }));
  disk.write(`../sessions/${id}/state.json`, '{"status":"completed"}');
  disk.write(`../sessions/${id}/messages.jsonl`, lines, age);
}
