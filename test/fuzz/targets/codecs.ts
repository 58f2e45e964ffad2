import type { Decoded } from '../../../src/wire/codec.ts';
import { createCodec } from '../../../src/wire/create-codec.ts';
import type { DialectOption } from '../../../src/wire/dialect.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { LineSplitter } from '../../../src/wire/line-splitter.ts';
import { recordedStreams } from '../recorded-lines.ts';
import { type FuzzTarget, holds, same, shortened } from '../target.ts';

const DIALECTS: readonly DialectOption[] = ['auto', 'stream-json', 'stream-json-sdk-control', 'print', 'json-rpc'];
/** The others translate, and some of what they hear means nothing here. */
const TELLS_ALL: ReadonlySet<DialectOption> = new Set(['auto', 'stream-json', 'stream-json-sdk-control']);
const MAX_SAMPLE_CHARACTERS = 512;

const OTHER_DIALECTS = [
  '{"jsonrpc":"2.0","id":1,"result":{"protocol_version":"1.0","capabilities":{}}}',
  '{"jsonrpc":"2.0","method":"assistant_token","params":{"session_id":"s","text":"a"}}',
  '{"jsonrpc":"2.0","id":"p","method":"permission_request","params":{"tool_name":"Bash","tool_input":{}}}',
  '{"type":"control","control":{"type":"can_use_tool","request_id":"r","tool_name":"Bash","input":{}}}',
  '{"type":"sdk_control_request","request":{"subtype":"can_use_tool","request_id":"r","tool_name":"Bash","input":{}}}',
  '{"type":"stream","event":"delta","text":"a"}',
  '{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.1}',
];

export const target: FuzzTarget = {
  name: 'codecs',
  promise:
    'P6 Whatever bytes a peer writes, in every dialect: nothing throws, no line is swallowed, and chunks change nothing.',
  format: 'ndjson',
  isGuided: true,
  seeds: () => [
    ...recordedStreams(2),
    ...OTHER_DIALECTS.map((line) => Buffer.from(`${line}\n`)),
    Buffer.from(OTHER_DIALECTS.join('\n')),
  ],
  open: () => ({ run: decodes }),
};

function decodes(input: Buffer): void {
  for (const dialect of DIALECTS) {
    const whole = decodedBy(dialect, input, input.length);
    for (const decoded of whole) check(decoded);
    same(decodedBy(dialect, input, 1 + (input.length % 61)).map(shown), whole.map(shown), `${dialect} in chunks`);
  }
  for (const line of input.toString().split('\n', 50)) keepsType(line);
}

function decodedBy(dialect: DialectOption, input: Buffer, size: number): Decoded[] {
  const codec = createCodec(dialect);
  const decoded: Decoded[] = [];
  const take = (line: Buffer) => {
    const before = decoded.length;
    codec.decode(line, (one) => decoded.push(one));
    const isTold = decoded.length > before || !TELLS_ALL.has(dialect) || isBlank(line);
    holds(isTold, () => `${dialect} says nothing of the line ${shortened(line.toString())}`);
  };
  const splitter = new LineSplitter({ maxLineBytes: 2 ** 20 });
  for (let at = 0; at < input.length; at += size) splitter.push(input.subarray(at, at + size), take);
  const tail = splitter.end();
  if (tail !== undefined) take(tail);
  return decoded;
}

function isBlank(line: Buffer): boolean {
  return /^[\s\ufeff]*$/.test(line.toString());
}

function check(decoded: Decoded): void {
  if (decoded.kind === 'message') {
    const { message } = decoded;
    holds(typeof message.type === 'string', 'A message has no type.');
    holds(message.raw.length > 0, 'A message has no bytes.');
    holds(typeof message.view === 'object' && typeof message.text === 'string', 'A message has no view.');
  }
  if (decoded.kind === 'diagnostic') {
    holds(decoded.sample.length <= MAX_SAMPLE_CHARACTERS, `A sample has ${decoded.sample.length} characters.`);
    holds(!/\p{Surrogate}/u.test(decoded.sample), 'A sample holds half a character.');
  }
}

/** A prefix may say yes: then it says what the whole line says, where no name stands twice. */
function keepsType(line: string): void {
  const value = parsed(line);
  if (!isRecord(value) || typeof value['type'] !== 'string') return;
  const plain = JSON.stringify(value);
  if (plain.includes('\n')) return;
  const [decoded, ...more] = decodedBy('stream-json', Buffer.from(plain), plain.length);
  holds(more.length === 0, () => `One object became several things: ${shortened(plain)}`);
  if (decoded?.kind !== 'message') return;
  holds(decoded.message.type === value['type'], () => `${decoded.message.type} for ${shortened(plain)}`);
  const { subtype } = decoded.message;
  holds(subtype === undefined || subtype === value['subtype'], () => `${subtype} for ${shortened(plain)}`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function shown(decoded: Decoded): unknown {
  return decoded.kind === 'message'
    ? [decoded.message.type, decoded.message.subtype, decoded.message.text, decoded.message.raw.toString('latin1')]
    : decoded;
}
