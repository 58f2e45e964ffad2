import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forkRows } from '../../src/conversations/fork-rows.ts';
import { forkSession } from '../../src/conversations/fork-session.ts';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import { getSessionInfo } from '../../src/conversations/list-sessions.ts';
import { getSessionMessages } from '../../src/conversations/read-messages.ts';
import { storeProject } from '../../src/conversations/store-listing.ts';
import type { Row } from '../../src/conversations/transcript-row.ts';
import { answer, idOf, linesOf, prompt, transcriptDisk, uuidOf } from './transcript-disk.ts';

describe('the rows of a fork', () => {
  it('have new ids that are linked as the old ones were, and say what they were made from', () => {
    const rows = forked([prompt(1, 'one'), answer(2, 'two'), prompt(3, 'other', { parentUuid: uuidOf(1) })]);
    expect(rows).toMatchObject([
      {
        uuid: 'new-1',
        parentUuid: null,
        sessionId: 'fork',
        forkedFrom: { sessionId: idOf(1), messageUuid: uuidOf(1) },
      },
      { uuid: 'new-2', parentUuid: 'new-1', forkedFrom: { messageUuid: uuidOf(2) } },
      { uuid: 'new-3', parentUuid: 'new-1' },
      { type: 'custom-title', customTitle: 'Copy', sessionId: 'fork' },
    ]);
  });

  it('have lost what was true of the first conversation alone, side branches, and progress between two rows', () => {
    const rows = forked([
      prompt(1, 'one', { slug: 'a-b', sessionKind: 'bg', sentAsUuid: 'x' }),
      { ...prompt(2, ''), type: 'progress' },
      answer(3, 'three'),
      prompt(4, 'aside', { isSidechain: true }),
      { type: 'last-prompt', lastPrompt: 'one' },
    ]);
    expect(rows.map(({ type }) => type)).toEqual(['user', 'assistant', 'custom-title']);
    for (const stale of ['slug', 'sessionKind', 'sentAsUuid']) expect(rows[0]).not.toHaveProperty(stale);
    expect(rows[1]).toMatchObject({ parentUuid: rows[0]?.['uuid'] });
  });

  it('keep what rules how the conversation may be used', () => {
    const rows = forked([prompt(1, 'one'), { type: 'history-suppression', sessionId: idOf(1), of: 'x' }]);
    expect(rows).toContainEqual({ type: 'history-suppression', sessionId: 'fork', of: 'x' });
  });

  it('end with the message that was named, whose time is now; the others keep theirs', () => {
    const rows = forked([prompt(1, 'one'), answer(2, 'two'), prompt(3, 'three')], uuidOf(2));
    expect(rows.map(({ type }) => type)).toEqual(['user', 'assistant', 'custom-title']);
    expect(rows[0]?.['timestamp']).toBe(prompt(1, '')['timestamp']);
    expect(rows[1]?.['timestamp']).toBe('now');
  });

  it('end also with a prompt that was put into a running turn', () => {
    const attachment = { type: 'queued_command', prompt: 'more', source_uuid: uuidOf(77) };
    const queued = { ...prompt(2, ''), type: 'attachment', attachment };
    expect(forked([prompt(1, 'one'), queued, answer(3, 'three')], uuidOf(77))).toHaveLength(3);
  });

  it('rename the ids within a compaction, too', () => {
    const compactMetadata = { preservedMessages: { anchorUuid: uuidOf(3), uuids: [uuidOf(1)] }, preTokens: 9 };
    const boundary = { ...prompt(2, ''), type: 'system', subtype: 'compact_boundary', compactMetadata };
    const rows = forked([prompt(1, 'one'), boundary, prompt(3, 'summary'), answer(4, 'four')]);
    expect(rows[1]).toMatchObject({
      compactMetadata: { preservedMessages: { anchorUuid: 'new-3', uuids: ['new-1'] }, preTokens: 9 },
    });
  });

  it('are none when there is no message, or not the one that was named', () => {
    expect(planned([{ type: 'mode', mode: 'plan' }])).toBe('no-messages');
    expect(planned([prompt(1, 'one')], uuidOf(9))).toBe('message-not-found');
  });
});

