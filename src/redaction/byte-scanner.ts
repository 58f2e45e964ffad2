/** Where something stands in a text. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** It reaches the end of the text, and what follows may belong to it. */
  readonly isOpen: boolean;
  /** It is one, whatever follows. */
  readonly isWhole: boolean;
}

/** A window need not be longer to make the steps long enough. */
const MOST_WINDOW_BYTES = 32;

/**
 * Finds many texts in one pass that looks at every few bytes only (the algorithm of Wu and Manber): its cost hardly grows
 * with their number, and shrinks with their length. None may have fewer than two bytes.
 */
export class ByteScanner {
  readonly #texts: readonly Buffer[];
  readonly #window: number;
  /** By two bytes: how far the window may move when it ends with them. */
  readonly #shifts = new Uint8Array(65_536);
  /** By the same two: the texts whose window ends with them. */
  readonly #ending = new Map<number, Buffer[]>();
  readonly #byFirst: Buffer[][] = Array.from({ length: 256 }, () => []);
  readonly #longest: number;
  readonly #isAscii: boolean;

  constructor(texts: readonly Buffer[]) {
    // The longest first: what matches at one place is taken as a whole.
    this.#texts = [...texts].sort((a, b) => b.length - a.length);
    this.#longest = this.#texts[0]?.length ?? 0;
    this.#window = Math.min(MOST_WINDOW_BYTES, ...this.#texts.map(({ length }) => length));
    this.#isAscii = this.#texts.every((text) => text.every((byte) => byte < 128));
    this.#shifts.fill(this.#window - 1);
    for (const text of this.#texts) this.#add(text);
  }

  get texts(): readonly Buffer[] {
    return this.#texts;
  }

  /** The first one that begins at `from` or later, and has its first bytes before `length`. */
  next(text: Buffer, from: number, length = text.length): Found | undefined {
    if (this.#texts.length === 0) return undefined;
    const window = this.#window;
    const shifts = this.#shifts;
    for (let at = from + window; at <= length; ) {
      const block = ((text[at - 2] as number) << 8) | (text[at - 1] as number);
      const shift = shifts[block] as number;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const found = this.#matchAt(text, at - window, block);
      if (found !== undefined) return found;
      at += 1;
    }
    return undefined;
  }

  /** False where none is in the text for sure: nearly every short one is left as it is, and needs no bytes of its own. */
  mayBeIn(text: string): boolean {
    if (this.#texts.length === 0) return false;
    if (!this.#isAscii) return true;
    const window = this.#window;
    for (let at = window; at <= text.length; ) {
      const [first, second] = [text.charCodeAt(at - 2), text.charCodeAt(at - 1)];
      // Outside of ASCII there is a part of none.
      const shift = (first | second) < 128 ? (this.#shifts[(first << 8) | second] as number) : window - 1;
      if (shift === 0) return true;
      at += shift;
    }
    return false;
  }

  /** Where the end of the text, from `from` on, is the beginning of one that goes on elsewhere; its length for nowhere. */
  openFrom(text: Buffer, from: number): number {
    for (let at = Math.max(from, text.length - this.#longest + 1); at < text.length; at += 1) {
      for (const whole of this.#byFirst[text[at] as number] as Buffer[]) {
        if (text.length - at < whole.length && startsAt(text, at, whole, text.length - at)) return at;
      }
    }
    return text.length;
  }

  #add(text: Buffer): void {
    this.#byFirst[text[0] as number]?.push(text);
    for (let end = 2; end <= this.#window; end += 1) {
      const block = ((text[end - 2] as number) << 8) | (text[end - 1] as number);
      this.#shifts[block] = Math.min(this.#shifts[block] as number, this.#window - end);
      if (end === this.#window) this.#ending.set(block, [...(this.#ending.get(block) ?? []), text]);
    }
  }

  #matchAt(text: Buffer, start: number, block: number): Found | undefined {
    for (const whole of this.#ending.get(block) ?? []) {
      const end = start + whole.length;
      if (end <= text.length && startsAt(text, start, whole, whole.length)) {
        return { start, end, isOpen: false, isWhole: true };
      }
    }
    return undefined;
  }
}

export function startsAt(text: Buffer, at: number, whole: Buffer, length: number): boolean {
  for (let index = 0; index < length; index += 1) if (text[at + index] !== whole[index]) return false;
  return true;
}
