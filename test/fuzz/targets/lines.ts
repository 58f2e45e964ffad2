import { TroupeError } from '../../../src/errors.ts';
import { LineSplitter } from '../../../src/wire/line-splitter.ts';
import { recordedStreams } from '../recorded-lines.ts';
import { type FuzzTarget, holds } from '../target.ts';

const SMALL_LIMIT = 64;

export const target: FuzzTarget = {
  name: 'lines',
  promise: 'P9, P10 Bytes are cut into the same lines however they arrive, and one that is too long is told once.',
  format: 'bytes',
  isGuided: true,
  seeds: () => [
    Buffer.from(''),
    Buffer.from('\n\r\n\r\r\n'),
    Buffer.from('a\nb\r\nc'),
    ...recordedStreams(1).slice(0, 20),
  ],
  open: () => ({ run: cutsAlike }),
};

function cutsAlike(input: Buffer): void {
  const expected = linesOf(input);
  for (const size of [input.length, 1, 2, 3, 7, 1_000, 1 + (input[0] ?? 0)]) {
    // Byte by byte only where it does not take long.
    if (size < 4 && input.length > 2_000) continue;
    const { lines, overflow } = cut(input, size, 2 ** 20);
    holds(overflow === undefined, 'A line within the limit was called too long.');
    compare(lines, expected, `in chunks of ${size}`);

    const small = cut(input, size, SMALL_LIMIT);
    const first = rawLinesOf(input).findIndex((line) => line.length > SMALL_LIMIT);
    holds(
      first >= 0 === (small.overflow !== undefined),
      `A line of ${rawLinesOf(input)[first]?.length} bytes: told ${small.overflow}.`,
    );
    compare(small.lines, first < 0 ? expected : expected.slice(0, first), `up to the limit, in chunks of ${size}`);
    if (small.overflow !== undefined) holds(small.overflow > SMALL_LIMIT, `${small.overflow} bytes are not too many.`);
  }
}

function cut(input: Buffer, size: number, maxLineBytes: number) {
  const splitter = new LineSplitter({ maxLineBytes });
  const lines: Buffer[] = [];
  const overflows: number[] = [];
  for (let at = 0; at < input.length; at += size) {
    const overflow = splitter.push(input.subarray(at, at + size), (line) => lines.push(line));
    if (overflow !== undefined) overflows.push(overflow.bytes);
  }
  const tail = splitter.end();
  if (tail !== undefined) lines.push(tail);
  if (overflows.length > 1) throw new TroupeError('LINE_TOO_LONG', { reason: 'It was told more than once.' });
  return { lines, overflow: overflows[0] };
}

function compare(lines: readonly Buffer[], expected: readonly Buffer[], how: string): void {
  holds(lines.length === expected.length, `${lines.length} lines instead of ${expected.length}, ${how}.`);
  for (const [at, line] of lines.entries()) {
    holds(line.equals(expected[at] ?? Buffer.alloc(0)), `Line ${at} is another, ${how}.`);
  }
}

/** What is between line feeds; behind the last one only what is something. */
function rawLinesOf(input: Buffer): Buffer[] {
  const lines = input
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'));
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function linesOf(input: Buffer): Buffer[] {
  return rawLinesOf(input).map((line) => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line));
}
