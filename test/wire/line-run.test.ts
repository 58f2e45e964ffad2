import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../src/session/line-reader.ts';
import type { CliMessage } from '../../src/wire/cli-message.ts';
import type { Codec } from '../../src/wire/codec.ts';
import type { LineRun } from '../../src/wire/line-run.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';
import { CORPUS, readRecording, scenariosOf } from './recordings.ts';

const SESSION = '2cd38a39-bafd-4f81-98b1-50ba31dc96d5';
const UUID = '159cc4f6-96e6-4cde-b19a-a9b897d6d03f';
/** One to four bytes each, what JSON escapes, what some reader takes for a line end, and what looks like the end of a text. */
const TRICKY = ['a', 'é', '漢', '🎭', '\u2028', '"', '\\', '\n', '\t', '\u0000', '{', '}', '"}},"session_id":"', '\\"'];

describe('runs of pieces (PERF §7, WIRE §10)', () => {
  it('say what the lines say one by one, whatever they hold and however the pipe cuts them (P7, R09)', () => {
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 700 }));
    fc.assert(
      fc.property(fc.array(lineOrGarbage(), { minLength: 1, maxLength: 25 }), sizes, (lines, size) => {
        const bytes = Buffer.from(lines.join(''));
        expect(readBy(bytes, size).told).toEqual(readBy(bytes, size, oneByOne).told);
      }),
      { numRuns: 300 },
    );
  });

  it('say the same with any one byte of a line changed', () => {
    const bytes = Buffer.from([delta('one'), delta('two \\u00e9 "'), delta('three')].join(''));
    const [start, end] = [delta('one').length, delta('one').length + delta('two \\u00e9 "').length];
    for (let at = start; at < end; at += 1) {
      for (const byte of [0x00, 0x0a, 0x0d, 0x22, 0x5c, 0x61, 0x7b, 0xc3, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        const { told } = readBy(changed, [changed.length].values());
        expect(told, `${byte} at ${at - start}`).toEqual(readBy(changed, [bytes.length].values(), oneByOne).told);
      }
    }
  });

  it('are found in what every release of the CLI that was recorded writes, and read as it says (WIRE §10)', () => {
    let inRuns = 0;
    for (const file of [...scenariosOf(CORPUS).values()].flat()) {
      const said = readRecording(file).flatMap(({ direction, message }) => (direction === '<' ? [message] : []));
      // Each twice: the recordings hold few pieces in a row.
      const bytes = Buffer.from(said.flatMap((each) => [each, each].map((one) => `${JSON.stringify(one)}\n`)).join(''));
      const { told, runs } = readBy(bytes, [bytes.length].values());
      expect(told, file).toEqual(readBy(bytes, [bytes.length].values(), oneByOne).told);
      inRuns += runs.reduce((sum, { count }) => sum + count, 0);
    }
    expect(inRuns).toBeGreaterThan(0);
  });

  it('hold the lines of one chunk together', () => {
    const { runs } = readBy(Buffer.from(['a', 'b', 'c', 'd'].map((text) => delta(text)).join('')), [100_000].values());
    expect(runs.map(({ count, bytes }) => [count, bytes.toString()])).toEqual([
      [3, ['b', 'c', 'd'].map((text) => delta(text)).join('')],
    ]);
  });

  it('know their text without parsing: plain, escaped, of many bytes', () => {
    const texts = ['x', 'plain ', 'quo"te ', '漢字', '🎭', 'line\n', ' end'];
    const { runs } = readBy(Buffer.from(texts.map((text) => delta(text)).join('')), [100_000].values());
    expect(runs.map((run) => run.text())).toEqual([texts.slice(1).join('')]);
    expect(runs.map((run) => run.slice(2, 4).text())).toEqual([texts.slice(3, 5).join('')]);
    const plain = readBy(Buffer.from(['x', 'y', 'z'].map((text) => delta(text)).join('')), [100_000].values());
    expect(plain.runs.map((run) => run.text())).toEqual(['yz']);
  });

  it.each([
    ['of a subagent', delta('a', { parent_tool_use_id: 'toolu_1' })],
    ['without a text', delta('')],
    ['with another id', delta('a', { uuid: 'short' })],
    ['with a carriage return', delta('a').replace('\n', '\r\n')],
    ['with a text that is no JSON', delta('a').replace('"text":"a"', '"text":"\\x"')],
    ['with more behind its text', delta('a').replace('"text":"a"', '"text":"a","more":"b"')],
    ['of another block', delta('a').replace('"index":0', '"index":1')],
    ['that begins with another name', `{"uuid":"${UUID}",${delta('a').slice(1)}`],
  ])('leave out a line %s', (_, line) => {
    const { runs } = readBy(Buffer.from(`${delta('x')}${line}`), [100_000].values());
    expect(runs).toEqual([]);
  });

  it('have no line that is too long (P9)', () => {
    const { told, overflows } = readBy(
      Buffer.from(`${delta('x')}${delta('y'.repeat(500))}`),
      [100_000].values(),
      streamJson,
      400,
    );
    expect([told.length, overflows]).toEqual([1, 1]);
  });

  it('keep their order with everything else', () => {
    const result = `${JSON.stringify({ type: 'result', subtype: 'success' })}\n`;
    const lines = [delta('a'), delta('b'), result, delta('c'), delta('d'), result, delta('e')];
    const { told, runs } = readBy(Buffer.from(lines.join('')), [100_000].values());
    expect(told.map(({ raw }) => `${raw}\n`)).toEqual(lines);
    expect(runs.map(({ count }) => count)).toEqual([1, 2, 1]);
  });

  it('do not look for a layout for ever where none comes again (P10)', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => delta('a').replace('"index":0', `"index":${index}`));
    const { told, runs } = readBy(Buffer.from([...lines, delta('b'), delta('c')].join('')), [1_000_000].values());
    expect(told).toHaveLength(1_002);
    expect(runs).toEqual([]);
  });
});

