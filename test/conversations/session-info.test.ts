import { describe, expect, it } from 'vitest';
import { describe as describeEnds, rowsOfEnds, type Surroundings } from '../../src/conversations/session-info.ts';
import { answer, idOf, linesOf, prompt } from './transcript-disk.ts';

const CUSTOM = { type: 'custom-title', customTitle: 'Given' };
const OWN = { type: 'ai-title', aiTitle: 'Made' };
const SUMMARY = { type: 'summary', summary: 'Summed up' };

describe('the name of a conversation', () => {
  it.each([
    ['a title somebody gave', [prompt(1, 'Hello'), SUMMARY, OWN, CUSTOM], 'Given'],
    ['that title also when the CLI makes one later', [prompt(1, 'Hello'), CUSTOM, OWN], 'Given'],
    ['the newest of several titles', [prompt(1, 'Hello'), CUSTOM, { ...CUSTOM, customTitle: 'Later' }], 'Later'],
    ['the title of the CLI', [prompt(1, 'Hello'), SUMMARY, OWN], 'Made'],
    [
      'the title of the CLI, when the given one was taken back',
      [prompt(1, 'Hi'), OWN, CUSTOM, { ...CUSTOM, customTitle: '' }],
      'Made',
    ],
    ['the last prompt', [prompt(1, 'Hello'), SUMMARY, { type: 'last-prompt', lastPrompt: 'Bye' }], 'Bye'],
    ['a summary', [prompt(1, 'Hello'), SUMMARY], 'Summed up'],
    ['the first prompt', [prompt(1, 'Hello'), prompt(2, 'Again')], 'Hello'],
    [
      'a picture, when that was all',
      [prompt(1, '', { message: { content: [{ type: 'image', source: {} }] } })],
      'Image',
    ],
  ])('is %s', (_, rows, summary) => {
    expect(infoOf(rows)?.summary).toBe(summary);
  });

  it('is a title in a file beside it, unless a newer one is at the end of the transcript', () => {
    expect(infoOf([prompt(1, 'Hello'), OWN], { sideTitle: 'Beside' })?.customTitle).toBe('Beside');
    expect(infoOf([prompt(1, 'Hello'), CUSTOM], { sideTitle: 'Beside' })?.customTitle).toBe('Given');
  });

  it('is needed: without prompt, title and summary nothing is listed', () => {
    expect(infoOf([answer(1, 'Hello'), { type: 'mode', mode: 'plan' }])).toBeUndefined();
  });
});

describe('the first prompt', () => {
  const meta = prompt(1, 'Caveat', { isMeta: true });
  const summary = prompt(1, 'This session goes on …', { isCompactSummary: true });
  const result = prompt(1, '', { message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] } });
  const command = prompt(1, '<command-name>/clear</command-name>\n<command-args></command-args>');
  const output = prompt(1, '<local-command-stdout>done</local-command-stdout>');
  const interrupt = prompt(1, '[Request interrupted by user for tool use]');

  it.each([
    ['meta rows', meta],
    ['compact summaries', summary],
    ['tool results', result],
    ['commands', command],
    ['output of commands', output],
    ['notes of an interrupt', interrupt],
    ['answers', answer(1, 'I am here')],
  ])('is not one of the %s', (_, row) => {
    expect(infoOf([row, prompt(2, 'The real one')])?.firstPrompt).toBe('The real one');
  });

  it('is a command when nothing better comes, and a line of the shell with its mark', () => {
    expect(infoOf([meta, command, output])?.firstPrompt).toBe('/clear');
    expect(infoOf([prompt(1, '<bash-input>ls -l</bash-input>'), prompt(2, 'Later')])?.firstPrompt).toBe('! ls -l');
  });

  it('is one line of 200 characters at most, and no character is cut in two', () => {
    expect(infoOf([prompt(1, ' two\nlines ')])?.firstPrompt).toBe('two lines');
    expect(infoOf([prompt(1, 'x'.repeat(200))])?.firstPrompt).toBe('x'.repeat(200));
    expect(infoOf([prompt(1, 'x'.repeat(201))])?.firstPrompt).toBe(`${'x'.repeat(200)}…`);
    expect(infoOf([prompt(1, `${'x'.repeat(199)}😀x`)])?.firstPrompt).toBe(`${'x'.repeat(199)}…`);
  });

  it('comes out of blocks, too', () => {
    const content = [
      { type: 'image', source: {} },
      { type: 'text', text: '<ide_opened_file>a.ts</ide_opened_file>' },
      { type: 'text', text: 'Look' },
    ];
    expect(infoOf([prompt(1, '', { message: { content } })])?.firstPrompt).toBe('Look');
  });
});

