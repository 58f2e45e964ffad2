import { SHORTEST_SECRET } from './secret-forms.ts';
import { REDACTED, type Secrets } from './secrets.ts';

/** Of what may begin a secret this much may be seen: too little to be of use, and nearly every word begins like something. */
const SEEN_BYTES = 3;

/** A longer beginning than this is no secret of any shape. */
const MOST_HELD_BYTES = 64 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * One text that comes in pieces. What may begin a secret at the end of a piece is held back and told with the next one, or
 * at the end: so a secret is found wherever the text was cut.
 */
export class SplitText {
  readonly #secrets: Secrets;
  /** The end of what came that may begin a secret. */
  #tail: Buffer;
  /** So much of it was told already. */
  #seen: number;

  /** `seen`: the end of what was told already, where it may begin a secret. */
  constructor(secrets: Secrets, seen: Buffer = NOTHING) {
    this.#secrets = secrets;
    this.#tail = seen;
    this.#seen = seen.length;
  }

  /** False when the next piece stands by itself. */
  get isOpen(): boolean {
    return this.#tail.length > 0;
  }

  /** What is told in place of the next piece: the same string where nothing of it is a secret, or may become one. */
  push(piece: string): string {
    const own = Buffer.from(piece);
    const whole = this.isOpen ? Buffer.concat([this.#tail, own]) : own;
    const found = this.#secrets.found(whole);
    const last = found.at(-1);
    const cut = last?.isOpen === true ? last.start : this.#secrets.openFrom(whole, last?.end ?? 0);
    const ends = whole.length - cut > MOST_HELD_BYTES ? whole.length : cut;
    let told = this.#between(whole, this.#seen, ends, found);
    this.#tail = Buffer.from(whole.subarray(ends));
    this.#seen = Math.max(0, this.#seen - ends);
    if (this.#tail.length <= SEEN_BYTES) {
      told = Buffer.concat([told, this.#tail.subarray(this.#seen)]);
      this.#seen = this.#tail.length;
    }
    return told.equals(own) ? piece : told.toString();
  }

  /** The text is over: what is told of what was held back. */
  end(): string {
    const [tail, seen] = [this.#tail, this.#seen];
    this.#tail = NOTHING;
    this.#seen = 0;
    const found = this.#secrets.found(tail).filter(({ isWhole }) => isWhole);
    const isLost = tail.length >= SHORTEST_SECRET && this.#secrets.beginsKnown(tail);
    return isLost ? REDACTED : this.#between(tail, seen, tail.length, found).toString();
  }

  #between(whole: Buffer, from: number, to: number, found: ReturnType<Secrets['found']>): Buffer {
    const pieces: Buffer[] = [];
    let told = from;
    for (const { start, end } of found) {
      if (end <= from || start >= to) continue;
      if (start > told) pieces.push(whole.subarray(told, start));
      pieces.push(Buffer.from(REDACTED));
      told = end;
    }
    if (told < to) pieces.push(whole.subarray(told, to));
    return Buffer.concat(pieces);
  }
}
