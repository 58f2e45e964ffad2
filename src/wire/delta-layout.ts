import { isRecord, parseRecord } from './fields.ts';

/** The pieces of a text, and where the text stands in each (WIRE §10). */
export const DELTA_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
]);

/** What such a line begins with, in every release that was seen. */
const PREFIX = '{"type":"stream_event",';
const DELTA = '"type":"content_block_delta"';
/** Its pieces are none of the main conversation. */
const OF_AN_AGENT = '"parent_tool_use_id":"';
/** Of the id of a line. */
export const ID_BYTES = 36;
/** A longer line is not worth being known by its layout. */
const MOST_LEARNED_BYTES = 4 * 1024;
const QUOTE = 0x22;

/** What a byte means inside a text of JSON. */
const PLAIN = 0;
const ESCAPE = 1;
const END = 2;
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  // A bare control character makes the line no JSON.
  if (byte < 0x20 || byte === QUOTE) return END;
  return byte === 0x5c ? ESCAPE : PLAIN;
});
const SIMPLE_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

type Tree = Record<string, unknown>;

/**
 * How the pieces of one answer are written, byte by byte: the lines of a block differ in their text and their id only. A line
 * that fits holds one text, which is not empty, of the main conversation, and is valid JSON: nothing of it has to be parsed.
 */
export class DeltaLayout {
  /** Bytes from the beginning of the line to its text. */
  readonly headLength: number;
  /** Bytes from the end of its text to the line feed. */
  readonly tailLength: number;
  /** Bytes from the end of its text to its id. */
  readonly idOffset: number;
  /** What is the same in all its lines, with a line feed where the others differ. */
  readonly around: Buffer;
  /** `text_delta`, `thinking_delta` or `input_json_delta`. */
  readonly kind: string;
  readonly #head: Fixed;
  readonly #middle: Fixed;
  readonly #rest: Fixed;
  readonly #tree: Tree;
  readonly #event: Tree;
  readonly #delta: Tree;
  readonly #field: string;

  private constructor(parts: { head: Buffer; middle: Buffer; rest: Buffer; tree: Tree; event: Tree; delta: Tree }) {
    const { head, middle, rest, tree, event, delta } = parts;
    this.#head = new Fixed(head);
    this.#middle = new Fixed(middle);
    this.#rest = new Fixed(rest);
    this.#tree = tree;
    this.#event = event;
    this.#delta = delta;
    this.kind = String(delta['type']);
    this.#field = DELTA_TEXTS.get(delta['type']) ?? '';
    this.headLength = head.length;
    this.tailLength = middle.length + ID_BYTES + rest.length;
    this.idOffset = middle.length;
    this.around = Buffer.from([head, middle, rest].join('\n'), 'latin1');
  }

  /** Whether it may be worth a try to take the layout of this line. Costs a look at its bytes. */
  static isLikely(line: Buffer): boolean {
    if (line.length > MOST_LEARNED_BYTES || line.toString('latin1', 0, PREFIX.length) !== PREFIX) return false;
    return line.includes(DELTA) && !line.includes(OF_AN_AGENT);
  }

  /** The layout of this line; undefined where it is none of those that have one. */
  static of(line: Buffer): DeltaLayout | undefined {
    if (line.toString('latin1', 0, PREFIX.length) !== PREFIX) return undefined;
    const value = parseRecord(line.toString('utf8'));
    const delta = deltaOf(value);
    const field = DELTA_TEXTS.get(delta?.['type']);
    const uuid = value?.['uuid'];
    if (field === undefined || typeof uuid !== 'string') return undefined;
    const opening = `"${field}":"`;
    const id = `"uuid":"${uuid}"`;
    // Their last places: wherever these are, what is read from them is tried out below.
    const idAt = line.lastIndexOf(id) + '"uuid":"'.length;
    const at = line.lastIndexOf(opening, idAt) + opening.length;
    const end = textEnd(line, at, line.length);
    if (line.lastIndexOf(id) < end || line.lastIndexOf(opening, idAt) === -1 || end === at) return undefined;
    const [head, middle, rest] = [line.subarray(0, at), line.subarray(end, idAt), line.subarray(idAt + ID_BYTES)];
    return [head, middle, rest].every(isPlain) ? DeltaLayout.#proven(head, middle, rest) : undefined;
  }

