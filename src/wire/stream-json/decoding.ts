import { CliMessage } from '../cli-message.ts';
import type { Decoded } from '../codec.ts';
import { parseRecord, stringOf } from '../fields.ts';
import { decodeControlLine } from './control-frame.ts';

/** Characters of a line that go into a diagnostic. */
const MAX_SAMPLE_CHARACTERS = 512;
/** A banner longer than this is not searched for a frame behind it. */
const MAX_BANNER_BYTES = 64 * 1024;
/** So many places where a frame may begin are tried behind a banner. */
const MAX_FRAME_CANDIDATES = 16;

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;
const FRAME_START = Buffer.from('{"');

/** The frequent kinds; none of them needs a look inside to be delivered. */
const PEEKED = ['stream_event', 'assistant', 'tool_progress'].map((type) => ({
  type,
  prefix: Buffer.from(`{"type":"${type}"`),
}));

export function decodeLine(line: Buffer, emit: (decoded: Decoded) => void): void {
  const content = trim(line);
  if (content.length === 0) return;
  const type = peekType(content);
  if (type !== undefined) {
    emit({ kind: 'message', message: new CliMessage(content, type, undefined) });
  } else if (content[0] === OPENING_BRACE) {
    const value = parseRecord(content.toString('utf8'));
    emit(value === undefined ? diagnostic('corrupt', content) : decodeRecord(content, value));
  } else {
    decodeForeign(content, emit);
  }
}

/** The type of a line that begins with it; undefined says nothing, for the order of keys is not stable (WIRE §10). */
function peekType(content: Buffer): string | undefined {
  if (content[content.length - 1] !== CLOSING_BRACE) return undefined;
  for (const { type, prefix } of PEEKED) {
    const next = content[prefix.length];
    if ((next === COMMA || next === CLOSING_BRACE) && startsWith(content, prefix)) return type;
  }
  return undefined;
}

function startsWith(content: Buffer, prefix: Buffer): boolean {
  // Backwards: the prefixes share their first bytes.
  for (let index = prefix.length - 1; index >= 0; index -= 1) {
    if (content[index] !== prefix[index]) return false;
  }
  return true;
}

function decodeRecord(raw: Buffer, value: Record<string, unknown>): Decoded {
  const type = stringOf(value['type']);
  if (type === undefined) return diagnostic('untyped', raw);
  if (type === 'keep_alive') return { kind: 'keep-alive' };
  if (type.startsWith('control_')) {
    const decoded = decodeControlLine(type, value);
    if (decoded === 'malformed') return diagnostic('malformed-control', raw);
    if (decoded !== 'no-control') return decoded;
  }
  return { kind: 'message', message: new CliMessage(raw, type, stringOf(value['subtype']), value) };
}

/** A warning without its line feed is followed by a frame on the same line, which must not be lost (R11). */
function decodeForeign(content: Buffer, emit: (decoded: Decoded) => void): void {
  let start = content[content.length - 1] === CLOSING_BRACE ? content.indexOf(FRAME_START) : -1;
  for (let tries = 0; tries < MAX_FRAME_CANDIDATES && start !== -1 && start <= MAX_BANNER_BYTES; tries += 1) {
    const frame = content.subarray(start);
    const value = parseRecord(frame.toString('utf8'));
    if (typeof value?.['type'] === 'string') {
      emit(diagnostic('foreign', content.subarray(0, start)));
      emit(decodeRecord(frame, value));
      return;
    }
    start = content.indexOf(FRAME_START, start + 1);
  }
  emit(diagnostic('foreign', content));
}

function diagnostic(reason: Extract<Decoded, { kind: 'diagnostic' }>['reason'], line: Buffer): Decoded {
  // Four bytes hold at least one character, so the cut of the bytes lies behind the cut of the text.
  const text = line
    .subarray(0, 4 * MAX_SAMPLE_CHARACTERS)
    .toString('utf8')
    .slice(0, MAX_SAMPLE_CHARACTERS);
  return { kind: 'diagnostic', reason, sample: text.replace(/\p{Cs}/gu, '\ufffd'), bytes: line.length };
}

/** The line without ASCII white space and byte order marks around it; never looks inside (R12). */
function trim(line: Buffer): Buffer {
  let start = 0;
  let end = line.length;
  for (;;) {
    if (isSpace(line[start])) start += 1;
    else if (line[start] === 0xef && line[start + 1] === 0xbb && line[start + 2] === 0xbf) start += 3;
    else break;
  }
  while (end > start && isSpace(line[end - 1])) end -= 1;
  return start === 0 && end === line.length ? line : line.subarray(start, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}
