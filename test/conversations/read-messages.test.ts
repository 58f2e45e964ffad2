import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getSessionMessages } from '../../src/conversations/read-messages.ts';
import { readRows, type SkippedLines } from '../../src/conversations/transcript-lines.ts';
import { answer, idOf, linesOf, type MadeRow, prompt, transcriptDisk, uuidOf } from './transcript-disk.ts';

describe('the messages of a conversation (R103)', () => {
  it('are prompts and answers in order, as the API has them', async () => {
    const { read } = openTranscript([prompt(1, 'Hello'), answer(2, 'Yes'), { type: 'mode', mode: 'plan' }]);
    expect(await read()).toMatchObject([
      { type: 'user', uuid: uuidOf(1), session_id: idOf(1), message: { content: 'Hello' }, parent_tool_use_id: null },
      { type: 'assistant', uuid: uuidOf(2), timestamp: new Date(1_700_000_002_000).toISOString() },
    ]);
  });

  it('follow the branch that was written last, not the longest and not the one with the latest time', async () => {
    const old = [prompt(1, 'root'), answer(2, 'old'), prompt(3, 'old', { timestamp: '2099-01-01T00:00:00Z' })];
    const branch = [answer(4, 'new', { parentUuid: uuidOf(1) })];
    expect(await textsOf([...old, ...branch])).toEqual(['root', 'new']);
  });

  it('stay on the main branch when a side branch or a progress row was written last', async () => {
    const rows = [prompt(1, 'one'), answer(2, 'two')];
    const aside = [prompt(3, 'aside', { isSidechain: true }), answer(4, 'aside', { isSidechain: true })];
    const progress = { type: 'progress', uuid: uuidOf(5), parentUuid: uuidOf(1) };
    const team = prompt(6, 'team', { parentUuid: uuidOf(1), teamName: 'blue' });
    expect(await textsOf([...rows, ...aside, progress, team])).toEqual(['one', 'two']);
  });

  it('go through attachments and progress that lie between them', async () => {
    const attachment = { ...prompt(2, ''), type: 'attachment', attachment: { type: 'file' } };
    const progress = { ...prompt(3, ''), type: 'progress' };
    expect(await textsOf([prompt(1, 'one'), attachment, progress, answer(4, 'four')])).toEqual(['one', 'four']);
  });

  it.each([
    ['of two rows', [prompt(1, 'one', { parentUuid: uuidOf(2) }), answer(2, 'two')]],
    ['of a row with itself', [answer(2, 'two', { parentUuid: uuidOf(2) })]],
    [
      'far from the end',
      [prompt(1, 'one', { parentUuid: uuidOf(2) }), answer(2, 'two'), prompt(3, 'three'), answer(4, 'four')],
    ],
  ])('end where a loop %s begins', async (_, rows) => {
    const texts = await textsOf(rows);
    expect(texts.length).toBeLessThanOrEqual(rows.length);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('begin where a row above is missing', async () => {
    expect(await textsOf([prompt(5, 'five'), answer(6, 'six')])).toEqual(['five', 'six']);
  });

  it('are there once when a row was written twice: the newest counts', async () => {
    expect(await textsOf([prompt(1, 'one'), answer(2, 'first'), answer(2, 'again')])).toEqual(['one', 'again']);
  });

  it('keep every call and every result of parallel tools, though only one of each is on the way up', async () => {
    const call = (number: number, id: string) =>
      answer(number, '', { message: { id: 'msg', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] } });
    const result = (number: number, id: string, parent: number) =>
      prompt(number, '', {
        parentUuid: uuidOf(parent),
        message: { content: [{ type: 'tool_result', tool_use_id: id }] },
      });
    const { read } = openTranscript([
      prompt(1, 'both'),
      call(2, 'a'),
      call(3, 'b'),
      result(4, 'a', 2),
      result(5, 'b', 3),
      answer(6, 'done'),
    ]);
    expect((await read()).map(({ uuid }) => uuid)).toEqual([1, 2, 3, 4, 5, 6].map(uuidOf));
  });

  it('leave out meta rows, and what a compaction left behind; its summary says so', async () => {
    const boundary = { ...prompt(3, ''), type: 'system', subtype: 'compact_boundary', parentUuid: null };
    const rows = [
      prompt(1, 'before'),
      answer(2, 'before'),
      boundary,
      prompt(4, 'summary', { isCompactSummary: true }),
      prompt(5, 'meta', { isMeta: true }),
      answer(6, 'after'),
    ];
    const { read } = openTranscript(rows);
    expect(await read()).toMatchObject([{ isCompactSummary: true, is_meta: true }, { uuid: uuidOf(6) }]);
    const withSystem = await read({ includeSystemMessages: true });
    expect(withSystem.map(({ type }) => type)).toEqual(['system', 'user', 'assistant']);
  });

  it('have what a compaction kept behind its summary', async () => {
    const compactMetadata = { preservedMessages: { anchorUuid: uuidOf(5), uuids: [uuidOf(2), uuidOf(3)] } };
    const rows = [
      prompt(1, 'gone'),
      prompt(2, 'kept'),
      answer(3, 'kept, too'),
      { ...prompt(4, ''), type: 'system', subtype: 'compact_boundary', parentUuid: null, compactMetadata },
      prompt(5, 'summary', { isCompactSummary: true }),
      prompt(6, 'next'),
    ];
    expect(await textsOf(rows)).toEqual(['summary', 'kept', 'kept, too', 'next']);
  });

  it('have a prompt that was put into a running turn, once the model went on after it', async () => {
    const attachment = { type: 'queued_command', prompt: 'And this', source_uuid: uuidOf(77) };
    const queued = { ...prompt(3, ''), type: 'attachment', attachment };
    const taken = openTranscript([prompt(1, 'one'), answer(2, 'two'), queued, answer(4, 'four')]);
    expect(await taken.read()).toMatchObject([{}, {}, { uuid: uuidOf(77), isQueuedCommand: true }, {}]);
    const open = openTranscript([prompt(1, 'one'), answer(2, 'two'), queued]);
    expect(await open.read()).toHaveLength(2);
  });

  it('mark a command that the CLI ran itself, and its output', async () => {
    const rows = [
      prompt(1, '<local-command-caveat>not a prompt</local-command-caveat>', { isMeta: true }),
      prompt(2, '<command-name>/cost</command-name>'),
      prompt(3, '<local-command-stdout>1 $</local-command-stdout>'),
      prompt(4, 'Hello'),
      answer(5, 'Yes'),
    ];
    const marks = (await openTranscript(rows).read()).map(({ isCompletedLocalCommand }) => isCompletedLocalCommand);
    expect(marks).toEqual([true, true, undefined, undefined]);
  });

  it('come in pages', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => prompt(index + 1, `${index + 1}`));
    const { read } = openTranscript(rows);
    const page = async (options: object) => (await read(options)).map(({ message }) => contentOf(message)).join('');
    expect(await page({ limit: 2 })).toBe('12');
    expect(await page({ limit: 2, offset: 3 })).toBe('45');
    expect(await page({ offset: 5 })).toBe('');
    expect(await page({ limit: 0, offset: 1 })).toBe('2345');
  });

  it('are none where there is no conversation, or the id is no UUID', async () => {
    const { read, configDir } = openTranscript([prompt(1, 'Hello')]);
    expect(await getSessionMessages(idOf(2), { configDir })).toEqual([]);
    expect(await getSessionMessages('../../x', { configDir })).toEqual([]);
    expect(await read({ dir: '/nowhere' })).toEqual([]);
  });
});

