import { describe, expect, it } from 'vitest';
import { MAX_STDERR_LINE_LENGTH, StderrLines } from '../../src/transport/stderr-lines.ts';

describe('the lines of stderr', () => {
  it('keeps a character that straddles two chunks whole (R09)', () => {
    const text = Buffer.from('漢字 😀\nzwei\r\nlast');
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(linesOf([text.subarray(0, cut), text.subarray(cut)])).toEqual(['漢字 😀', 'zwei', 'last']);
    }
    expect(linesOf([...text].map((byte) => Buffer.from([byte])))).toEqual(['漢字 😀', 'zwei', 'last']);
  });

  it('hands over empty lines, and nothing after a last line end', () => {
    expect(linesOf([Buffer.from('a\n\nb\n')])).toEqual(['a', '', 'b']);
  });

  it('hands over a long line in pieces without waiting for its end (P9)', () => {
    const told: string[] = [];
    const lines = new StderrLines((line) => told.push(line));
    lines.push(Buffer.from('x'.repeat(MAX_STDERR_LINE_LENGTH + 1)));
    expect(told.map((line) => line.length)).toEqual([MAX_STDERR_LINE_LENGTH]);
    lines.push(Buffer.from('y\n'));
    expect(told.at(-1)).toBe('xy');
  });

  it('loses nothing of a long line and never tears a character between two pieces', () => {
    const text = `a${'😀'.repeat(MAX_STDERR_LINE_LENGTH)}`;
    const told = linesOf([Buffer.from(text)]);
    expect(told.join('')).toBe(text);
    expect(told.every((line) => isWhole(line) && line.length <= MAX_STDERR_LINE_LENGTH)).toBe(true);
  });

  it('tells all lines to a listener that throws at the first (R100)', () => {
    const told: string[] = [];
    const lines = new StderrLines((line) => {
      told.push(line);
      if (told.length === 1) throw new Error('listener');
    });
    for (let line = 0; line < 100; line += 1) lines.push(Buffer.from(`line ${line}\n`));
    expect(told).toHaveLength(100);
  });
});

function linesOf(chunks: readonly Buffer[]): string[] {
  const told: string[] = [];
  const lines = new StderrLines((line) => told.push(line));
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return told;
}

function isWhole(text: string): boolean {
  return Buffer.from(text).toString() === text;
}
