/** What a subscriber has taken, and who waits until it has taken so much. */
export class Taken {
  count = 0;
  #due = Number.POSITIVE_INFINITY;
  #resolve;

  add(count) {
    this.count += count;
    if (this.count < this.#due) return;
    this.#due = Number.POSITIVE_INFINITY;
    this.#resolve();
  }

  /** One wait at a time. */
  until(count) {
    if (this.count >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#due = count;
      this.#resolve = resolve;
    });
  }
}
