import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explained } from '../../src/dashboard/session/explanation.ts';
import { changedLines } from '../../src/view/changed-lines.ts';
import { changeOf, summaryOf } from '../../src/view/tool-change.ts';

describe('what a tool changes', () => {
  it('is read of the tools that write files, and of no other', () => {
    const edit = { file_path: '/a', old_string: 'x', new_string: 'y' };

    expect(changeOf('Edit', edit)).toEqual({ path: '/a', parts: [{ before: 'x', after: 'y' }] });
    expect(changeOf('Write', { file_path: '/a', content: 'new' })?.parts).toEqual([{ before: '', after: 'new' }]);
    expect(changeOf('MultiEdit', { file_path: '/a', edits: [edit, edit] })?.parts).toHaveLength(2);
    expect(changeOf('Read', edit)).toBeUndefined();
  });

  it('is nothing where its input has another shape, so that the input is shown as it is', () => {
    expect(changeOf('MultiEdit', { file_path: '/a', edits: [{ old_string: 1 }] })).toBeUndefined();
    fc.assert(fc.property(fc.anything(), (input) => changeOf('Edit', input) === undefined));
  });

  it('is said in one line', () => {
    expect(summaryOf({ command: 'ls\nrm x', description: 'lists' })).toBe('ls');
    expect(summaryOf({ deep: { er: 1 } })).toBe('deep: {"er":1}');
    expect(summaryOf(undefined)).toBe('');
  });
});

describe('changed lines', () => {
  it('tell what is gone, what is new and what stays', () => {
    expect(changedLines('a\nb\nc\n', 'a\nB\nc\n').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'gone b',
      'new B',
      'same c',
    ]);
  });

  it('leave out what stays far from a change, and say how much', () => {
    const long = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');

    expect(changedLines(`${long}\nold\n`, `${long}\nnew\n`)[0]).toEqual({ kind: 'gap', text: '27 lines' });
  });

  it('hold both texts in whole, however long: nothing is hidden of what is to be allowed (P4)', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ') }), { maxLength: 6 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shown = changedLines(textOf(before), textOf(after));
        expect(shown.filter(({ kind }) => kind === 'same' || kind === 'gone').map(({ text }) => text)).toEqual(before);
        expect(shown.filter(({ kind }) => kind === 'same' || kind === 'new').map(({ text }) => text)).toEqual(after);
      }),
    );
  });

  it('are not compared when there are too many to do it at once', () => {
    const huge = 'x\n'.repeat(5_000);

    expect(changedLines(huge, 'y\n')).toHaveLength(5_001);
  });
});

describe('an explanation', () => {
  it('is read as far as it is one', () => {
    const answer = {
      because: 'It works.',
      waitingFor: ['a', 1],
      deadlines: [{ what: 'turn', at: 5, next: 'stop' }, {}],
      advice: 3,
    };

    expect(explained(answer)).toEqual({
      because: 'It works.',
      waitingFor: ['a'],
      deadlines: [{ next: 'stop', at: 5 }],
    });
    expect(explained({ problem: true })).toBeUndefined();
  });
});

/** A line of a text ends; the last one too. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
