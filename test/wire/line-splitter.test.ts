import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, TroupeError } from '../../src/errors.ts';
import { DEFAULT_MAX_LINE_BYTES, LineSplitter } from '../../src/wire/line-splitter.ts';

describe('a line splitter', () => {
  it('ends a line at the byte 0x0A and at no other (R10)', () => {
    const line = 'a\u2028b\u2029c\u0085d\ve\ff\rg';
    expect(split([`${line}\n`])).toEqual([line]);
  });

  it('drops one carriage return, and only at the end of a line (R10)', () => {
    expect(split(['a\r\nb\rc\r\r\n\r\n\n'])).toEqual(['a', 'b\rc\r', '', '']);
  });

  it('drops the carriage return also when the line feed comes in the next chunk (R10)', () => {
    expect(split(['a\r', '\n', 'b'])).toEqual(['a', 'b']);
  });

  it('keeps white space at the edges of chunks and lines (R12)', () => {
    expect(split([' a ', '\t', ' b ', '\n  \n'])).toEqual([' a \t b ', '  ']);
  });

  it('gives out the last line when it lacks its line feed, once (R13)', () => {
    const splitter = new LineSplitter();
    splitter.push(Buffer.from('one\ntwo\r'), () => {});
    expect(splitter.end()?.toString()).toBe('two');
    expect(splitter.end()).toBeUndefined();
  });

  it('has no last line after a line feed, nor before any input (R13)', () => {
    const splitter = new LineSplitter();
    expect(splitter.end()).toBeUndefined();
    splitter.push(Buffer.from('one\n'), () => {});
    expect(splitter.end()).toBeUndefined();
  });

  it('copies no byte of a line that lies inside one chunk', () => {
    const chunk = Buffer.from('one\ntwo\nthree');
    const lines: Buffer[] = [];
    new LineSplitter().push(chunk, (line) => lines.push(line));
    expect(lines.map((line) => line.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('joins lines of thousands of one-byte chunks', () => {
    const [first, second] = ['x'.repeat(5_000), 'y'.repeat(5_000)];
    expect(split([...`${first}\n${second}\nz\n`])).toEqual([first, second, 'z']);
  });

  it('joins a line of large and small chunks, the large ones kept as they came', () => {
    const sizes = [100, 40_000, 3, 60_000, 50_000, 5];
    const chunks = sizes.map((size, index) => Buffer.allocUnsafeSlow(size).fill(String(index)));
    const lines: string[] = [];
    const splitter = new LineSplitter();
    const push = (chunk: Buffer) => splitter.push(chunk, (line) => lines.push(line.toString()));
    for (const chunk of chunks) push(chunk);
    push(Buffer.from('\r\nb'));
    for (const chunk of chunks) push(chunk);
    push(Buffer.from('\n'));
    const all = Buffer.concat(chunks).toString();
    expect(lines).toEqual([all, `b${all}`]);
  });

  it('drops the carriage return at the end of a large chunk (R10)', () => {
    const chunk = Buffer.allocUnsafeSlow(50_000).fill('x');
    chunk.write('\r', 49_999);
    const lines: Buffer[] = [];
    const splitter = new LineSplitter();
    splitter.push(chunk, (line) => lines.push(line));
    splitter.push(Buffer.from('\n'), (line) => lines.push(line));
    expect(lines).toEqual([chunk.subarray(0, -1)]);
  });

  it('returns the same lines however the bytes are cut, whatever they are (R09, R12)', () => {
    const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x20), fc.integer({ min: 0, max: 255 }));
    const input = fc.record({
      bytes: fc.array(byte, { maxLength: 200 }),
      cuts: fc.array(fc.nat(200), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(input, ({ bytes, cuts }) => {
        const whole = Buffer.from(bytes);
        expect(splitBytes(cutAt(whole, cuts))).toEqual(linesByDefinition(whole));
      }),
    );
  });
});

describe('the limit of a line', () => {
  it('is 64 MiB by default (R07)', () => {
    expect(DEFAULT_MAX_LINE_BYTES).toBe(67_108_864);
  });

  it('lets a line of exactly that many bytes pass (R07)', () => {
    expect(split(['abcd\nabcd', '\nab', 'cd'], 4)).toEqual(['abcd', 'abcd', 'abcd']);
  });

  it('reports a line of one byte more, once, and then takes nothing any more (P9)', () => {
    const splitter = new LineSplitter({ maxLineBytes: 4 });
    const lines: string[] = [];
    const push = (text: string) => splitter.push(Buffer.from(text), (line) => lines.push(line.toString()));
    expect(push('one\nabcde\ntwo\n')).toEqual({ bytes: 5, limit: 4 });
    expect(push('three\nabcdef\n')).toBeUndefined();
    expect(splitter.end()).toBeUndefined();
    expect(lines).toEqual(['one']);
  });

  it('is noticed before the line has ended, also over several chunks (P9)', () => {
    const splitter = new LineSplitter({ maxLineBytes: 4 });
    expect(splitter.push(Buffer.from('abc'), () => {})).toBeUndefined();
    expect(splitter.push(Buffer.from('de'), () => {})).toEqual({ bytes: 5, limit: 4 });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 29])('refuses %d as a limit (P9)', (maxLineBytes) => {
    expect(codeOf(() => new LineSplitter({ maxLineBytes }))).toBe('INVALID_OPTIONS');
  });
});

function split(chunks: readonly string[], maxLineBytes = 1_000_000): string[] {
  return splitBytes(
    chunks.map((chunk) => Buffer.from(chunk)),
    maxLineBytes,
  ).map((line) => line.toString());
}

function splitBytes(chunks: readonly Buffer[], maxLineBytes = 1_000_000): Buffer[] {
  const splitter = new LineSplitter({ maxLineBytes });
  const lines: Buffer[] = [];
  for (const chunk of chunks) expect(splitter.push(chunk, (line) => lines.push(Buffer.from(line)))).toBeUndefined();
  const last = splitter.end();
  return last === undefined ? lines : [...lines, Buffer.from(last)];
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

/** The slow and obvious way: latin1 keeps every byte one character. */
function linesByDefinition(bytes: Buffer): Buffer[] {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => Buffer.from(line.endsWith('\r') ? line.slice(0, -1) : line, 'latin1'));
}

function codeOf(action: () => unknown): ErrorCode | undefined {
  try {
    action();
  } catch (error) {
    if (TroupeError.is(error)) return error.code;
    throw error;
  }
  return undefined;
}