describe('facts of a conversation', () => {
  it('are taken from the first dated line and the first that has a directory', () => {
    const rows = [{ type: 'mode', mode: 'default' }, prompt(5, 'Hello'), prompt(6, 'More', { cwd: '/elsewhere' })];
    expect(infoOf(rows)).toMatchObject({ createdAt: 1_700_000_005_000, cwd: '/srv/app' });
  });

  it('follow a conversation that was moved to another directory', () => {
    expect(infoOf([prompt(1, 'Hello'), { type: 'relocated', relocatedCwd: '/new' }])?.cwd).toBe('/new');
  });

  it('have the newest tag, or none when it was taken away', () => {
    const tags = (...names: string[]) => names.map((tag) => ({ type: 'tag', tag }));
    expect(infoOf([prompt(1, 'Hello'), ...tags('red', 'blue')])?.tag).toBe('blue');
    expect(infoOf([prompt(1, 'Hello'), ...tags('red', '')])).not.toHaveProperty('tag');
    // A tool call may have a field of that name.
    const call = { type: 'tool_use', id: 't', name: 'Git', input: { tag: 'v1' } };
    expect(infoOf([prompt(1, 'Hello'), answer(2, '', { message: { content: [call] } })])).not.toHaveProperty('tag');
  });

  it('are not taken out of what somebody wrote', () => {
    const text = 'Look: "gitBranch":"evil", "customTitle":"evil", "cwd":"/evil"';
    const info = infoOf([prompt(1, text, { cwd: undefined, gitBranch: undefined })]);
    expect(info).not.toHaveProperty('gitBranch');
    expect(info).not.toHaveProperty('cwd');
    expect(info).not.toHaveProperty('customTitle');
  });

  it('are found also in a first line that is too long to be seen whole', () => {
    const { cwd: _cwd, ...row } = prompt(1, 'x'.repeat(100_000));
    const text = linesOf([{ cwd: '/long', gitBranch: 'main', ...row }]);
    const ends = rowsOfEnds({ head: text.slice(0, 65_536), tail: text.slice(-65_536) });
    const title = rowsOfEnds({ head: text.slice(0, 65_536), tail: linesOf([CUSTOM]) });

    expect(describeEnds(idOf(1), { size: 1, mtime: 1 }, ends)).toBeUndefined();
    expect(describeEnds(idOf(1), { size: 1, mtime: 1 }, title)).toMatchObject({ cwd: '/long', gitBranch: 'main' });
  });

  it('say that it is archived until a person writes again', () => {
    const mark = (archived: boolean, at: number) => ({ archive: { archived, at } });
    const rows = [prompt(5, 'Hello')];
    expect(infoOf(rows)).not.toHaveProperty('archived');
    expect(infoOf(rows, mark(true, 1_700_000_009_000))?.archived).toBe(true);
    expect(infoOf(rows, mark(false, 1_700_000_009_000))?.archived).toBe(false);
    expect(infoOf(rows, mark(true, 1_700_000_001_000))?.archived).toBe(false);
    expect(infoOf([answer(5, 'Hello'), CUSTOM], mark(true, 1_700_000_001_000))?.archived).toBe(true);
    const notice = prompt(5, 'An agent ended', { origin: { kind: 'task-notification' } });
    expect(infoOf([notice], mark(true, 1_700_000_001_000))?.archived).toBe(true);
  });
});

function infoOf(rows: readonly object[], around: Surroundings = {}) {
  const text = linesOf(rows);
  return describeEnds(idOf(1), { size: text.length, mtime: 1 }, rowsOfEnds({ head: text, tail: text }), around);
}
