import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop that an abandoned pipe is read for, at most; the kernel holds far less than that brings. */
const MAX_RELEASE_TURNS = 64;

/** How long the pipes of all processes together may be taken from in one turn of the event loop, milliseconds. */
const TURN_MS = 20;

let turnEndsAt: number | undefined;
let postponed: PipeReader[] = [];

/** Many pipes that are full at the same time must not hold up everything else (P10): what is over waits for a later turn. */
function hasTime(): boolean {
  if (turnEndsAt !== undefined) return performance.now() < turnEndsAt;
  turnEndsAt = performance.now() + TURN_MS;
  setImmediate(endTurn);
  return true;
}

function endTurn(): void {
  turnEndsAt = undefined;
  const readers = postponed;
  postponed = [];
  for (const reader of readers) reader.goOn();
}

/**
 * Hands over every chunk of a pipe, in order, and none while paused. The stream flows, because then a chunk passes through no
 * queue of it. One that came all the same goes back: Node restarts a stream by itself when the process exits, paused or not,
 * and the stream must not end before its last chunk was taken.
 */
export class PipeReader {
  readonly #stream: Readable;
  readonly #listener: (chunk: Buffer) => void;
  #isPaused = false;
  #isReleased = false;
  #chunks = 0;

  constructor(stream: Readable, listener: (chunk: Buffer) => void) {
    this.#stream = stream;
    this.#listener = listener;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    // One that was handed over standing still does not begin by itself.
    stream.resume();
    stream.on('error', nothingMore);
  }

  /** Not for the stream: it stands still with its next chunk, and until then it notices that it has ended. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // Never at once: what the stream holds comes when whoever called is done, which may be the listener.
    this.goOn();
    if (this.#isReleased) void this.release();
  }

  /** Takes what the stream holds, where nobody wants it to wait. */
  goOn(): void {
    if (!this.#isPaused) this.#stream.resume();
  }

  /** Takes what the pipe holds now and closes our end, although another process may keep the other end open. */
  async release(): Promise<void> {
    this.#isReleased = true;
    let seen = -1;
    for (let turn = 0; turn < MAX_RELEASE_TURNS && seen !== this.#chunks; turn += 1) {
      seen = this.#chunks;
      this.goOn();
      // The first wait may still be in the current turn; only the second has read the pipe for certain.
      await nextTurn();
      await nextTurn();
    }
    if (!this.#isPaused) this.#stream.destroy();
  }

  #take(chunk: Buffer): void {
    const isTaken = !this.#isPaused && (this.#isReleased || hasTime());
    if (isTaken) {
      this.#chunks += 1;
      this.#listener(chunk);
      return;
    }
    this.#stream.pause();
    this.#stream.unshift(chunk);
    if (!this.#isPaused) postponed.push(this);
  }
}

/** A broken pipe ends in 'close' as well, and that is what counts. */
function nothingMore(): void {}
