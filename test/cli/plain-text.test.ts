import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain, plainLine } from '../../src/cli/terminal/plain-text.ts';
import { COLORLESS, styleOf } from '../../src/cli/terminal/style.ts';

const STEERING = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/u;

describe('the text of agents on a terminal (P11)', () => {
  it.each([
    ['a colour', '\u001b[31mred', '\ufffd[31mred'],
    ['a title of the window', '\u001b]0;owned\u0007', '\ufffd]0;owned\ufffd'],
    ['a control of one character', 'a\u009b2Jb', 'a\ufffd2Jb'],
    ['a carriage return that hides what was before', 'rm -rf ~\recho hello', 'rm -rf ~\ufffdecho hello'],
    ['text that is turned around', 'a\u202eb', 'a\ufffdb'],
    ['text that cannot be seen', 'a\u200b\u{e0041}b', 'a\ufffd\ufffdb'],
    ['a line end of another system', 'a\r\nb', 'a\nb'],
    ['a tabulator', 'a\tb', 'a  b'],
    ['a family of four', '👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
  ])('holds nothing that it would obey: %s', (_, text, shown) => {
    expect(plain(text)).toBe(shown);
  });

  it('holds nothing of that kind whatever it is, also in pieces, and on one line no line feed', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(plain(before + after)).not.toMatch(STEERING);
        expect(plain(before) + plain(after)).not.toMatch(STEERING);
        expect(plainLine(before)).not.toContain('\n');
      }),
    );
  });

  it('is painted only after it was made harmless', () => {
    const style = styleOf({ isTTY: true }, { TERM: 'xterm' });
    for (const [name, paint] of Object.entries(style))
      expect({ name, text: paint('a\u001b[2Jb') }).toEqual({ name, text: expect.stringContaining('a\ufffd[2Jb') });
    expect(style.red('x')).not.toBe('x');
  });

  it('has no colour where it is no terminal, a dumb one, or NO_COLOR is set', () => {
    expect(styleOf({ isTTY: true }, { TERM: 'xterm', NO_COLOR: '1' })).toBe(COLORLESS);
    expect(styleOf({ isTTY: true }, { TERM: 'dumb' })).toBe(COLORLESS);
    expect(styleOf({ isTTY: false }, { TERM: 'xterm' })).toBe(COLORLESS);
    expect(styleOf({ isTTY: true }, { TERM: 'xterm', NO_COLOR: '' })).not.toBe(COLORLESS);
  });
});