describe('forking a conversation (R103)', () => {
  it('writes a copy beside the source, readable by this user alone, and leaves nothing else', async () => {
    const { configDir, write } = transcriptDisk();
    const rows = [prompt(1, 'one'), answer(2, 'two')];
    const path = write(`-srv/${idOf(1)}.jsonl`, [...rows, { type: 'custom-title', customTitle: 'Mine' }]);
    const before = readFileSync(path, 'utf8');
    const { sessionId } = await forkSession(idOf(1), { configDir });

    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(dirname(path)).toSorted()).toEqual([`${idOf(1)}.jsonl`, `${sessionId}.jsonl`].toSorted());
    expect(statSync(join(dirname(path), `${sessionId}.jsonl`)).mode & 0o777).toBe(0o600);
    expect(await getSessionInfo(sessionId, { configDir })).toMatchObject({
      customTitle: 'Mine (fork)',
      cwd: '/srv/app',
    });
    const [copy, source] = await Promise.all([sessionId, idOf(1)].map((id) => getSessionMessages(id, { configDir })));
    expect(copy?.map(({ message }) => message)).toEqual(source?.map(({ message }) => message));
    expect(copy?.some(({ uuid }) => source?.some((one) => one.uuid === uuid))).toBe(false);
  });

  it.each([
    ['the title that was given', { title: ' Plan\nB ' }, [], 'Plan B'],
    ['the first prompt with a suffix, where there is no title', {}, [], 'one (fork)'],
    ['the title of the CLI with a suffix', { title: '  ' }, [{ type: 'ai-title', aiTitle: 'Auto' }], 'Auto (fork)'],
  ])('names it by %s', async (_, options, more, expected) => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'one'), ...more]);
    const { sessionId } = await forkSession(idOf(1), { configDir, ...options });
    expect((await getSessionInfo(sessionId, { configDir }))?.customTitle).toBe(expected);
  });

  it('passes over corrupt lines of the source', async () => {
    const { configDir, write } = transcriptDisk();
    write(`-srv/${idOf(1)}.jsonl`, `broken\n${linesOf([prompt(1, 'one')])}{"type":`);
    const { sessionId } = await forkSession(idOf(1), { configDir });
    expect(await getSessionMessages(sessionId, { configDir })).toHaveLength(1);
  });

  it('says which argument is wrong, and writes nothing', async () => {
    const { configDir, write } = transcriptDisk();
    const path = write(`-srv/${idOf(1)}.jsonl`, [prompt(1, 'one')]);
    await expect(forkSession(idOf(1), { configDir, upToMessageId: uuidOf(9) })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'upToMessageId' },
    });
    await expect(forkSession(idOf(2), { configDir })).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('does the same within a store', async () => {
    const store = new InMemorySessionStore();
    const { projectKey } = await storeProject(undefined);
    await store.append({ projectKey, sessionId: idOf(1) }, [prompt(1, 'one'), answer(2, 'two')].map(asEntry));
    const { sessionId } = await forkSession(idOf(1), { sessionStore: store });
    expect(await getSessionMessages(sessionId, { sessionStore: store })).toHaveLength(2);
    expect(await getSessionInfo(sessionId, { sessionStore: store })).toMatchObject({ customTitle: 'one (fork)' });
    await expect(forkSession(idOf(2), { sessionStore: store })).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
  });
});

function planned(rows: readonly Row[], upTo?: string) {
  let made = 0;
  const newId = () => {
    made += 1;
    return `new-${made}`;
  };
  return forkRows(rows, { sourceId: idOf(1), forkId: 'fork', upTo, title: 'Copy', now: 'now', newId });
}

function forked(rows: readonly Row[], upTo?: string): Row[] {
  const copy = planned(rows, upTo);
  if (typeof copy === 'string') throw new Error(copy);
  return copy;
}

function asEntry(row: object): { type: string } {
  return { type: 'user', ...row };
}
