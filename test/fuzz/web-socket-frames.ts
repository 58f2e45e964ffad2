import { holds } from './target.ts';

/** The most of a payload that is made longer. */
const MOST_BYTES = 2 ** 21;
const KEY = [0x37, 0xfa, 0x21, 0x3d] as const;

/** A frame of a client (RFC 6455 §5.2). Each field may be anything: it goes out as near to it as bytes can be. */
export function frameOf(part: Readonly<Record<string, unknown>>): Buffer {
  const { op = 1, fin = true, rsv = 0, masked = true, payload = '', length, repeat = 1 } = part;
  const text = Buffer.from(typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? ''), 'latin1');
  const times = Math.min(wholeOf(repeat), Math.ceil(MOST_BYTES / Math.max(1, text.length)));
  const body = Buffer.concat(Array.from({ length: times }, () => text));
  const first = (fin === true ? 0x80 : 0) | ((wholeOf(rsv) & 7) << 4) | (wholeOf(op) & 15);
  const said = length === undefined ? body.length : wholeOf(length);
  const head = [first, ...sizeOf(said, masked === true ? 0x80 : 0)];
  if (masked !== true) return Buffer.concat([Buffer.from(head), body]);
  const hidden = body.map((byte, at) => byte ^ (KEY[at % 4] ?? 0));
  return Buffer.concat([Buffer.from([...head, ...KEY]), hidden]);
}

/**
 * The texts in what a server sent. Throws a `Violation` when it is no run of whole, plain frames, the last of which may be
 * on its way: what is shared among clients is written between what the library writes.
 */
export function framesIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
    const op = first & 15;
    holds((first & 0xf0) === 0x80, `A frame begins with ${first.toString(16)}.`);
    holds([1, 8, 9, 10].includes(op), `A frame has operation ${op}.`);
    holds(second < 0x80, 'A frame of the server is masked.');
    holds(op === 1 || second <= 125, `A control frame says ${second} bytes.`);
    const wide = second === 126 ? 2 : second === 127 ? 8 : 0;
    if (at + 2 + wide > bytes.length) break;
    const size = wide === 0 ? second : wide === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    const start = at + 2 + wide;
    if (start + size > bytes.length) break;
    const body = bytes.subarray(start, start + size);
    if (op === 1) texts.push(new TextDecoder('utf-8', { fatal: true }).decode(body));
    at = start + size;
    if (op !== 8) continue;
    const code = size >= 2 ? body.readUInt16BE(0) : 1_005;
    holds(FAREWELLS.includes(code), `It says farewell with ${code}.`);
    holds(at === bytes.length, 'Something comes behind the farewell.');
  }
  return texts;
}

/** 1005: none, which is what a client gets that says none. */
const FAREWELLS = [1_000, 1_001, 1_002, 1_003, 1_005, 1_007, 1_008, 1_009, 1_013];

function wholeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(2 ** 53 - 1, Math.abs(Math.trunc(value))) : 1;
}

function sizeOf(size: number, mask: number): number[] {
  if (size < 126) return [mask | size];
  if (size < 65_536) return [mask | 126, size >> 8, size & 255];
  const wide = Buffer.alloc(8);
  wide.writeBigUInt64BE(BigInt(size));
  return [mask | 127, ...wide];
}