  /** With another text and another id in these places the line says just that: so it does with every text and id. */
  static #proven(head: Buffer, middle: Buffer, rest: Buffer): DeltaLayout | undefined {
    const [text, uuid] = ['t', 'u'.repeat(ID_BYTES)];
    const line = `${head}${text}${middle}${uuid}${rest}`;
    const tree = parseRecord(line);
    const { event } = tree ?? {};
    const delta = deltaOf(tree);
    const field = DELTA_TEXTS.get(delta?.['type']);
    if (tree === undefined || !isRecord(event) || delta === undefined || field === undefined) return undefined;
    const isProven = tree['uuid'] === uuid && delta[field] === text && isFlat(tree, event, delta);
    // Written in no other way: no name comes twice, and what is searched in a line is what it says.
    if (!isProven || JSON.stringify(tree) !== line || line.includes(OF_AN_AGENT)) return undefined;
    // The views lie in a chunk that others read into.
    const own = { head: Buffer.from(head), middle: Buffer.from(middle), rest: Buffer.from(`${rest}\n`, 'latin1') };
    return new DeltaLayout({ ...own, tree, event, delta });
  }

  /**
   * Where the line that begins at `at` ends, at its line feed; -1 where it does not fit, or is not all there. `view` looks at
   * the same bytes as `chunk`.
   */
  lineEnd(chunk: Buffer, view: DataView, at: number): number {
    const { length } = chunk;
    if (!this.#head.isAt(view, at, length)) return -1;
    const start = at + this.headLength;
    const end = textEnd(chunk, start, length);
    if (end === start || !this.#middle.isAt(view, end, length)) return -1;
    const idAt = end + this.#middle.length;
    const restAt = idAt + ID_BYTES;
    if (!this.#rest.isAt(view, restAt, length) || !isId(view, idAt)) return -1;
    return end + this.tailLength - 1;
  }

  /** What `JSON.parse` makes of the line from `start` to its line feed at `end`. */
  valueOf(bytes: Buffer, start: number, end: number): Tree {
    const textEnds = end + 1 - this.tailLength;
    const uuid = textEnds + this.#middle.length;
    const delta = { ...this.#delta, [this.#field]: textOf(bytes, start + this.headLength, textEnds) };
    const event = { ...this.#event, delta };
    return { ...this.#tree, event, uuid: bytes.toString('latin1', uuid, uuid + ID_BYTES) };
  }
}

/** The text in these bytes of JSON. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}

/** Bytes that are the same in every line; ASCII. They are compared eight at a time. */
class Fixed {
  readonly length: number;
  readonly #words: Float64Array;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.length = bytes.length;
    const view = viewOf(bytes);
    this.#words = Float64Array.from({ length: Math.floor(bytes.length / 8) }, (_, word) =>
      view.getFloat64(word * 8, true),
    );
  }

  isAt(view: DataView, at: number, limit: number): boolean {
    const bytes = this.#bytes;
    if (at + bytes.length > limit) return false;
    const words = this.#words;
    const count = words.length;
    // Eight bytes of ASCII are no NaN and no zero: as numbers they are equal just when they are the same.
    for (let word = 0; word < count; word += 1) if (view.getFloat64(at + word * 8, true) !== words[word]) return false;
    for (let byte = count * 8; byte < bytes.length; byte += 1) {
      if (view.getUint8(at + byte) !== bytes[byte]) return false;
    }
    return true;
  }
}

/** The same bytes for reading numbers. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Where the text that begins at `start` ends with its quote; `start` where it does not end, or is no text of JSON. */
function textEnd(bytes: Buffer, start: number, limit: number): number {
  for (let at = start; at < limit; at += 1) {
    const found = CLASSES[bytes[at] as number] as number;
    if (found === PLAIN) continue;
    if (found === END) return bytes[at] === QUOTE ? at : start;
    at += 1;
    if (at >= limit) return start;
    if (bytes[at] === 0x75) {
      if (!hasHex(bytes, at + 1, limit)) return start;
      at += 4;
    } else if (!SIMPLE_ESCAPES.has(bytes[at] as number)) return start;
  }
  return start;
}

function hasHex(bytes: Buffer, start: number, limit: number): boolean {
  return start + 4 <= limit && /^[\dA-Fa-f]{4}$/.test(bytes.toString('latin1', start, start + 4));
}

/** Digits, small letters, dashes and the like: nothing that ends a text or escapes in one. */
function isId(view: DataView, start: number): boolean {
  for (let at = start; at < start + ID_BYTES; at += 4) {
    const four = view.getInt32(at, true);
    // Of each byte: 0x20 is set, and with it 0x40, 0x10 or 0x08, and 0x80 is not.
    const ok = ((four >>> 1) | (four << 1) | (four << 2)) & four & 0x20202020;
    if (ok !== 0x20202020 || (four & 0x80808080) !== 0) return false;
  }
  return true;
}

function isPlain(part: Buffer): boolean {
  return part.length > 0 && part.every((byte) => byte >= 0x20 && byte < 0x7f);
}

function deltaOf(value: Tree | undefined): Tree | undefined {
  const event = value?.['event'];
  if (!isRecord(event) || event['type'] !== 'content_block_delta') return undefined;
  return isRecord(event['delta']) ? event['delta'] : undefined;
}

/** Nothing lies deeper than it is copied. */
function isFlat(tree: Tree, event: Tree, delta: Tree): boolean {
  const hasOnly = (one: Tree, inner: Tree | undefined) =>
    Object.values(one).every((value) => value === inner || typeof value !== 'object' || value === null);
  return hasOnly(tree, event) && hasOnly(event, delta) && hasOnly(delta, undefined);
}
