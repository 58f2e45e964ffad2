/** A value that changes, and can be watched. */
export interface Observable<Value> {
  /** As it is now. */
  get(): Value;
  /** Calls with the value as it is now, and after each change. Returns the way to stop. */
  subscribe(hear: (value: Value) => void): () => void;
}

export class Watched<Value> implements Observable<Value> {
  readonly #hearers = new Set<(value: Value) => void>();
  readonly #counted: (subscribers: number) => void;
  #value: Value;

  /** `counted`: hears how many subscribe, whenever that changes. */
  constructor(value: Value, counted: (subscribers: number) => void = () => {}) {
    this.#value = value;
    this.#counted = counted;
  }

  get(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const hear of [...this.#hearers]) hear(value);
  }

  subscribe(hear: (value: Value) => void): () => void {
    // One function may subscribe twice.
    const own = (value: Value) => hear(value);
    this.#hearers.add(own);
    this.#counted(this.#hearers.size);
    own(this.#value);
    return () => {
      if (this.#hearers.delete(own)) this.#counted(this.#hearers.size);
    };
  }
}
