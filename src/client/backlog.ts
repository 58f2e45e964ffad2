/** Events that a reader may be behind before the stream waits for it. */
const MOST_EVENTS = 1_000;

/** What one reader has not taken yet. It is bounded by whoever fills it: nothing is put in while `room` is awaited. */
export class Backlog<Item> {
  #items: Item[] = [];
  #taken = 0;
  #room: Promise<void> | undefined;
  #giveRoom = () => {};

  /** Resolves when the reader has caught up by half, or has left; undefined while there is room. */
  get room(): Promise<void> | undefined {
    return this.#room;
  }

  put(item: Item): void {
    this.#items.push(item);
    if (this.#room !== undefined || this.#items.length - this.#taken < MOST_EVENTS) return;
    this.#room = new Promise((resolve) => {
      this.#giveRoom = resolve;
    });
  }

  take(): Item | undefined {
    const item = this.#items[this.#taken];
    if (item === undefined) return undefined;
    this.#taken += 1;
    // By halves: moving what is left for each one taken would cost the square of the backlog.
    if (this.#taken * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
      if (this.#items.length * 2 <= MOST_EVENTS) this.leave();
    }
    return item;
  }

  /** The reader takes nothing more, or has room again. */
  leave(): void {
    this.#room = undefined;
    this.#giveRoom();
  }
}
