import { Beginnings } from './beginnings.ts';
import { ByteScanner, type Found } from './byte-scanner.ts';
import { changeLiterals } from './json-literals.ts';
import { formsOf, SHORTEST_SECRET } from './secret-forms.ts';
import { ShapeScanner } from './secret-shapes.ts';

/** What stands where a secret was. */
export const REDACTED = '[redacted]';

export interface SecretsOptions {
  /** Known secrets; those shorter than eight characters are left out. */
  readonly values: Iterable<string>;
  /** Also what looks like a secret. */
  readonly hasShapes: boolean;
  /** More that a secret may look like. Each text is searched for them by itself. */
  readonly patterns?: readonly RegExp[];
}

/** Finds secrets in texts and lines and takes them out. What holds none comes back as the very same object. */
export class Secrets {
  readonly #known: ByteScanner;
  readonly #shapes: ShapeScanner | undefined;
  readonly #patterns: readonly RegExp[];
  #beginnings: Beginnings | undefined;

  constructor({ values, hasShapes, patterns = [] }: SecretsOptions) {
    const forms = new Set([...values].flatMap(formsOf));
    this.#known = new ByteScanner([...forms].map((form) => Buffer.from(form)));
    this.#shapes = hasShapes ? new ShapeScanner() : undefined;
    this.#patterns = patterns.map(({ source, flags }) => new RegExp(source, flags.includes('g') ? flags : `${flags}g`));
  }

  /** Each text must be looked at by itself, decoded. */
  get hasPatterns(): boolean {
    return this.#patterns.length > 0;
  }

  text(text: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    if (!this.#known.mayBeIn(text) && this.#shapes?.mayBeIn(text) !== true) return this.#withoutPatterns(text);
    const bytes = Buffer.from(text);
    const cleaned = this.bytes(bytes);
    return this.#withoutPatterns(cleaned === bytes ? text : cleaned.toString());
  }

  /** A text of which something was cut off: what is left of a secret at its start or end goes, too. */
  excerpt(text: string): string {
    let [start, end] = [0, 0];
    const bytes = Buffer.from(text);
    for (const form of this.#known.texts) {
      start = Math.max(start, overlap(form, bytes));
      end = Math.max(end, overlap(bytes, form));
    }
    if (start + end === 0) return this.text(text);
    const middle = bytes.toString('utf8', start, Math.max(start, bytes.length - end));
    return `${start > 0 ? REDACTED : ''}${this.text(middle)}${end > 0 ? REDACTED : ''}`;
  }

  /** Plain data, at any depth, names too. */
  value<Value>(value: Value): Value {
    // A value of the same shape: only texts change.
    return this.#cleaned(value, new Set()) as Value;
  }

  /** One line of JSON: it stays valid, and one line. Every byte outside the texts with a secret stays what it was. */
  line(line: Buffer): Buffer {
    if (!this.hasPatterns && this.#next(line, 0) === undefined) return line;
    return changeLiterals(line, (text) => this.text(text)) ?? line;
  }

  bytes(text: Buffer): Buffer {
    let found = this.#next(text, 0);
    if (found === undefined) return text;
    const pieces: Buffer[] = [];
    let told = 0;
    for (; found !== undefined; found = this.#next(text, told)) {
      pieces.push(text.subarray(told, found.start), Buffer.from(REDACTED));
      told = found.end;
    }
    return Buffer.concat([...pieces, text.subarray(told)]);
  }

  /** A known secret begins in this part of it, and may reach beyond. */
  hasKnown(text: Buffer, start: number, end: number): boolean {
    return this.#known.next(text, start, end) !== undefined;
  }

  /** All in a text that may go on: the last may be open. */
  found(text: Buffer): Found[] {
    const all: Found[] = [];
    for (let from = 0; ; ) {
      const found = this.#next(text, from, true);
      if (found === undefined) return all;
      all.push(found);
      from = found.end;
    }
  }

  /** It is the beginning of a known secret. */
  beginsKnown(text: Buffer): boolean {
    return this.#known.texts.some((form) => form.length > text.length && form.subarray(0, text.length).equals(text));
  }

  /** Where the end of the text, from `from` on, may be the beginning of one; its length for nowhere. */
  openFrom(text: Buffer, from: number): number {
    return Math.min(this.#known.openFrom(text, from), this.#shapes?.openFrom(text, from) ?? text.length);
  }

  /** How all that can be found begins; made when it is first asked for. */
  get beginnings(): Beginnings {
    this.#beginnings ??= new Beginnings([...this.#known.texts, ...(this.#shapes?.beginnings ?? [])]);
    return this.#beginnings;
  }

  #next(text: Buffer, from: number, isUnfinished = false): Found | undefined {
    const known = this.#known.next(text, from);
    const shape = this.#shapes?.next(text, from, isUnfinished);
    return known === undefined || (shape !== undefined && shape.start < known.start) ? shape : known;
  }

  #withoutPatterns(text: string): string {
    return this.#patterns.reduce((left, pattern) => left.replace(pattern, REDACTED), text);
  }

  #cleaned(value: unknown, above: Set<object>): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null || above.has(value)) return value;
    if (!Array.isArray(value) && !isPlain(value)) return value;
    above.add(value);
    const cleaned = Array.isArray(value) ? this.#items(value, above) : this.#fields(value, above);
    above.delete(value);
    return cleaned;
  }

  #items(items: readonly unknown[], above: Set<object>): readonly unknown[] {
    let cleaned: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const clean = this.#cleaned(item, above);
      if (clean !== item) cleaned ??= [...items];
      if (cleaned !== undefined) cleaned[index] = clean;
    }
    return cleaned ?? items;
  }

  /** Most have no secret and stay: only where one is found another object is made. */
  #fields(fields: object, above: Set<object>): object {
    const entries = Object.entries(fields);
    let isSame = true;
    for (const entry of entries) {
      const [name, value] = entry;
      entry[0] = this.text(name);
      entry[1] = this.#cleaned(value, above);
      if (isSame) isSame = entry[0] === name && entry[1] === value;
    }
    return isSame ? fields : Object.fromEntries(entries);
  }
}

/** How many bytes at the end of `left` are the beginning of `right`; fewer than a secret has are no secret. */
function overlap(left: Buffer, right: Buffer): number {
  for (let size = Math.min(left.length, right.length) - 1; size >= SHORTEST_SECRET; size -= 1) {
    if (left.subarray(left.length - size).equals(right.subarray(0, size))) return size;
  }
  return 0;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
