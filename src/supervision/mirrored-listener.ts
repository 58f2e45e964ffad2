import { randomUUID } from 'node:crypto';
import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { SessionKey, SessionStoreEntry } from '../conversations/session-store.ts';
import type { TranscriptMirror, TranscriptMirrorOptions } from '../conversations/transcript-mirror.ts';
import type { TroupeError } from '../errors.ts';
import type { IncarnationListener } from '../session/incarnation.ts';
import { PassedOn } from '../session/passed-on.ts';
import { CliMessage } from '../wire/cli-message.ts';
import type { LineRun } from '../wire/line-run.ts';

export interface MirroredListenerOptions {
  readonly listener: IncarnationListener;
  readonly keyOf: (path: string) => SessionKey | undefined;
  readonly mirror: (onError: TranscriptMirrorOptions['onError']) => TranscriptMirror;
}

/** The frames in which the CLI repeats what it wrote to a transcript. */
const FRAME = 'transcript_mirror';
/** While a result waits for the store, this much of what follows may wait behind it (P10). */
const MOST_HELD_MESSAGES = 1_000;
const MOST_HELD_BYTES = 8 * 2 ** 20;

/**
 * Stands between a process and what hears it. Transcript lines turn off to the store. A result waits until the store has
 * what belongs to it, everything behind it waits in order, and the end of the process waits for the last lines; neither
 * waits longer than 60 s (P5).
 */
export class MirroredListener extends PassedOn {
  readonly #keyOf: MirroredListenerOptions['keyOf'];
  readonly #mirror: TranscriptMirror;
  #held: CliMessage[] = [];
  #heldBytes = 0;
  #isHolding = false;

  constructor({ listener, keyOf, mirror }: MirroredListenerOptions) {
    super(listener);
    this.#keyOf = keyOf;
    this.#mirror = mirror((error, key, lines) => this.#tellLost(error, key, lines));
  }

  override message(message: CliMessage): void {
    this.#onMessage(message);
  }

  override run(run: LineRun): void {
    if (!this.#isHolding) this.to.run(run);
    else for (let index = 0; index < run.count; index += 1) this.#onMessage(run.message(index));
  }

  /** The process is gone, and what its last result said is a reason. */
  override lastErrors(): readonly string[] {
    this.#release();
    return this.to.lastErrors();
  }

  override ended(output: SessionOutput): void {
    this.#release();
    if (this.#mirror.isIdle) this.to.ended(output);
    else void this.#mirror.finish().then(() => this.to.ended(output));
  }

  #onMessage(message: CliMessage): void {
    if (message.type === FRAME) this.#turnOff(message);
    else if (this.#isHolding) this.#hold(message);
    else if (message.type !== 'result' || this.#mirror.isIdle) this.to.message(message);
    else {
      this.#isHolding = true;
      this.#hold(message);
      void this.#mirror.flushBriefly().then(() => {
        if (this.#isHolding) this.#resume();
      });
    }
  }

  #hold(message: CliMessage): void {
    // What it was read with is read over when this is over.
    message.moveBytes((raw) => Buffer.from(raw));
    this.#held.push(message);
    this.#heldBytes += message.raw.length;
    if (this.#held.length > MOST_HELD_MESSAGES || this.#heldBytes > MOST_HELD_BYTES) this.#release();
  }

  /** The first of them has waited; one of the others may be a result that has to. */
  #resume(): void {
    const [first, ...others] = this.#taken();
    if (first !== undefined) this.to.message(first);
    for (const message of others) this.#onMessage(message);
  }

  #release(): void {
    for (const message of this.#taken()) this.to.message(message);
  }

  #taken(): CliMessage[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    this.#isHolding = false;
    return held;
  }

  #turnOff(message: CliMessage): void {
    const { filePath, entries } = message.value ?? {};
    const key = typeof filePath === 'string' ? this.#keyOf(filePath) : undefined;
    if (key !== undefined && Array.isArray(entries)) {
      // The CLI wrote each of them as a line of its own; the store takes them as they are.
      this.#mirror.add(key, entries as SessionStoreEntry[], message.raw.length);
      return;
    }
    const place = typeof filePath === 'string' ? filePath : 'no file';
    this.to.diagnostic('mirror-frame-dropped', `${place}: not a transcript of this session`, 0);
  }

  /** Told in the log, and as the message that the official SDK has for it. */
  #tellLost(error: TroupeError, key: SessionKey, lines: number): void {
    const transcript = [key.projectKey, key.sessionId, ...(key.subpath === undefined ? [] : [key.subpath])].join('/');
    this.to.diagnostic('mirror-failed', `${lines} lines of ${transcript}: ${error.message}`, 0);
    const value = {
      type: 'system',
      subtype: 'mirror_error',
      error: error.message,
      key,
      uuid: randomUUID(),
      session_id: key.sessionId,
    };
    this.to.message(new CliMessage(Buffer.from(JSON.stringify(value)), value.type, value.subtype, value));
  }
}
