import type { SessionEvent } from './session-event.ts';

interface Listener {
  /** It hears the events after this one. */
  readonly after: number;
  readonly hear: (event: SessionEvent) => void;
}

/** Who hears the events of a log, each in order, and all of them one event before the next. */
export class Listeners {
  readonly #listeners = new Set<Listener>();
  readonly #onError: ((error: unknown, event: SessionEvent) => void) | undefined;
  /** Added, and not yet told to every listener. */
  readonly #untold: SessionEvent[] = [];
  #isTelling = false;
  #isEnding = false;

  constructor(onError: ((error: unknown, event: SessionEvent) => void) | undefined) {
    this.#onError = onError;
  }

  join(hear: Listener['hear'], after: number): () => void {
    const listener: Listener = { after, hear };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(event: SessionEvent): void {
    if (this.#listeners.size > 0 || this.#isTelling) this.#untold.push(event);
  }

  tellAll(): void {
    if (this.#isTelling || this.#untold.length === 0) return;
    this.#isTelling = true;
    // The loop also reaches what a listener adds meanwhile.
    for (const event of this.#untold) for (const listener of this.#listeners) this.#tell(listener, event);
    this.#untold.length = 0;
    this.#isTelling = false;
    if (this.#isEnding) this.#listeners.clear();
  }

  /** Nobody hears anything after what was added. */
  end(): void {
    this.#isEnding = true;
    if (!this.#isTelling) this.#listeners.clear();
  }

  #tell({ after, hear }: Listener, event: SessionEvent): void {
    if (event.seq <= after) return;
    try {
      hear(event);
    } catch (error) {
      this.#onError?.(error, event);
    }
  }
}
