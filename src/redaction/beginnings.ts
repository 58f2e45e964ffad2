/** A text that begins like a secret for as many bytes is looked at more closely. */
const BYTES = 4;

const NEWEST_CLASS = 0;

/**
 * The first bytes of many texts as one automaton (that of Aho and Corasick): what was read so far is one number, so that a
 * text may come in pieces at no cost.
 */
export class Beginnings {
  /** No byte of what was read begins anything. */
  static readonly NOTHING = 0;
  /** One began. */
  static readonly FOUND = -1;
  /** Bytes that begin nothing are one class. */
  readonly #classes = new Uint8Array(256).fill(NEWEST_CLASS);
  readonly #width: number;
  readonly #next: Int32Array;
  readonly #read: readonly Buffer[];
  readonly #amid: Uint8Array;

  constructor(texts: readonly Buffer[]) {
    const beginnings = texts.map((text) => text.subarray(0, BYTES));
    let classes = 1;
    for (const byte of beginnings.flatMap((text) => [...text])) {
      // More than a byte can tell apart there cannot be: 0 is in no text of a line.
      if (this.#classes[byte] === NEWEST_CLASS && classes < 256) this.#classes[byte] = classes++;
    }
    this.#width = classes;
    const read = ['', ...new Set(beginnings.flatMap((text) => prefixesOf(text)))];
    const states = new Map(read.map((text, state) => [text, state]));
    const whole = new Set(beginnings.map((text) => text.toString('latin1')));
    this.#read = read.map((text) => Buffer.from(text, 'latin1'));
    this.#amid = Uint8Array.from(read, (text) => (text.startsWith('\\') ? 1 : 0));
    this.#next = new Int32Array(read.length * classes);
    const bytes = [...this.#classes.entries()].filter(([, kind]) => kind !== NEWEST_CLASS);
    for (const [state, text] of read.entries()) {
      for (const [byte, kind] of bytes) {
        this.#next[state * classes + kind] = longestEnd(text + String.fromCharCode(byte), states, whole);
      }
    }
  }

  /** Goes on from a state through a part of a text: the new state, or `FOUND`. */
  read(from: number, text: Buffer, start: number, end: number): number {
    const classes = this.#classes;
    const next = this.#next;
    const width = this.#width;
    let state = from;
    for (let at = start; at < end; at += 1) {
      state = next[state * width + (classes[text[at] as number] as number)] as number;
      if (state === Beginnings.FOUND) return state;
    }
    return state;
  }

  /** What was read ends with a part of an escape: whether that means something shows only in what follows. */
  isAmid(state: number): boolean {
    return this.#amid[state] === 1;
  }

  /** The bytes that led to a state, fewer than make a find. */
  bytesOf(state: number): Buffer {
    return this.#read[state] ?? Buffer.alloc(0);
  }
}

function prefixesOf(text: Buffer): string[] {
  return Array.from({ length: text.length - 1 }, (_, index) => text.toString('latin1', 0, index + 1));
}

function longestEnd(text: string, states: ReadonlyMap<string, number>, whole: ReadonlySet<string>): number {
  for (let start = 0; start < text.length; start += 1) {
    const end = text.slice(start);
    if (whole.has(end)) return Beginnings.FOUND;
    const state = states.get(end);
    if (state !== undefined) return state;
  }
  return Beginnings.NOTHING;
}