interface Told {
  readonly type: string;
  readonly subtype: string | undefined;
  readonly raw: string;
  readonly json: string | undefined;
}

/** The codec without runs. */
const oneByOne: Codec = { ...streamJson, readsRuns: false };

function readBy(bytes: Buffer, sizes: Iterator<number>, codec = streamJson, maxLineBytes = 2 ** 20) {
  const told: Told[] = [];
  const runs: LineRun[] = [];
  let overflows = 0;
  const message = (one: CliMessage): void => {
    const { type, subtype, raw } = one;
    told.push({ type, subtype, raw: raw.toString('latin1'), json: JSON.stringify(one.value) });
  };
  const reader = new LineReader({
    codec,
    maxLineBytes,
    listener: {
      message,
      run: (run) => {
        for (let index = 0; index < run.count; index += 1) message(run.message(index));
        runs.push(run.movedTo(Buffer.from(run.bytes)));
      },
      control: () => {},
      diagnostic: (reason, detail) => told.push({ type: reason, subtype: undefined, raw: detail, json: undefined }),
      overflow: () => {
        overflows += 1;
      },
      mismatch: () => {},
    },
  });
  for (let at = 0; at < bytes.length; ) {
    const size = sizes.next().value ?? bytes.length;
    // Read into the same memory each time: nothing of it may be kept.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    reader.read(chunk);
    chunk.fill('x');
    at += size;
  }
  reader.end();
  return { told, runs, overflows };
}

function delta(text: string, fields: Record<string, unknown> = {}, type = 'text_delta', field = 'text'): string {
  const event = { type: 'content_block_delta', index: 0, delta: { type, [field]: text } };
  const line = { type: 'stream_event', event, session_id: SESSION, parent_tool_use_id: null, uuid: UUID, ...fields };
  return `${JSON.stringify(line)}\n`;
}

function lineOrGarbage(): fc.Arbitrary<string> {
  const text = fc.string({ unit: fc.constantFrom(...TRICKY), maxLength: 12 });
  const kinds = fc.constantFrom(
    ['text_delta', 'text'],
    ['thinking_delta', 'thinking'],
    ['input_json_delta', 'partial_json'],
  );
  const fields = fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ parent_tool_use_id: fc.constantFrom('toolu_1', 5) }) },
    { weight: 1, arbitrary: fc.record({ uuid: fc.constantFrom('"'.repeat(18), '', 'é'.repeat(36), 'u'.repeat(36)) }) },
    { weight: 1, arbitrary: fc.record({ api_message_id: fc.constantFrom('msg_1', 'msg_2', '{"type":"ping"') }) },
  );
  const piece = fc.tuple(text, fields, kinds).map(([said, more, [type, field]]) => delta(said, more, type, field));
  const usual = fc.string({ unit: fc.constantFrom(...TRICKY), minLength: 1, maxLength: 12 }).map((said) => delta(said));
  return fc.oneof(
    { weight: 12, arbitrary: usual },
    { weight: 6, arbitrary: piece },
    { weight: 2, arbitrary: piece.map((line) => line.replace('\n', '\r\n')) },
    { weight: 1, arbitrary: piece.map((line) => line.replace('"type":"content_block_delta",', '$&"type":"ping",')) },
    { weight: 1, arbitrary: piece.map((line) => line.replace('"index":0', ' "index" : 0')) },
    { weight: 1, arbitrary: fc.constantFrom('\n', 'garbage\n', '{"type":"result"}\n', '{"type":"stream_event"}\n') },
  );
}
