import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProcessRedaction } from '../../src/redaction/process-redaction.ts';
import { Secrets } from '../../src/redaction/secrets.ts';
import { LineReader } from '../../src/session/line-reader.ts';
import type { Codec } from '../../src/wire/codec.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

const KNOWN = 'correct-horse-42-battery';
const SHAPED = 'sk-ant-REDACTED';

describe('secrets in pieces that come together', () => {
  it('are taken out of runs as they are out of lines that come one by one, wherever they are cut (P11)', () => {
    const text = fc.constantFrom(KNOWN, SHAPED, KNOWN.slice(0, 9), 'sk-', 'plain words', 'cor', 'é"\\', 'x');
    const cut = fc.tuple(
      fc.array(text, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
    );
    const kinds = fc.constantFrom('delta', 'delta', 'delta', 'other block', 'stop', 'agent', 'result');
    fc.assert(
      fc.property(
        cut,
        fc.array(kinds, { minLength: 20, maxLength: 40 }),
        fc.integer({ min: 50, max: 5_000 }),
        ([texts, sizes], order, chunk) => {
          const pieces = piecesOf(texts.join(''), sizes);
          const lines = order.flatMap((kind, index) => lineOf(kind, pieces[index] ?? 'w'));
          const bytes = Buffer.from(lines.join(''));
          const told = toldOf(bytes, chunk);
          expect(told.text).toBe(toldOf(bytes, chunk, { ...streamJson, readsRuns: false }).text);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('leave the lines around them together, and no byte of theirs', () => {
    const texts = ['a', 'b', 'c', KNOWN, 'd', 'e', KNOWN.slice(0, 12), KNOWN.slice(12), 'f', 'g'];
    const { text, runs } = toldOf(Buffer.from(texts.map((piece) => lineOf('delta', piece)).join('')), 100_000);
    expect(text).not.toContain(KNOWN.slice(0, 6));
    expect(text.match(/\[redacted\]/g)).toHaveLength(2);
    expect(runs.length).toBeGreaterThan(1);
  });

  it('are found whatever was learned between two pieces: a secret begins in the words of before (P11)', () => {
    for (const cut of [1, 2, 3]) {
      for (const readsRuns of [true, false]) {
        const pieces = ['a', 'b', KNOWN.slice(0, cut), KNOWN.slice(cut), 'c'].map((piece) => lineOf('delta', piece));
        const size = pieces.slice(0, 3).join('').length;
        const learned = Array.from({ length: 9 }, (_, index) => `${index}-one-more-secret-of-a-server-that-is-long`);
        const { text } = toldOf(Buffer.from(pieces.join('')), size, { ...streamJson, readsRuns }, [], learned);
        const said = text
          .trim()
          .split('\n')
          .map((line) => String(JSON.parse(line).event.delta.text));
        expect(said.join(''), `${cut} ${readsRuns}`).toBe(`ab${KNOWN.slice(0, cut)}[redacted]c`);
      }
    }
  });

  it('are found around the texts, too: in an id, and in what all lines bear (P11)', () => {
    const [id, other] = ['0f8fad5b-d9cb-469f-a165-70867728950e', '2cd38a39-bafd-4f81-98b1-50ba31dc96d5'];
    const plain = ['a', 'b', 'c', 'd'].map((piece) => lineOf('delta', piece));
    const withId = plain.map((line, index) => (index === 2 ? line.replace(/"uuid":"[^"]*"/, `"uuid":"${id}"`) : line));
    for (const readsRuns of [true, false]) {
      for (const lines of [withId, plain.map((line) => line.replace(other, id)), plain.map((line) => withNote(line))]) {
        const { text } = toldOf(Buffer.from(lines.join('')), 100_000, { ...streamJson, readsRuns }, [], [], [id]);
        expect(text).not.toContain(id);
        expect(text).not.toContain(KNOWN);
        expect(text).toContain('[redacted]');
        expect(text.match(/"text":"[abcd]"/g)).toHaveLength(4);
      }
    }
  });

  it('are searched line by line for patterns of ones own', () => {
    const bytes = Buffer.from(['a', 'b 12345678', 'c'].map((piece) => lineOf('delta', piece)).join(''));
    const { text, runs } = toldOf(bytes, 100_000, streamJson, [/\d{8}/]);
    expect(text).toContain('b [redacted]');
    expect(runs).toEqual([]);
  });
});

function withNote(line: string): string {
  return line.replace('"uuid"', `"note":"${KNOWN}","uuid"`);
}

/** What is told of these bytes; `learned` after their first chunk. */
function toldOf(
  bytes: Buffer,
  size: number,
  codec: Codec = streamJson,
  patterns: RegExp[] = [],
  learned: string[] = [],
  known: string[] = [],
) {
  let secrets = new Secrets({ values: [KNOWN, ...known], hasShapes: true, patterns });
  const own = new ProcessRedaction(() => secrets);
  const lines: string[] = [];
  const runs: number[] = [];
  const listener = {
    run: (run: { bytes: Buffer; count: number }) => {
      lines.push(run.bytes.toString());
      runs.push(run.count);
    },
    message: ({ raw }: { raw: Buffer }) => void lines.push(`${raw}\n`),
  };
  const reader = new LineReader({
    codec,
    maxLineBytes: 100_000,
    listener: {
      message: (message) => {
        for (const told of own.message(message)) listener.message(told);
        message.moveBytes((raw) => Buffer.from(raw));
      },
      run: (run) => own.run(run, listener),
      control: () => {},
      diagnostic: () => {},
      overflow: () => {},
      mismatch: () => {},
    },
  });
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    reader.read(chunk);
    chunk.fill('x');
    if (at === 0 && learned.length > 0) {
      secrets = new Secrets({ values: [KNOWN, ...known, ...learned], hasShapes: true, patterns });
    }
  }
  for (const { raw } of own.end().messages) lines.push(`${raw}\n`);
  return { text: lines.join(''), runs };
}

function lineOf(kind: string, text: string): string {
  if (kind === 'result') return `${JSON.stringify({ type: 'result', subtype: 'success' })}\n`;
  const event =
    kind === 'stop'
      ? { type: 'content_block_stop', index: 0 }
      : { type: 'content_block_delta', index: kind === 'other block' ? 1 : 0, delta: { type: 'text_delta', text } };
  const [session_id, uuid] = ['2cd38a39-bafd-4f81-98b1-50ba31dc96d5', '159cc4f6-96e6-4cde-b19a-a9b897d6d03f'];
  const parent_tool_use_id = kind === 'agent' ? 'toolu_1' : null;
  return `${JSON.stringify({ type: 'stream_event', event, session_id, parent_tool_use_id, uuid })}\n`;
}

function piecesOf(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let [at, index] = [0, 0]; at < text.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
