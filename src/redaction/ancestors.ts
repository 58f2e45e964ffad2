/** So many are looked through one by one; it is more than plain data has levels. */
const FEW = 64;

/** The objects above a value, for data that contains itself. They are few, and a Set for each fact would cost more than the search. */
export class Ancestors {
  readonly #path: object[] = [];
  #deep: Set<object> | undefined;

  has(value: object): boolean {
    return this.#deep === undefined ? this.#path.includes(value) : this.#deep.has(value);
  }

  push(value: object): void {
    this.#path.push(value);
    if (this.#path.length > FEW) this.#deep ??= new Set(this.#path);
    this.#deep?.add(value);
  }

  pop(): void {
    const value = this.#path.pop();
    if (value !== undefined) this.#deep?.delete(value);
  }
}
