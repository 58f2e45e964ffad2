import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../src/wire/codec.ts';
import { LineSplitter } from '../../src/wire/line-splitter.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

/** Characters of one to four bytes, and every separator some reader takes for a line end. */
const TRICKY = 'aé漢字🎭\u2028\u2029\u0085 \t\n\r\\"{}';

describe('reading the output of the CLI', () => {
  it('returns every message as it was sent, however the bytes are cut (R07, R09, R10)', () => {
    const text = fc.string({ unit: fc.constantFrom(...TRICKY, ...'xyz'), maxLength: 40 });
    const message = fc.record({
      type: fc.constantFrom('assistant', 'stream_event', 'result', 'zzz_new'),
      body: fc.oneof(text, fc.jsonValue()),
    });
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), sizes, fc.constantFrom('\n', '\r\n'), (messages, size, end) => {
        const sent = messages.map((item) => JSON.stringify(item));
        const bytes = Buffer.from(sent.map((line) => line + end).join(''));
        expect(textsOf(readBySizes(bytes, size))).toEqual(sent);
      }),
    );
  });

  it('keeps characters whole that straddle two chunks, at every byte (R09)', () => {
    const sent = JSON.stringify({ type: 'assistant', text: TRICKY });
    const bytes = Buffer.from(`${sent}\n`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(textsOf(read([bytes.subarray(0, cut), bytes.subarray(cut)])), `cut at ${cut}`).toEqual([sent]);
    }
  });

  it('keeps characters whole that come byte by byte (R09)', () => {
    const sent = JSON.stringify({ type: 'result', text: TRICKY.repeat(20) });
    expect(textsOf(readBySizes(Buffer.from(`${sent}\n`), repeated(1)))).toEqual([sent]);
  });

  it.each(['\u2028', '\u2029', '\u0085', '\v', '\f', '\r'])(
    'keeps %j inside a string, escaped or not (R10)',
    (separator) => {
      const escaped = JSON.stringify({ type: 'user', text: `a${separator}b` });
      expect(valuesOf(read([Buffer.from(`${escaped}\n`)]))).toEqual([{ type: 'user', text: `a${separator}b` }]);
      const raw = `{"type":"user","text":"a${separator}b"}`;
      const decoded = read([Buffer.from(`${raw}\n`)]);
      // Control characters below 0x20 may not stand raw in JSON; the line is still one line.
      const isLegal = separator.charCodeAt(0) >= 0x20;
      expect(decoded.map((item) => item.kind)).toEqual([isLegal ? 'message' : 'diagnostic']);
      if (isLegal) expect(textsOf(decoded)).toEqual([raw]);
    },
  );

  it('keeps white space that falls on a 64 KiB boundary (R12)', () => {
    const content = ' \t\n'.repeat(100 * 1024);
    const bytes = Buffer.from(`${JSON.stringify({ type: 'user', content })}\n`);
    const [value] = valuesOf(readBySizes(bytes, repeated(65_536)));
    expect(hashOf(value?.['content'])).toBe(hashOf(content));
  });

  it.each([2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 5 * 2 ** 20])(
    'takes a line of %d bytes and the one behind it (R07)',
    (size) => {
      const frame = JSON.stringify({ type: 'user', content: '' });
      const long = JSON.stringify({ type: 'user', content: 'x'.repeat(size - frame.length) });
      const bytes = Buffer.from(`${long}\n{"type":"result"}\n`);
      const decoded = readBySizes(bytes, repeated(65_536));
      expect(decoded.map((item) => (item.kind === 'message' ? item.message.raw.length : item.kind))).toEqual([
        size,
        17,
      ]);
    },
  );

  // Small reads and short lines: the work counts, not the memory the machine has to find nor what else it does.
  it.each([
    [1, 2 ** 14],
    [64, 2 ** 17],
  ])(
    'takes less than eight times as long for a line four times as long, in reads of %d (R07)',
    (readBytes, lineBytes) => {
      const short = Buffer.alloc(lineBytes, 'x');
      const long = Buffer.alloc(lineBytes * 4, 'x');
      const ratio = ratioOf(
        () => readLine(long, readBytes),
        () => readLine(short, readBytes),
      );
      expect(ratio).toBeLessThan(8);
    },
  );
});

function read(chunks: readonly Buffer[]): Decoded[] {
  const splitter = new LineSplitter();
  const decoded: Decoded[] = [];
  for (const chunk of chunks) splitter.push(chunk, (line) => streamJson.decode(line, (item) => decoded.push(item)));
  expect(splitter.end()).toBeUndefined();
  return decoded;
}

function readBySizes(bytes: Buffer, sizes: Iterator<number>): Decoded[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + Number(sizes.next().value);
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return read(chunks);
}

function* repeated(size: number): Generator<number, never> {
  for (;;) yield size;
}

function textsOf(decoded: readonly Decoded[]): (string | undefined)[] {
  return decoded.map((item) => (item.kind === 'message' ? item.message.text : undefined));
}

function valuesOf(decoded: readonly Decoded[]): (Record<string, unknown> | undefined)[] {
  return decoded.map((item) => (item.kind === 'message' ? item.message.value : undefined));
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(String(value)).digest('hex');
}

function readLine(line: Buffer, chunkBytes: number): void {
  const splitter = new LineSplitter();
  for (let at = 0; at < line.length; at += chunkBytes) splitter.push(line.subarray(at, at + chunkBytes), () => {});
  expect(splitter.end()?.length).toBe(line.length);
}

/** How many times more processor time the first takes; of several runs the least disturbed one counts. */
function ratioOf(slow: () => void, quick: () => void): number {
  const times = Array.from({ length: 30 }, () => [timeOf(slow), timeOf(quick)] as const);
  return Math.min(...times.map(([time]) => time)) / Math.min(...times.map(([, time]) => time));
}

function timeOf(action: () => void): number {
  const start = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
