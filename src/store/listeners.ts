import { type EventRun, isRun, type LogEntry } from './event-run.ts';
import type { SessionEvent } from './session-event.ts';

export type Hear = (event: SessionEvent) => void;

/** Hears messages that were logged as one thing, in place of each of them. */
export type HearRun = (run: EventRun) => void;

interface Listener {
  /** It hears the events after this one. */
  readonly after: number;
  readonly hear: Hear;
  readonly hearRun: HearRun | undefined;
}

/**
 * Who hears the events of a log, each in order, and all of them one event before the next; who hears runs hears each before
 * the others hear its events.
 */
export class Listeners {
  readonly #listeners = new Set<Listener>();
  readonly #onError: ((error: unknown, event: SessionEvent) => void) | undefined;
  /** Added, and not yet told to every listener. */
  readonly #untold: LogEntry[] = [];
  #isTelling = false;
  #isEnding = false;

  constructor(onError: ((error: unknown, event: SessionEvent) => void) | undefined) {
    this.#onError = onError;
  }

  join(hear: Hear, hearRun: HearRun | undefined, after: number): () => void {
    const listener: Listener = { after, hear, hearRun };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(entry: LogEntry): void {
    if (this.#listeners.size > 0 || this.#isTelling) this.#untold.push(entry);
  }

  tellAll(): void {
    if (this.#isTelling || this.#untold.length === 0) return;
    this.#isTelling = true;
    // The loop also reaches what a listener adds meanwhile.
    for (const entry of this.#untold) {
      if (isRun(entry)) this.#tellRun(entry);
      else for (const listener of this.#listeners) this.#tell(listener, entry);
    }
    this.#untold.length = 0;
    this.#isTelling = false;
    if (this.#isEnding) this.#listeners.clear();
  }

  /** Nobody hears anything after what was added. */
  end(): void {
    this.#isEnding = true;
    if (!this.#isTelling) this.#listeners.clear();
  }

  #tellRun(run: EventRun): void {
    let isHeardWhole = true;
    for (const { after, hearRun } of this.#listeners) {
      if (hearRun === undefined) isHeardWhole = false;
      const part = hearRun === undefined ? undefined : run.between(after);
      if (part === undefined) continue;
      try {
        hearRun?.(part);
      } catch (error) {
        this.#onError?.(error, part.event(0));
      }
    }
    if (isHeardWhole) return;
    for (const event of run.events()) {
      for (const listener of this.#listeners) if (listener.hearRun === undefined) this.#tell(listener, event);
    }
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
