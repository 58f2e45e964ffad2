import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import type { Codec, Decoded } from '../wire/codec.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** A line of a peer of the dialect, and the kinds of what it holds, in order. */
export interface CodecSample {
  readonly line: string | Buffer;
  readonly kinds: readonly Decoded['kind'][];
}

/** What a codec writes. */
export type CodecWriter = 'prompt' | 'request' | 'success' | 'error' | 'cancel';

/** How the suite gets codecs. */
export interface CodecSubject {
  /** A codec as it is at the start of a process. */
  create(): Codec;
  /** Lines of the dialect, each for a codec that heard the ones before it. */
  readonly samples: readonly CodecSample[];
  /** A line that asks whether a tool may run: for codecs that answer only what was asked. */
  readonly question?: string;
  /** What the dialect has no line for: an empty text or CONTROL_UNSUPPORTED then. Default: none. */
  readonly unwritten?: readonly CodecWriter[];
}

/** As `decode` may cut it: see `Decoded`. */
const MAX_SAMPLE = 512;
const LARGE_BYTES = 5 * 2 ** 20;

const HOSTILE: readonly (string | Buffer)[] = [
  ...['null', 'true', '42', '"text"', '[]', '[{"type":"assistant"}]', '{}', '{"type":null}', '{"type":{"a":1}}'],
  ...['{"type":"', '{"type":"assistant"', '{"type":"assistant"}}', '}{', '\u0000', '\ufeff{"type":"x"}', '<html>'],
  ...['{"type":"control_request"}', '{"type":"control_request","request_id":7,"request":[]}'],
  ...[
    '{"type":"control_response"}',
    '{"type":"control_response","response":null}',
    '{"type":"control_cancel_request"}',
  ],
  ...['{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":7}', '{"jsonrpc":"2.0","id":1,"result":1,"error":2}'],
  ...['{"type":"user","message":{"content":[7]}}', '{"type":"assistant","message":null}', '{"type":"result"}'],
  ...['{"__proto__":{"type":"result"},"constructor":1}', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  // Deeper than a recursion goes, where each dialect has its payload.
  ...[
    '{"jsonrpc":"2.0","method":"zzz_new","params":{"x":DEEP}}',
    '{"jsonrpc":"2.0","id":7,"method":"permission_request","params":{"tool":"Bash","input":DEEP}}',
    '{"type":"sdk_control_request","request":{"subtype":"permission","request_id":"p","tool_input":DEEP}}',
    '{"type":"stream","event":"delta","text":"x","data":DEEP}',
    '{"type":"system","subtype":"permission_request","tool":"Bash","params":DEEP}',
    '{"type":"control_request","request_id":"p","request":{"subtype":"can_use_tool","input":DEEP}}',
    '{"type":"result","usage":DEEP}',
  ].map((line) => line.replace('DEEP', `${'[1,'.repeat(20_000)}0${']'.repeat(20_000)}`)),
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  Buffer.concat([Buffer.from('{"type":"assistant","x":"'), Buffer.from([0xe6, 0x97]), Buffer.from('"}')]),
];

/** Texts that break a line, a character or a parser when they are written carelessly (R09, R10). */
const AWKWARD = 'a\nb\r\nc\u2028d\u2029e\u0000f 日本 🦊 "quoted" \\ <!-- \ud83e';

/**
 * What Troupe expects of a codec, for any test runner: `for (const { name, run } of codecConformance(subject)) it(name, run);`.
 */
export function codecConformance(subject: CodecSubject): ConformanceCase[] {
  return [...DECODING, ...ENCODING].map(([name, check]) => ({ name, run: async () => check(subject) }));
}

type Case = readonly [name: string, check: (subject: CodecSubject) => void];

const DECODING: readonly Case[] = [
  [
    'tells what each line of the dialect holds',
    (subject) => {
      const codec = subject.create();
      for (const { line, kinds } of subject.samples) {
        const found = decoded(codec, line).map(({ kind }) => kind);
        deepStrictEqual(found, kinds, `of ${shown(line)}`);
      }
    },
  ],
  [
    'a message keeps the bytes of its line (P6)',
    (subject) => {
      const codec = subject.create();
      for (const { line } of subject.samples) {
        for (const one of decoded(codec, line)) {
          if (one.kind !== 'message') continue;
          const bytes = Buffer.from(line);
          // A banner that is glued to a frame is told by itself (R11).
          ok(bytes.includes(one.message.raw), `the raw bytes of ${shown(line)}`);
        }
      }
    },
  ],
  [
    'a line feed, spaces and nothing at all are nothing',
    (subject) => {
      for (const line of ['', ' ', '\r', '  \t '])
        deepStrictEqual(decoded(subject.create(), line), [], JSON.stringify(line));
    },
  ],
  [
    'a line that is none of the dialect is one diagnostic, with its beginning and its size (R11)',
    (subject) => {
      const line = `[SandboxDebug] ${'x'.repeat(1_000)}`;
      const [only, ...more] = decoded(subject.create(), line);
      deepStrictEqual(more, []);
      ok(only?.kind === 'diagnostic');
      strictEqual(only.bytes, line.length);
      strictEqual(only.sample, line.slice(0, MAX_SAMPLE));
    },
  ],
  [
    'a line that begins like an object and ends too early is told as corrupt (R13)',
    (subject) => {
      const found = decoded(subject.create(), '{"type":"resu');
      deepStrictEqual(
        found.map((one) => (one.kind === 'diagnostic' ? one.reason : one.kind)),
        ['corrupt'],
      );
    },
  ],
  [
    'never throws, whatever comes, and drops nothing in silence (P6, R17)',
    (subject) => {
      const codec = subject.create();
      for (const line of [...HOSTILE, '{"type":"zzz_new","x":1}', Buffer.alloc(LARGE_BYTES, 0x78)]) {
        ok(decoded(codec, line).length > 0, `${shown(line)} was dropped`);
      }
      // What came before does not spoil what comes after.
      ok(decoded(codec, subject.samples[0]?.line ?? '{"type":"x"}').length > 0);
    },
  ],
  [
    'knows nothing of what another process said',
    (subject) => {
      const told = (codec: Codec) => subject.samples.map(({ line }) => decoded(codec, line).map(({ kind }) => kind));
      const first = subject.create();
      const alone = told(first);
      for (const { line } of subject.samples) decoded(first, line);
      deepStrictEqual(told(subject.create()), alone);
    },
  ],
];

const WRITERS: Readonly<Record<CodecWriter, (codec: Codec, text: string, questionId: string) => string>> = {
  prompt: (codec, text) => codec.encodePrompt({ uuid: '11111111-1111-4111-8111-111111111111', content: text }),
  request: (codec, text) => codec.encodeRequest('host-1', { subtype: 'initialize', appendSystemPrompt: text }),
  success: (codec, text, id) => codec.encodeSuccess(id, { behavior: 'deny', message: text }),
  error: (codec, text, id) => codec.encodeError(id, text),
  cancel: (codec, text) => codec.encodeCancel(text),
};

const ENCODING: readonly Case[] = [
  [
    'writes exactly one line for each thing it says, whatever is in it (R10)',
    (subject) => {
      for (const writer of written(subject)) {
        const { codec, questionId } = asked(subject);
        const line = WRITERS[writer](codec, AWKWARD, questionId);
        match(line, /^[^\n\r\u2028\u2029]+\n$/, `${writer} is ${JSON.stringify(line)}`);
        ok(typeof JSON.parse(line) === 'object', `${writer} is ${line}`);
        ok(Buffer.from(line).toString() === line, `${writer} has half a character`);
      }
    },
  ],
  [
    'refuses with a code what JSON cannot hold, and writes nothing of it',
    (subject) => {
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;
      const able = written(subject);
      const refused = (writer: CodecWriter, code: string, write: (codec: Codec, id: string) => string) => {
        const { codec, questionId } = asked(subject);
        if (!able.includes(writer)) return;
        try {
          // A dialect that has no word for the field leaves it out, and what it writes is whole.
          JSON.parse(write(codec, questionId));
        } catch (error) {
          strictEqual((error as { code?: unknown }).code, code, writer);
        }
      };
      refused('prompt', 'INVALID_PROMPT', (codec) => codec.encodePrompt({ uuid: 'u', content: [cyclic] }));
      refused('request', 'INVALID_OPTIONS', (codec) => codec.encodeRequest('r', { subtype: 'initialize', x: cyclic }));
      refused('success', 'INVALID_ANSWER', (codec, id) => codec.encodeSuccess(id, cyclic));
    },
  ],
  [
    'says nothing, or that it cannot, where the dialect has no line',
    (subject) => {
      for (const writer of subject.unwritten ?? []) {
        try {
          strictEqual(WRITERS[writer](subject.create(), 'text', 'none'), '', writer);
        } catch (error) {
          strictEqual((error as { code?: unknown }).code, 'CONTROL_UNSUPPORTED', writer);
        }
      }
    },
  ],
];

function written({ unwritten = [] }: CodecSubject): CodecWriter[] {
  return (Object.keys(WRITERS) as CodecWriter[]).filter((writer) => !unwritten.includes(writer));
}

/** A codec that was asked something, where it needs that. */
function asked({ create, question }: CodecSubject): { codec: Codec; questionId: string } {
  const codec = create();
  const [last] = question === undefined ? [] : decoded(codec, question).slice(-1);
  return { codec, questionId: last?.kind === 'control-request' ? last.requestId : 'cli-1' };
}

function decoded(codec: Codec, line: string | Buffer): Decoded[] {
  const found: Decoded[] = [];
  codec.decode(Buffer.from(line), (one) => found.push(one));
  return found;
}

function shown(line: string | Buffer): string {
  return JSON.stringify(line.toString().slice(0, 100));
}
