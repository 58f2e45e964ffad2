import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo, widthOf, wrapped } from '../../src/cli/terminal/fitted-text.ts';
import { plain } from '../../src/cli/terminal/plain-text.ts';
import { tableOf } from '../../src/cli/terminal/table.ts';
import { lasting } from '../../src/cli/terminal/time-words.ts';

const text = fc.string({ unit: fc.constantFrom('a', ' ', '語', '👩‍👧', 'é', '-'), maxLength: 40 });

describe('text that is fitted into columns', () => {
  it('is never wider than it may be, and says when something is missing', () => {
    expect(cutTo('abcdef', 4)).toBe('abc…');
    expect(cutTo('語語語', 4)).toBe('語…');
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (it, columns) => widthOf(cutTo(it, columns)) <= columns),
    );
  });

  it('is wrapped at blanks, and loses nothing but those', () => {
    expect(wrapped('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrapped('a\n\nb', 10)).toEqual(['a', '', 'b']);
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (it, columns) => {
        const rows = wrapped(it, columns);
        expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
        expect(rows.join('').replaceAll(' ', '')).toBe(it.replaceAll(' ', ''));
      }),
    );
  });

  it('stands in a table that is as wide as the terminal: the flexible columns give way, the last first', () => {
    const rows = [['review', 'ready', 'a very long note'].map((it) => ({ text: it }))];

    expect(tableOf(rows)).toEqual(['review  ready  a very long note']);
    expect(tableOf(rows, { columns: 25, flexible: [0, 2] })).toEqual(['review  ready  a very lo…']);
    expect(tableOf([[{ text: 'a\u001b[2J\nb' }]])).toEqual([plain('a\u001b[2J b')]);
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 5 }), (cells) => {
        const lines = tableOf(
          cells.map((row) => row.map((it) => ({ text: it }))),
          { columns: 20, flexible: [0] },
        );
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('says how long something lasts in its largest unit', () => {
    expect([900, 59_999, 60_000, 7_200_000, 200_000_000].map(lasting)).toEqual(['0 s', '59 s', '1 min', '2 h', '2 d']);
  });
});
