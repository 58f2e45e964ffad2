import { ByteScanner, type Found } from './byte-scanner.ts';
import { PrefixScanner } from './prefix-scanner.ts';

interface Shape {
  readonly prefix: string;
  /** The characters of the rest. */
  readonly rest: RegExp;
  /** How many of them make it one. */
  readonly min: number;
  readonly max?: number;
  /** Words of a sentence have none. */
  readonly needsDigit?: true;
}

const WORD = /[A-Za-z0-9]/;
const WORD_OR_DASH = /[A-Za-z0-9_-]/;
const BEARER = /[A-Za-z0-9._~+/=-]/;

/** What is a secret by how it looks, whoever it belongs to. */
const SHAPES: readonly Shape[] = [
  { prefix: 'sk-ant-', rest: WORD_OR_DASH, min: 16, needsDigit: true },
  { prefix: 'sk-proj-', rest: WORD_OR_DASH, min: 20, needsDigit: true },
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => ({ prefix, rest: WORD, min: 30 })),
  { prefix: 'github_pat_', rest: /[A-Za-z0-9_]/, min: 22 },
  { prefix: 'glpat-', rest: WORD_OR_DASH, min: 20 },
  { prefix: 'npm_', rest: WORD, min: 36 },
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'].map((prefix) => ({ prefix, rest: WORD_OR_DASH, min: 20 })),
  ...['AKIA', 'ASIA'].map((prefix) => ({ prefix, rest: /[A-Z0-9]/, min: 16, max: 16 })),
  { prefix: 'AIza', rest: WORD_OR_DASH, min: 35, max: 35 },
  ...['Bearer ', 'bearer '].map((prefix) => ({ prefix, rest: BEARER, min: 20, needsDigit: true as const })),
];

const KEY_BEGIN = '-----BEGIN ';
const KEY_KIND = Buffer.from('PRIVATE KEY-----');
const KEY_END = Buffer.from('-----END ');
/** How far behind the beginning the kind stands: `ENCRYPTED`, `OPENSSH` and the like come between. */
const MOST_KIND_BYTES = 32;

type Measure = (text: Buffer, start: number) => Found | undefined;

/** Finds what looks like a secret: how it begins, and then by how it goes on. */
export class ShapeScanner {
  readonly #measures = new Map<string, Measure>([
    ...SHAPES.map((shape): [string, Measure] => [shape.prefix, measureOf(shape)]),
    [KEY_BEGIN, measureKey],
  ]);
  readonly #prefixes = new RegExp([...this.#measures.keys()].join('|'), 'g');
  /** How they begin. */
  readonly beginnings = [...this.#measures.keys()].map((prefix) => Buffer.from(prefix));
  readonly #beginnings = new ByteScanner(this.beginnings);
  readonly #places = new PrefixScanner(this.beginnings);

  /** The first one that begins at `from` or later; of an unfinished text also what only may become one. */
  next(text: Buffer, from: number, isUnfinished: boolean): Found | undefined {
    const beginnings = this.#places;
    for (let begun = beginnings.next(text, from); begun !== undefined; begun = beginnings.next(text, begun.start + 1)) {
      const found = this.#measures.get(text.toString('latin1', begun.start, begun.end))?.(text, begun.start);
      if (found !== undefined && (found.isWhole || isUnfinished)) return found;
    }
    return undefined;
  }

  /** False where none is in the text for sure: all of them begin with ASCII. */
  mayBeIn(text: string): boolean {
    this.#prefixes.lastIndex = 0;
    return this.#prefixes.test(text);
  }

  /** Where the end of the text, from `from` on, is a part of how one begins; its length for nowhere. */
  openFrom(text: Buffer, from: number): number {
    return this.#beginnings.openFrom(text, from);
  }
}

function measureOf({ prefix, rest, min, max = Number.POSITIVE_INFINITY, needsDigit }: Shape): Measure {
  const isRest = tableOf(rest);
  const isWord = tableOf(WORD);
  return (text, start) => {
    // In the middle of a word it is part of something else, such as a longer text in base64.
    if (start > 0 && isWord[text[start - 1] as number] === 1) return undefined;
    const first = start + prefix.length;
    let end = first;
    let digits = 0;
    for (; end < text.length && isRest[text[end] as number] === 1; end += 1) {
      if (isDigit(text[end] as number)) digits += 1;
    }
    const length = end - first;
    const isOpen = end === text.length && length < max;
    const isWhole = length >= min && length <= max && (needsDigit !== true || digits > 0);
    return isWhole || isOpen ? { start, end, isOpen, isWhole } : undefined;
  };
}

/** From the first line to the last, whatever stands between: line ends, escaped line ends, numbers of lines. */
function measureKey(text: Buffer, start: number): Found | undefined {
  const kind = text.indexOf(KEY_KIND, start + KEY_BEGIN.length);
  if (kind === -1 && text.length - start <= MOST_KIND_BYTES)
    return { start, end: text.length, isOpen: true, isWhole: false };
  if (kind === -1 || kind - start > MOST_KIND_BYTES) return undefined;
  const last = text.indexOf(KEY_END, kind);
  const end = last === -1 ? -1 : text.indexOf(KEY_KIND, last);
  if (end === -1) return { start, end: text.length, isOpen: true, isWhole: true };
  return { start, end: end + KEY_KIND.length, isOpen: false, isWhole: true };
}

function tableOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    code < 128 && characters.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
