import type { Writable } from 'node:stream';
import { TroupeError } from '../errors.ts';
import { SparseSet } from '../sparse.ts';
import { errnoOf } from './errno.ts';

/** Bytes that may wait for a child that does not read; one line alone may be longer. */
export const MAX_UNREAD_INPUT_BYTES = 64 * 1024 * 1024;

export interface ChildInput {
  /** Writes in call order; rejects with CLI_INPUT_CLOSED and never in any other way (R22). */
  write(line: string): Promise<void>;
  /** Ends the pipe after everything written before. Idempotent. */
  end(): void;
}

/** The writing end of a child's stdin. The stream itself is the queue: it keeps order and never blocks reading (R20). */
export function createChildInput(stream: Writable): ChildInput {
  const unsettled = new SparseSet<(error: TroupeError) => void>();
  let unreadBytes = 0;
  let isEnded = false;
  let errno: string | undefined;

  stream.on('error', (error) => {
    errno ??= errnoOf(error);
  });
  stream.on('close', () => {
    for (const reject of unsettled) reject(inputClosed('The pipe was closed before the line was taken.', { errno }));
    unsettled.clear();
  });

  function write(line: string): Promise<void> {
    if (isEnded) return Promise.reject(inputClosed('Its end was requested before.'));
    if (!stream.writable) return Promise.reject(inputClosed('The pipe is closed.', { errno }));
    const bytes = Buffer.byteLength(line);
    if (unreadBytes > 0 && unreadBytes + bytes > MAX_UNREAD_INPUT_BYTES) {
      const details = { unreadBytes, limitBytes: MAX_UNREAD_INPUT_BYTES };
      return Promise.reject(inputClosed('Too much input is waiting to be read.', details));
    }
    unreadBytes += bytes;
    return new Promise((resolve, reject) => {
      unsettled.add(reject);
      stream.write(line, (error) => {
        unreadBytes -= bytes;
        unsettled.delete(reject);
        if (error) reject(inputClosed('The line could not be written.', { errno: errnoOf(error) }));
        else resolve();
      });
    });
  }

  function end(): void {
    if (isEnded) return;
    isEnded = true;
    if (stream.writable) stream.end();
  }

  return { write, end };
}

function inputClosed(reason: string, details: Readonly<Record<string, unknown>> = {}): TroupeError {
  return new TroupeError('CLI_INPUT_CLOSED', { reason, details });
}
