import type { Writable } from 'node:stream';
import { TroupeError } from '../errors.ts';
import { SparseSet } from '../sparse.ts';
import { errnoOf } from './errno.ts';

/** Bytes that may wait for a child that does not read; one line alone may be longer. */
export const MAX_UNREAD_INPUT_BYTES = 64 * 1024 * 1024;

/** The writing end of a child's stdin. The stream itself is the queue: it keeps order and never blocks reading (R20). */
export class ChildInput {
  readonly #stream: Writable;
  readonly #unsettled = new SparseSet<(error: TroupeError) => void>();
  #unreadBytes = 0;
  #isEnded = false;
  #errno: string | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#errno ??= errnoOf(error);
    });
    stream.on('close', () => this.#closed());
  }

  /** Writes in call order; rejects with CLI_INPUT_CLOSED and never in any other way (R22). */
  write(line: string): Promise<void> {
    const stream = this.#stream;
    if (this.#isEnded) return Promise.reject(inputClosed('Its end was requested before.'));
    if (!stream.writable) return Promise.reject(inputClosed('The pipe is closed.', { errno: this.#errno }));
    const bytes = Buffer.byteLength(line);
    if (this.#unreadBytes > 0 && this.#unreadBytes + bytes > MAX_UNREAD_INPUT_BYTES) {
      const details = { unreadBytes: this.#unreadBytes, limitBytes: MAX_UNREAD_INPUT_BYTES };
      return Promise.reject(inputClosed('Too much input is waiting to be read.', details));
    }
    this.#unreadBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#unsettled.add(reject);
      stream.write(line, (error) => {
        this.#unreadBytes -= bytes;
        this.#unsettled.delete(reject);
        if (error) reject(inputClosed('The line could not be written.', { errno: errnoOf(error) }));
        else resolve();
      });
    });
  }

  /** Ends the pipe after everything written before. Idempotent. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#stream.writable) this.#stream.end();
  }

  #closed(): void {
    const details = { errno: this.#errno };
    for (const reject of this.#unsettled)
      reject(inputClosed('The pipe was closed before the line was taken.', details));
    this.#unsettled.clear();
  }
}

function inputClosed(reason: string, details: Readonly<Record<string, unknown>> = {}): TroupeError {
  return new TroupeError('CLI_INPUT_CLOSED', { reason, details });
}
