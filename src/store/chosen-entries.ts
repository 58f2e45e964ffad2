/** A reading of which each entry becomes what `choose` makes of it, and those of which it makes nothing are passed over. */
export class ChosenEntries<Entry, Chosen> implements AsyncIterableIterator<Chosen> {
  readonly #entries: AsyncIterableIterator<Entry>;
  readonly #choose: (entry: Entry) => Chosen | undefined;

  constructor(entries: AsyncIterableIterator<Entry>, choose: (entry: Entry) => Chosen | undefined) {
    this.#entries = entries;
    this.#choose = choose;
  }

  async next(): Promise<IteratorResult<Chosen>> {
    for (;;) {
      const { done, value } = await this.#entries.next();
      if (done === true) return { done: true, value: undefined };
      const chosen = this.#choose(value);
      if (chosen !== undefined) return { done: false, value: chosen };
    }
  }

  /** Also ends a pull that waits. */
  async return(): Promise<IteratorResult<Chosen>> {
    await this.#entries.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
