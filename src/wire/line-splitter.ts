import { TroupeError } from '../errors.ts';

/** Bytes of the longest line that is accepted unless told otherwise: 64 MiB, room for several large images (R07). */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A longer line could not be decoded into one string. */
const MAX_LINE_BYTES_CEILING = 2 ** 29 - 24;

/** Pieces of an unfinished line are merged in groups of this size, so that one-byte reads cannot pile up objects. */
const PIECES_PER_BLOCK = 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface LineOverflow {
  /** Bytes of the line that were seen so far: at least this long. */
  readonly bytes: number;
  readonly limit: number;
}

/**
 * Cuts chunks of bytes into lines. Only 0x0A ends a line, one 0x0D before it is dropped, nothing is decoded or trimmed
 * (R09, R10, R12); the work grows linearly with the bytes, however they were chunked (R07).
 *
 * A line that lies inside one chunk is a view of it, not a copy: whoever keeps a short line for long copies it, or it
 * keeps the whole chunk in memory. Listeners must not throw and must not call `push`.
 *
 * `maxLineBytes` counts the bytes before the line feed, a carriage return included; it must be a whole number from 1 to
 * 512 MiB (INVALID_OPTIONS).
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #keepsCarriageReturn: boolean;
  #pieces: Buffer[] = [];
  #blocks: Buffer[] = [];
  #pendingBytes = 0;
  #hasOverflowed = false;

  /** `keepsCarriageReturn`: a line is told with every byte before its line feed. */
  constructor(
    options: { maxLineBytes: number; keepsCarriageReturn?: boolean } = { maxLineBytes: DEFAULT_MAX_LINE_BYTES },
  ) {
    const { maxLineBytes, keepsCarriageReturn = false } = options;
    if (!Number.isInteger(maxLineBytes) || maxLineBytes < 1 || maxLineBytes > MAX_LINE_BYTES_CEILING) {
      const details = { field: 'maxLineBytes', value: maxLineBytes, highest: MAX_LINE_BYTES_CEILING };
      throw new TroupeError('INVALID_OPTIONS', { reason: 'maxLineBytes is out of range.', details });
    }
    this.#maxLineBytes = maxLineBytes;
    this.#keepsCarriageReturn = keepsCarriageReturn;
  }

  /** Hands over every line the chunk completes. Returns once when a line is too long; from then on input is ignored. */
  push(chunk: Buffer, onLine: (line: Buffer) => void): LineOverflow | undefined {
    if (this.#hasOverflowed) return undefined;
    let start = 0;
    let end = chunk.indexOf(LINE_FEED);
    while (end !== -1) {
      const overflow = this.#keep(chunk, start, end);
      if (overflow !== undefined) return overflow;
      onLine(this.#take());
      start = end + 1;
      end = chunk.indexOf(LINE_FEED, start);
    }
    return this.#keep(chunk, start, chunk.length);
  }

  /** The input ended: the last line when it lacked its line feed, whole or cut (R13). */
  end(): Buffer | undefined {
    return this.#pendingBytes === 0 || this.#hasOverflowed ? undefined : this.#take();
  }

  #keep(chunk: Buffer, start: number, end: number): LineOverflow | undefined {
    const bytes = this.#pendingBytes + end - start;
    if (bytes > this.#maxLineBytes) {
      this.#hasOverflowed = true;
      this.#drop();
      return { bytes, limit: this.#maxLineBytes };
    }
    if (end > start) this.#pieces.push(chunk.subarray(start, end));
    this.#pendingBytes = bytes;
    if (this.#pieces.length >= PIECES_PER_BLOCK) {
      this.#blocks.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
    }
    return undefined;
  }

  #take(): Buffer {
    const only = this.#blocks.length === 0 && this.#pieces.length === 1 ? this.#pieces[0] : undefined;
    const line = only ?? Buffer.concat([...this.#blocks, ...this.#pieces], this.#pendingBytes);
    this.#drop();
    const isTrimmed = !this.#keepsCarriageReturn && line[line.length - 1] === CARRIAGE_RETURN;
    return isTrimmed ? line.subarray(0, -1) : line;
  }

  #drop(): void {
    // Fresh arrays only where needed: most lines arrive whole, in one piece.
    if (this.#blocks.length > 0) this.#blocks = [];
    this.#pieces.length = 0;
    this.#pendingBytes = 0;
  }
}
