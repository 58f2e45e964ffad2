import { SimulatedClock } from 'xstate';

/** Simulated time that knows how many timers are still set. */
export class CountedClock extends SimulatedClock {
  readonly #open = new Set<number>();

  get openTimers(): number {
    return this.#open.size;
  }

  override setTimeout(handler: () => void, ms: number): number {
    const id = super.setTimeout(() => {
      this.#open.delete(id);
      handler();
    }, ms);
    this.#open.add(id);
    return id;
  }

  override clearTimeout(id: number): void {
    this.#open.delete(id);
    super.clearTimeout(id);
  }
}
