/** JSON in JSON in JSON, as with the spellings of a secret. */
const MOST_LEVELS = 3;
const BACKSLASH = 0x5c;
const SIMPLE = new Map([...'"\\/'].map((character) => [character.charCodeAt(0), character.charCodeAt(0)]));
for (const [letter, code] of Object.entries({ b: 8, f: 12, n: 10, r: 13, t: 9 }))
  SIMPLE.set(letter.charCodeAt(0), code);
const LETTER_U = 0x75;
/** At the end of a text: what may go on as an escape. */
const AMID = /\\(?:u[0-9a-fA-F]{0,3})?$/;
const AMID_BYTES = 5;
/** At the beginning of a text: what may be the last one, two … five bytes of an escape, or backslashes of one in JSON in JSON. */
const RESTS = [
  /^[0-9a-fA-F/\\]/,
  /^(?:[0-9a-fA-F]{2}|\\{2})/,
  /^(?:[0-9a-fA-F]{3}|\\{3})/,
  /^[0-9a-fA-F]{4}/,
  /^u[0-9a-fA-F]{4}/,
];
const WINDOW_BYTES = 512 * 1024;
/** No secret of any shape is longer, however it is written. */
const OVERLAP_BYTES = 64 * 1024;

/** A text as whoever decodes it reads it. */
export interface EscapedView {
  readonly bytes: Buffer;
  /** Where each byte of it begins in the text; one more for where it ends, or an escape begins that is not all there. */
  readonly starts: Uint32Array;
  /** Where what was decoded ends in the text. */
  readonly end: number;
}

/**
 * Escapes that JSON allows and no encoder needs: a hostile one writes a secret with them in a spelling that nobody looks for
 * (P11). Texts that hold none of them cost one look.
 */
export class Escapes {
  /** How they begin. */
  readonly beginnings: readonly Buffer[];
  readonly #pattern: RegExp;

  /** `isAscii`: what is looked for is. Otherwise each escape of a character counts, and not only those of ASCII. */
  constructor(isAscii: boolean) {
    this.beginnings = ['\\/', isAscii ? '\\u00' : '\\u'].map((text) => Buffer.from(text));
    // Below the blank there is no other way to write a character.
    this.#pattern = isAscii ? /\\(?:\/|u00[2-7])/ : /\\(?:\/|u(?!00[01]))/;
  }

  areIn(text: string): boolean {
    return text.includes('\\') && this.#pattern.test(text);
  }

  areInBytes(text: Buffer): boolean {
    const first = text.indexOf(BACKSLASH);
    // Most escapes are needed, line feeds above all: the engine of regular expressions goes past them fastest.
    return first !== -1 && this.#pattern.test(text.toString('latin1', first));
  }

  /** The same of a text that may go on: the last may not be all there. */
  mayBeIn(text: Buffer): boolean {
    return AMID.test(text.toString('latin1', Math.max(0, text.length - AMID_BYTES))) || this.areInBytes(text);
  }

  /** Where a text may begin whose first bytes are the rest of an escape that was cut: none of them, or some. */
  restsAt(text: Buffer): number[] {
    const first = text.toString('latin1', 0, AMID_BYTES);
    return RESTS.flatMap((rest, index) => (rest.test(first) ? [index + 1] : []));
  }

  /**
   * The text from `from` on decoded, once and again as long as that may show anything. A long one in windows that overlap: what
   * is looked for is shorter, and a hostile text costs no more memory than an ordinary one.
   */
  *views(text: Buffer, from = 0): Generator<EscapedView> {
    for (let begin = from; begin < text.length; begin += WINDOW_BYTES - OVERLAP_BYTES) {
      const window = text.subarray(begin, begin + WINDOW_BYTES);
      const end = begin + window.length;
      let view: EscapedView | undefined;
      for (let level = 0; level < MOST_LEVELS && this.mayBeIn(view?.bytes ?? window); level += 1) {
        const { bytes, starts } = decoded(view?.bytes ?? window);
        const outer = view?.starts;
        view = { bytes, starts: starts.map((at) => (outer === undefined ? begin + at : (outer[at] as number))), end };
        yield view;
      }
      if (begin + WINDOW_BYTES >= text.length) return;
    }
  }
}

/** What is no escape stays as it is. An escape that was cut at the end is left out. */
function decoded(text: Buffer): Pick<EscapedView, 'bytes' | 'starts'> {
  const bytes = Buffer.alloc(text.length);
  const starts = new Uint32Array(text.length + 1);
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const found = text[at] === BACKSLASH ? escapeAt(text, at) : undefined;
    if (found === undefined) {
      starts[length] = at;
      bytes[length++] = text[at++] as number;
      continue;
    }
    if (found === 'cut') break;
    const written = bytes.write(String.fromCodePoint(found.code), length);
    starts.fill(at, length, length + written);
    length += written;
    at = found.end;
  }
  starts[length] = at;
  return { bytes: bytes.subarray(0, length), starts: starts.subarray(0, length + 1) };
}

function escapeAt(text: Buffer, at: number): { readonly code: number; readonly end: number } | 'cut' | undefined {
  const kind = text[at + 1];
  if (kind === undefined) return 'cut';
  const simple = SIMPLE.get(kind);
  if (simple !== undefined) return { code: simple, end: at + 2 };
  if (kind !== LETTER_U) return undefined;
  const unit = unitAt(text, at);
  if (unit === undefined) return isCut(text, at) ? 'cut' : undefined;
  const low = unit >= 0xd800 && unit < 0xdc00 ? unitAt(text, at + 6) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return { code: unit, end: at + 6 };
  return { code: (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000, end: at + 12 };
}

function unitAt(text: Buffer, at: number): number | undefined {
  if (text[at] !== BACKSLASH || text[at + 1] !== LETTER_U) return undefined;
  const digits = text.toString('latin1', at + 2, at + 6);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

function isCut(text: Buffer, at: number): boolean {
  return text.length - at < 6 && AMID.test(text.toString('latin1', at));
}