describe('lines that cannot be used', () => {
  it('are passed over, counted and told (P6)', async () => {
    const told: SkippedLines[] = [];
    const text = `not JSON\n${linesOf([prompt(1, 'one')])}[1]\n{"no":"type"}\n\n   \n${linesOf([answer(2, 'two')])}{"type":"us`;
    const { read, path } = openTranscript(text);
    const messages = await read({ onSkipped: (skipped: SkippedLines) => told.push(skipped) });

    expect(messages).toHaveLength(2);
    expect(told).toEqual([{ path, corrupt: 4, tooLong: 0 }]);
  });

  it('are not told of when there are none', async () => {
    const told: unknown[] = [];
    await openTranscript([prompt(1, 'one')]).read({ onSkipped: (skipped: SkippedLines) => told.push(skipped) });
    expect(told).toEqual([]);
  });

  it('may be longer than anybody shall hold: counted, and the next line is read (P10)', async () => {
    const text = linesOf([prompt(1, 'one'), prompt(2, 'x'.repeat(600_000)), prompt(3, 'three')]);
    const { path } = openTranscript(text);
    const [seen, told]: [unknown[], SkippedLines[]] = [[], []];
    const onSkipped = (skipped: SkippedLines) => told.push(skipped);
    await readRows(path, ({ uuid }) => void seen.push(uuid), { maxLineBytes: 100_000, onSkipped });

    expect(seen).toEqual([uuidOf(1), uuidOf(3)]);
    expect(told).toEqual([{ path, corrupt: 0, tooLong: 1 }]);
  });

  it('do not tear characters that lie across two reads', async () => {
    const words = Array.from({ length: 3 }, (_, index) => `${'y'.repeat(index)}${'😀ü'.repeat(90_000)}`);
    const texts = await textsOf(words.map((word, index) => prompt(index + 1, word)));
    expect(texts).toEqual(words);
  });
});

describe('a transcript that is a link', () => {
  it('is not followed: it may lead anywhere', async () => {
    const { path, configDir } = openTranscript([prompt(1, 'Hello')]);
    symlinkSync(path, join(dirname(path), `${idOf(2)}.jsonl`));
    expect(await getSessionMessages(idOf(2), { configDir })).toEqual([]);
    expect(await readRows(join(dirname(path), `${idOf(2)}.jsonl`), () => {})).toBe(false);
  });
});

function openTranscript(content: string | readonly object[]) {
  const { write, configDir } = transcriptDisk();
  const path = write(`-srv/${idOf(1)}.jsonl`, content);
  return { path, configDir, read: (more: object = {}) => getSessionMessages(idOf(1), { configDir, ...more }) };
}

async function textsOf(rows: readonly (MadeRow | object)[]): Promise<unknown[]> {
  return (await openTranscript(rows).read()).map(({ message }) => contentOf(message));
}

function contentOf(message: unknown): unknown {
  const { content } = message as { content: string | { text?: string }[] };
  return typeof content === 'string' ? content : content[0]?.text;
}
