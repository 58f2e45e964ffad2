import { WriteStream } from 'node:tty';
import { describe, expect, it } from 'vitest';
import { LiveLines, plainLines } from '../../src/cli/terminal/live-lines.ts';

describe('lines above a footer that stays', () => {
  it('scroll away whole, with the row that is not finished right above the footer', () => {
    const { lines, screen } = terminal(20);

    lines.footer(['state', 'keys']);
    lines.line('first');
    lines.piece('The quick brown ');
    lines.piece('fox jumps');
    expect(screen()).toEqual(['first', 'The quick brown fox', 'jumps', 'state', 'keys']);

    lines.piece(' over.\n');
    lines.line('a card');
    lines.footer(['other']);
    expect(screen()).toEqual(['first', 'The quick brown fox', 'jumps over.', 'a card', '', 'other']);
  });

  it('end a row that is not finished before a line of its own', () => {
    const { lines, screen } = terminal(20);
    lines.piece('half');
    lines.line('whole');

    expect(screen()).toEqual(['half', 'whole']);
  });

  it('leave no footer behind, and a cursor that is seen', () => {
    const before = process.listenerCount('exit');
    const { lines, screen, written } = terminal(20);
    lines.footer(['state']);
    lines.piece('said');
    lines.close();
    lines.close();
    lines.line('too late');

    expect(screen()).toEqual(['said']);
    expect(written().endsWith('\u001b[?25h')).toBe(true);
    expect(process.listenerCount('exit')).toBe(before);
  });
});

describe('lines in a file', () => {
  it('are as they were said, each line on its own', () => {
    const written: string[] = [];
    const lines = plainLines((text) => void written.push(text));
    lines.piece('half');
    lines.piece(' a line');
    lines.line('a card');
    lines.piece('text\n');
    lines.line('another');

    expect(written.join('')).toBe('half a line\na card\ntext\nanother\n');
  });
});

/** A terminal that knows as much as is used: what stands on it, row by row. */
function terminal(columns: number) {
  let written = '';
  const output: WriteStream = Object.assign(Object.create(WriteStream.prototype), {
    columns,
    write: (text: string) => {
      written += text;
      return true;
    },
  });
  return { lines: new LiveLines(output), written: () => written, screen: () => screenOf(written) };
}

function screenOf(written: string): string[] {
  const rows: string[] = [''];
  let [row, column] = [0, 0];
  for (const [token] of written.replaceAll('\u001b', '␛').matchAll(/␛\[\??\d*[A-Za-z]|\r|\n|[^␛\r\n]+/g)) {
    const up = /^␛\[(\d+)A$/.exec(token)?.[1];
    if (up !== undefined) row -= Number(up);
    else if (token === '␛[J') {
      rows[row] = (rows[row] ?? '').slice(0, column);
      rows.length = row + 1;
    } else if (token === '\r') column = 0;
    else if (token === '\n') row += 1;
    else if (!token.startsWith('␛')) {
      const before = (rows[row] ?? '').padEnd(column);
      rows[row] = before.slice(0, column) + token + before.slice(column + token.length);
      column += token.length;
    }
    while (rows.length <= row) rows.push('');
  }
  return rows.join('\n').trimEnd().split('\n');
}
