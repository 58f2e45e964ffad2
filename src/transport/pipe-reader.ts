import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop that an abandoned pipe is read for, at most; the kernel holds far less than that brings. */
const MAX_RELEASE_TURNS = 64;

/** How long the pipes of all processes together may be taken from in one turn of the event loop, milliseconds. */
const TURN_MS = 20;

let turnEndsAt: number | undefined;
let postponed: (() => void)[] = [];

/** Many pipes that are full at the same time must not hold up everything else (P10): what is over waits for a later turn. */
function inTurn(take: () => void): void {
  if (turnEndsAt === undefined) {
    turnEndsAt = performance.now() + TURN_MS;
    setImmediate(() => {
      turnEndsAt = undefined;
      const takes = postponed;
      postponed = [];
      for (const next of takes) inTurn(next);
    });
  }
  if (performance.now() < turnEndsAt) take();
  else postponed.push(take);
}

export interface PipeReader {
  pause(): void;
  resume(): void;
  /** Takes what the pipe holds now and closes our end, although another process may keep the other end open. */
  release(): Promise<void>;
}

/**
 * Hands over every chunk of a pipe, in order, and none while paused.
 * Reads by `read()`, because Node restarts a *flowing* stream by itself when the process exits, paused or not.
 */
export function readPipe(stream: Readable, listener: (chunk: Buffer) => void): PipeReader {
  let isPaused = false;
  let isReleased = false;
  let turnsWithData = 0;

  function takeAll(): void {
    while (!isPaused) {
      const chunk: Buffer | null = stream.read();
      if (chunk === null) return;
      turnsWithData += 1;
      listener(chunk);
    }
    // Reading an empty buffer is how a stream that has ended notices it.
    if (stream.readableLength === 0) stream.read();
  }

  stream.on('readable', () => inTurn(takeAll));
  stream.on('error', () => {}); // A broken pipe ends in 'close' as well, and that is what counts.

  async function release(): Promise<void> {
    isReleased = true;
    let seen = -1;
    for (let turn = 0; turn < MAX_RELEASE_TURNS && seen !== turnsWithData; turn += 1) {
      seen = turnsWithData;
      // The first wait may still be in the current turn; only the second has read the pipe for certain.
      await nextTurn();
      await nextTurn();
      takeAll();
    }
    if (!isPaused) stream.destroy();
  }

  return {
    pause() {
      isPaused = true;
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      // Not at once: resume may be called from inside the listener, which must not be entered twice.
      queueMicrotask(takeAll);
      if (isReleased) void release();
    },
    release,
  };
}
