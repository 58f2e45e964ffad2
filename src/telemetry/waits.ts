/** When something began that will end, by what it is of; bounded, so that what never ends costs nothing for ever (P9). */
export class Waits {
  readonly #began = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Epoch milliseconds. What has begun already keeps its moment. */
  begin(id: string, at: number): void {
    if (this.#began.has(id)) return;
    this.#began.set(id, at);
    if (this.#began.size <= this.#most) return;
    const [oldest] = this.#began.keys();
    if (oldest !== undefined) this.#began.delete(oldest);
  }

  /** Seconds since it began; undefined when that is not known. */
  end(id: string, at: number): number | undefined {
    const began = this.#began.get(id);
    this.#began.delete(id);
    return began === undefined ? undefined : Math.max(0, at - began) / 1_000;
  }
}
