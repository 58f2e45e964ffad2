import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Codec, Decoded } from '../../src/wire/codec.ts';
import { createCodec } from '../../src/wire/create-codec.ts';
import type { DialectOption } from '../../src/wire/dialect.ts';
import { LineSplitter } from '../../src/wire/line-splitter.ts';

const SPOKEN: readonly DialectOption[] = ['auto', 'stream-json', 'stream-json-sdk-control', 'print'];

/** Words that some codec looks for, where nobody expects them. */
const WORDS = [
  ...[
    'type',
    'subtype',
    'request',
    'response',
    'request_id',
    'event',
    'delta',
    'message',
    'hooks',
    'jsonrpc',
    'result',
  ],
  ...[
    'control',
    'control_request',
    'sdk_control_request',
    'control_response',
    'stream',
    'assistant',
    'system',
    'error',
  ],
  ...['permission', 'can_use_tool', 'mcp_message', 'initialize', 'tool_input', 'success', 'init', 'permission_request'],
];
const word = fc.constantFrom(...WORDS);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.constantFrom(null, 0, 1.5, true, ''),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(word, tie('tree'), { maxKeys: 5 }),
  ),
}));
const line = fc.oneof(
  fc.dictionary(word, tree, { maxKeys: 6 }).map((value) => JSON.stringify(value)),
  fc.string(),
  fc.constantFrom('{"type":"stream","event":"delta"', '{"jsonrpc":"2.0"}', '[]', 'null', '{"type":"control"}'),
);

describe.each(SPOKEN)('the codec of %s', (dialect) => {
  it('throws at nothing that a peer writes, in whatever order (P6)', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const codec = createCodec(dialect);
        for (const each of lines) for (const decoded of decodedBy(codec, each)) touch(decoded);
      }),
    );
  });

  it('hears the same however the bytes are cut', () => {
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 20 }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), sizes, (lines, size) => {
        const bytes = Buffer.from(lines.map((each) => `${each.replaceAll('\n', ' ')}\n`).join(''));
        const inPieces: Decoded[] = [];
        const codec = createCodec(dialect);
        const splitter = new LineSplitter({ maxLineBytes: 1_000_000 });
        const take = (each: Buffer) => codec.decode(each, (decoded) => inPieces.push(decoded));
        for (let at = 0; at < bytes.length; ) {
          const { value } = size.next();
          splitter.push(bytes.subarray(at, at + value), take);
          at += value;
        }
        const whole: Decoded[] = [];
        const other = createCodec(dialect);
        new LineSplitter({ maxLineBytes: 1_000_000 }).push(bytes, (each) => other.decode(each, (d) => whole.push(d)));
        expect(inPieces.map(shown)).toEqual(whole.map(shown));
      }),
    );
  });

  it('understands what the host says to a peer that speaks it, and says each thing in one line', () => {
    const payload = fc.dictionary(fc.constantFrom('model', 'mode', 'uuid', 'title'), fc.jsonValue(), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.uuid(), payload, fc.string(), (id, body, error) => {
        const host = createCodec(dialect);
        const request = host.encodeRequest(id, { subtype: 'set_model', ...body });
        const answers = [host.encodeSuccess(id, body), host.encodeError(id, error), host.encodeCancel(id)];
        for (const each of [request, ...answers]) expect(each.indexOf('\n')).toBe(each.length - 1);

        const read = (each: string) => decodedBy(createCodec(dialect), each.trimEnd());
        expect(read(request)).toMatchObject([{ kind: 'control-request', requestId: id, subtype: 'set_model' }]);
        expect(read(request)).toMatchObject([{ request: JSON.parse(JSON.stringify(body)) }]);
        expect(answers.flatMap(read)).toMatchObject([
          {
            kind: 'control-response',
            requestId: id,
            outcome: { ok: true, response: JSON.parse(JSON.stringify(body)) },
          },
          { kind: 'control-response', requestId: id, outcome: { ok: false } },
          { kind: 'control-cancel', requestId: id },
        ]);
      }),
    );
  });
});

function decodedBy(codec: Codec, text: string): Decoded[] {
  const decoded: Decoded[] = [];
  codec.decode(Buffer.from(text), (one) => decoded.push(one));
  return decoded;
}

/** Reads everything that a session would. */
function touch(decoded: Decoded): void {
  if (decoded.kind !== 'message') return;
  const { view, text, raw } = decoded.message;
  expect([typeof view, typeof text, raw.length >= 0]).toEqual(['object', 'string', true]);
}

function shown(decoded: Decoded): unknown {
  return decoded.kind === 'message' ? [decoded.message.text, decoded.message.raw.toString()] : decoded;
}
