const NOTHING: ReadonlyMap<never, never> = new Map<never, never>();
const NOBODY: ReadonlySet<never> = new Set<never>();

/**
 * A Map that is empty most of the time: it takes memory with its first entry and gives it back with its last. A session has
 * two dozen such, and an empty Map is as big as one with two entries.
 */
export class SparseMap<Key, Value> {
  #entries: Map<Key, Value> | undefined;

  get size(): number {
    return this.#entries === undefined ? 0 : this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries?.get(key);
  }

  has(key: Key): boolean {
    return this.#entries?.has(key) === true;
  }

  set(key: Key, value: Value): this {
    this.#entries ??= new Map();
    this.#entries.set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    if (this.#entries?.delete(key) !== true) return false;
    if (this.#entries.size === 0) this.#entries = undefined;
    return true;
  }

  clear(): void {
    this.#entries = undefined;
  }

  keys(): IterableIterator<Key> {
    return (this.#entries ?? NOTHING).keys();
  }

  values(): IterableIterator<Value> {
    return (this.#entries ?? NOTHING).values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return (this.#entries ?? NOTHING).entries();
  }
}

/** One that keeps so many, and forgets the oldest. */
export class LatestMap<Key, Value> extends SparseMap<Key, Value> {
  readonly #max: number;
  /** Goes along with the entries: a new one would step over the place of each that was forgotten before. */
  #oldest: Iterator<Key> | undefined;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#max) this.#forgetOldest();
    return this;
  }

  override clear(): void {
    super.clear();
    this.#oldest = undefined;
  }

  #forgetOldest(): void {
    this.#oldest ??= this.keys();
    let next = this.#oldest.next();
    if (next.done === true) {
      // They were all gone at some time since.
      this.#oldest = this.keys();
      next = this.#oldest.next();
    }
    if (next.done !== true) this.delete(next.value);
  }
}

/** The same of a Set. */
export class SparseSet<Value> {
  #values: Set<Value> | undefined;

  get size(): number {
    return this.#values === undefined ? 0 : this.#values.size;
  }

  has(value: Value): boolean {
    return this.#values?.has(value) === true;
  }

  add(value: Value): this {
    this.#values ??= new Set();
    this.#values.add(value);
    return this;
  }

  delete(value: Value): boolean {
    if (this.#values?.delete(value) !== true) return false;
    if (this.#values.size === 0) this.#values = undefined;
    return true;
  }

  clear(): void {
    this.#values = undefined;
  }

  values(): IterableIterator<Value> {
    return (this.#values ?? NOBODY).values();
  }

  [Symbol.iterator](): IterableIterator<Value> {
    return this.values();
  }
}
