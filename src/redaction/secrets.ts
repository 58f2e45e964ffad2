import { Ancestors } from './ancestors.ts';
import { Beginnings } from './beginnings.ts';
import { ByteScanner, type Found } from './byte-scanner.ts';
import { Escapes } from './escapes.ts';
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
  /** Undefined where nothing is looked for that could be written with them. */
  readonly #escapes: Escapes | undefined;
  #beginnings: Beginnings | undefined;

  constructor({ values, hasShapes, patterns = [] }: SecretsOptions) {
    const forms = new Set([...values].flatMap(formsOf));
    this.#known = new ByteScanner([...forms].map((form) => Buffer.from(form)));
    this.#shapes = hasShapes ? new ShapeScanner() : undefined;
    const isAscii = [...forms].every((form) => !/[\u0080-\uffff]/.test(form));
    this.#escapes = forms.size > 0 || hasShapes ? new Escapes(isAscii) : undefined;
    this.#patterns = patterns.map(({ source, flags }) => new RegExp(source, flags.includes('g') ? flags : `${flags}g`));
  }

  /** Each text must be looked at by itself, decoded. */
  get hasPatterns(): boolean {
    return this.#patterns.length > 0;
  }

  text(text: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    const mayHold = this.#known.mayBeIn(text) || this.#shapes?.mayBeIn(text) || this.#escapes?.areIn(text);
    if (mayHold !== true) return this.#withoutPatterns(text);
    const bytes = Buffer.from(text);
    const cleaned = this.bytes(bytes);
    return this.#withoutPatterns(cleaned === bytes ? text : cleaned.toString());
  }

  /** A text of which something was cut off: what is left of a secret at its start or end goes, too. */
  excerpt(text: string): string {
    const bytes = Buffer.from(text);
    const [start, end] = this.#cutIn(bytes);
    if (start + end === 0) return this.text(text);
    const middle = bytes.toString('utf8', start, Math.max(start, bytes.length - end));
    return `${start > 0 ? REDACTED : ''}${this.text(middle)}${end > 0 ? REDACTED : ''}`;
  }

  /** Plain data, at any depth, names too. */
  value<Value>(value: Value): Value {
    // A value of the same shape: only texts change.
    return this.#cleaned(value, new Ancestors()) as Value;
  }

  /** One line of JSON: it stays valid, and one line. Every byte outside the texts with a secret stays what it was. */
  line(line: Buffer): Buffer {
    const isPlain = this.#next(line, 0) === undefined && this.#escapes?.areInBytes(line) !== true;
    if (!this.hasPatterns && isPlain) return line;
    return changeLiterals(line, (text) => this.text(text)) ?? line;
  }

  bytes(text: Buffer): Buffer {
    const all = this.#all(text, false);
    if (all.length === 0) return text;
    const pieces: Buffer[] = [];
    let told = 0;
    for (const found of all) {
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
    return this.#all(text, true);
  }

  /** It is the beginning of a known secret. */
  beginsKnown(text: Buffer): boolean {
    const begins = (start: Buffer): boolean =>
      this.#known.texts.some((form) => form.length > start.length && form.subarray(0, start.length).equals(start));
    return begins(text) || [...(this.#escapes?.views(text) ?? [])].some(({ bytes }) => begins(bytes));
  }

  /** Where the end of the text, from `from` on, may be the beginning of one; its length for nowhere. */
  openFrom(text: Buffer, from: number): number {
    const open = this.#openIn(text, from);
    return this.#escapes?.mayBeIn(text) === true ? Math.min(open, this.#openInViews(text, from)) : open;
  }

  /** How all that can be found begins; made when it is first asked for. */
  get beginnings(): Beginnings {
    this.#beginnings ??= new Beginnings([
      ...this.#known.texts,
      ...(this.#shapes?.beginnings ?? []),
      ...(this.#escapes?.beginnings ?? []),
    ]);
    return this.#beginnings;
  }

  /** All that is found, as it stands there and as it is once it was decoded. */
  #all(text: Buffer, isUnfinished: boolean): Found[] {
    const all = this.#inOrder(text, isUnfinished);
    const isIn = isUnfinished ? this.#escapes?.mayBeIn(text) : this.#escapes?.areInBytes(text);
    if (isIn !== true) return all;
    for (const { bytes, starts, end: last } of this.#escapes?.views(text) ?? []) {
      for (const found of this.#inOrder(bytes, isUnfinished)) {
        const start = starts[found.start] as number;
        const end = found.end === bytes.length ? last : (starts[found.end] as number);
        // Where a window ends, the next one shows more.
        if (found.isWhole || end === text.length) all.push({ ...found, start, end });
      }
    }
    return joined(all);
  }

  #inOrder(text: Buffer, isUnfinished: boolean): Found[] {
    const all: Found[] = [];
    for (let from = 0; ; ) {
      const found = this.#next(text, from, isUnfinished);
      if (found === undefined) return all;
      all.push(found);
      from = found.end;
    }
  }

  #openIn(text: Buffer, from: number): number {
    return Math.min(this.#known.openFrom(text, from), this.#shapes?.openFrom(text, from) ?? text.length);
  }

  #openInViews(text: Buffer, from: number): number {
    let first = text.length;
    for (const { bytes, starts, end } of this.#escapes?.views(text, from) ?? []) {
      // Where a window ends, the text goes on.
      if (end === text.length) first = Math.min(first, starts[this.#openIn(bytes, 0)] as number);
    }
    return first;
  }

  /** How many bytes at either end are left of a known secret, as it stands there and once it was decoded. */
  #cutIn(text: Buffer): readonly [start: number, end: number] {
    let [start, end] = this.#leftOfKnown(text);
    // The cut may have gone through an escape: what is left of that is no part of what the decoded text begins with.
    for (const from of [0, ...(this.#escapes?.restsAt(text) ?? [])]) {
      if (from > 0) {
        const [plain] = this.#leftOfKnown(text.subarray(from));
        if (plain > 0) start = Math.max(start, from + plain);
      }
      if (this.#escapes?.mayBeIn(text) !== true) continue;
      for (const view of this.#escapes.views(text, from)) {
        const [first, last] = this.#leftOfKnown(view.bytes);
        if (first > 0 && view.starts[0] === from) start = Math.max(start, view.starts[first] as number);
        const lastFrom = view.starts[view.bytes.length - last] as number;
        if (last > 0 && view.end === text.length) end = Math.max(end, text.length - lastFrom);
      }
    }
    return [start, end];
  }

  #leftOfKnown(text: Buffer): readonly [start: number, end: number] {
    let [start, end] = [0, 0];
    for (const form of this.#known.texts) {
      start = Math.max(start, overlap(form, text));
      end = Math.max(end, overlap(text, form));
    }
    return [start, end];
  }

  #next(text: Buffer, from: number, isUnfinished = false): Found | undefined {
    const known = this.#known.next(text, from);
    const shape = this.#shapes?.next(text, from, isUnfinished);
    return known === undefined || (shape !== undefined && shape.start < known.start) ? shape : known;
  }

  #withoutPatterns(text: string): string {
    return this.#patterns.reduce((left, pattern) => left.replace(pattern, REDACTED), text);
  }

  #cleaned(value: unknown, above: Ancestors): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null || above.has(value)) return value;
    if (!Array.isArray(value) && !isPlain(value)) return value;
    above.push(value);
    const cleaned = Array.isArray(value) ? this.#items(value, above) : this.#fields(value, above);
    above.pop();
    return cleaned;
  }

  #items(items: readonly unknown[], above: Ancestors): readonly unknown[] {
    let cleaned: unknown[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      const clean = this.#cleaned(item, above);
      if (clean !== item) cleaned ??= [...items];
      if (cleaned !== undefined) cleaned[index] = clean;
    }
    return cleaned ?? items;
  }

  /** Most have no secret and stay: only where one is found another object is made. */
  #fields(fields: Readonly<Record<string, unknown>>, above: Ancestors): object {
    let cleaned: [string, unknown][] | undefined;
    let count = 0;
    // Without a list of their names, which would be made for each object.
    for (const name in fields) {
      if (!Object.hasOwn(fields, name)) continue;
      const value = fields[name];
      const cleanName = this.text(name);
      const clean = this.#cleaned(value, above);
      if (cleanName !== name || clean !== value) cleaned ??= Object.entries(fields).slice(0, count);
      cleaned?.push([cleanName, clean]);
      count += 1;
    }
    return cleaned === undefined ? fields : Object.fromEntries(cleaned);
  }
}

/** What overlaps is one. */
function joined(all: readonly Found[]): Found[] {
  const apart: Found[] = [];
  for (const found of all.toSorted((one, other) => one.start - other.start)) {
    const last = apart.at(-1);
    if (last === undefined || found.start >= last.end) apart.push(found);
    else {
      const isFurther = found.end > last.end;
      const { isOpen } = isFurther ? found : last;
      const isWhole = last.isWhole || found.isWhole;
      apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, found.end), isOpen, isWhole };
    }
  }
  return apart;
}

/** How many bytes at the end of `left` are the beginning of `right`; fewer than a secret has are no secret. */
function overlap(left: Buffer, right: Buffer): number {
  if (right.length <= SHORTEST_SECRET) return 0;
  const begin = right.subarray(0, SHORTEST_SECRET);
  // All of the shorter one is no overlap.
  const first = left.length - Math.min(left.length, right.length) + 1;
  for (let at = left.indexOf(begin, first); at !== -1; at = left.indexOf(begin, at + 1)) {
    const size = left.length - at;
    if (left.compare(right, 0, size, at) === 0) return size;
  }
  return 0;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
