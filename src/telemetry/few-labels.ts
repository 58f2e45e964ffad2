/** The values of a label that comes from elsewhere: the first ones by their name, all later ones as `other` (P9). */
export class FewLabels {
  readonly #known = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  of(value: string | undefined): string {
    if (value === undefined) return 'none';
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#most || !/^[\w./-]{1,60}$/.test(value)) return 'other';
    this.#known.add(value);
    return value;
  }
}
