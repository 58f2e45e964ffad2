import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop that an abandoned pipe is read for, at most; the kernel holds far less than that brings. */
const MAX_RELEASE_TURNS = 64;

/** How long the pipes of all processes together may be taken from in one turn of the event loop, milliseconds. */
const TURN_MS = 20;

let turnEndsAt: number | undefined;
let postponed: PipeReader[] = [];

/** Many pipes that are full at the same time must not hold up everything else (P10): what is over waits for a later turn. */
function inTurn(reader: PipeReader): void {
  if (turnEndsAt === undefined) {
    turnEndsAt = performance.now() + TURN_MS;
    setImmediate(() => {
      turnEndsAt = undefined;
      const readers = postponed;
      postponed = [];
      for (const next of readers) inTurn(next);
    });
  }
  if (performance.now() < turnEndsAt) reader.takeAll();
  else postponed.push(reader);
}

/**
 * Hands over every chunk of a pipe, in order, and none while paused.
 * Reads by `read()`, because Node restarts a *flowing* stream by itself when the process exits, paused or not.
 */
export class PipeReader {
  readonly #stream: Readable;
  readonly #listener: (chunk: Buffer) => void;
  #isPaused = false;
  #isReleased = false;
  #turnsWithData = 0;

  constructor(stream: Readable, listener: (chunk: Buffer) => void) {
    this.#stream = stream;
    this.#listener = listener;
    stream.on('readable', () => inTurn(this));
    stream.on('error', nothingMore);
  }

  takeAll(): void {
    while (!this.#isPaused) {
      const chunk: Buffer | null = this.#stream.read();
      if (chunk === null) return;
      this.#turnsWithData += 1;
      this.#listener(chunk);
    }
    // Reading an empty buffer is how a stream that has ended notices it.
    if (this.#stream.readableLength === 0) this.#stream.read();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // Not at once: resume may be called from inside the listener, which must not be entered twice.
    queueMicrotask(() => this.takeAll());
    if (this.#isReleased) void this.release();
  }

  /** Takes what the pipe holds now and closes our end, although another process may keep the other end open. */
  async release(): Promise<void> {
    this.#isReleased = true;
    let seen = -1;
    for (let turn = 0; turn < MAX_RELEASE_TURNS && seen !== this.#turnsWithData; turn += 1) {
      seen = this.#turnsWithData;
      // The first wait may still be in the current turn; only the second has read the pipe for certain.
      await nextTurn();
      await nextTurn();
      this.takeAll();
    }
    if (!this.#isPaused) this.#stream.destroy();
  }
}

/** A broken pipe ends in 'close' as well, and that is what counts. */
function nothingMore(): void {}
