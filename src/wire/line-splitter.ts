import { TroupeError } from '../errors.ts';

/** Bytes of the longest line that is accepted unless told otherwise: 64 MiB, room for several large images (R07). */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A longer line could not be decoded into one string. */
const MAX_LINE_BYTES_CEILING = 2 ** 29 - 24;

/**
 * The beginning of an unfinished line is copied together up to this size; a longer one is kept in pieces of at least that,
 * and put together once.
 */
const BLOCK_BYTES = 256 * 1024;
/** What is at least as long, and nearly all of its memory, is kept where it is. */
const LEAST_KEPT_BYTES = 32 * 1024;
const LEAST_KEPT_SHARE = 7 / 8;
/** Most lines that are cut are short: the block for them is kept. */
const FIRST_BLOCK_BYTES = 1024;
const MOST_POOLED_BYTES = 4 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

export interface LineOverflow {
  /** Bytes of the line that were seen so far: at least this long. */
  readonly bytes: number;
  readonly limit: number;
}

/**
 * Cuts chunks of bytes into lines. Only 0x0A ends a line, one 0x0D before it is dropped, nothing is decoded or trimmed
 * (R09, R10, R12); the work grows linearly with the bytes, however they were chunked (R07).
 *
 * A line that lies inside one chunk is a view of it, not a copy: whoever keeps it for longer than the call copies it, or
 * keeps the whole chunk. Nothing else of a chunk is kept. Listeners must not throw and must not call `push`.
 *
 * `maxLineBytes` counts the bytes before the line feed, a carriage return included; it must be a whole number from 1 to
 * 512 MiB (INVALID_OPTIONS).
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #keepsCarriageReturn: boolean;
  /** The beginning of a line whose end has not come: full blocks, and the one that is being filled. */
  #blocks: Buffer[] = [];
  #block = NOTHING;
  #used = 0;
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

  /** True inside a line: the next bytes go on with it. */
  get isPending(): boolean {
    return this.#pendingBytes > 0;
  }

  /** Hands over every line the chunk completes. Returns once when a line is too long; from then on input is ignored. */
  push(chunk: Buffer, onLine: (line: Buffer) => void): LineOverflow | undefined {
    for (let at = 0; at < chunk.length; ) {
      const next = this.pushLine(chunk, at, onLine);
      if (typeof next !== 'number') return next;
      at = next;
    }
    return undefined;
  }

  /** The same for the bytes from `start` up to the first line feed. Returns where the next line begins. */
  pushLine(chunk: Buffer, start: number, onLine: (line: Buffer) => void): number | LineOverflow {
    if (this.#hasOverflowed) return chunk.length;
    const end = chunk.indexOf(LINE_FEED, start);
    const ends = end === -1 ? chunk.length : end;
    const bytes = this.#pendingBytes + ends - start;
    if (bytes > this.#maxLineBytes) {
      this.#hasOverflowed = true;
      this.#drop();
      return { bytes, limit: this.#maxLineBytes };
    }
    if (end === -1) this.#keep(chunk, start);
    else if (this.#pendingBytes === 0) onLine(this.#trimmed(chunk.subarray(start, end)));
    else onLine(this.#take(chunk.subarray(start, end)));
    return end === -1 ? chunk.length : end + 1;
  }

  /** The input ended: the last line when it lacked its line feed, whole or cut (R13). */
  end(): Buffer | undefined {
    return this.#pendingBytes === 0 || this.#hasOverflowed ? undefined : this.#take(NOTHING);
  }

  #keep(chunk: Buffer, start: number): void {
    const bytes = chunk.length - start;
    this.#pendingBytes += bytes;
    if (bytes >= LEAST_KEPT_BYTES && bytes >= chunk.buffer.byteLength * LEAST_KEPT_SHARE) {
      if (this.#used > 0) this.#blocks.push(this.#block.subarray(0, this.#used));
      this.#blocks.push(chunk.subarray(start));
      this.#block = NOTHING;
      this.#used = 0;
      return;
    }
    for (let at = start; at < chunk.length; ) {
      if (this.#used === this.#block.length) this.#nextBlock(chunk.length - at);
      const copied = chunk.copy(this.#block, this.#used, at);
      this.#used += copied;
      at += copied;
    }
  }

  /** Each is as long as all before it, so that what is copied again stays in proportion, until they are long. */
  #nextBlock(atLeast: number): void {
    const isLong = this.#block.length >= BLOCK_BYTES;
    if (isLong) this.#blocks.push(this.#block);
    const size = Math.min(BLOCK_BYTES, Math.max(FIRST_BLOCK_BYTES, atLeast, this.#block.length * 2));
    const block = Buffer.allocUnsafeSlow(isLong ? BLOCK_BYTES : size);
    if (!isLong) this.#block.copy(block, 0, 0, this.#used);
    this.#used = isLong ? 0 : this.#used;
    this.#block = block;
  }

  /** What was kept, with the end of the line: a copy, with a line feed behind it in the same memory, as where it came from. */
  #take(end: Buffer): Buffer {
    const isTrimmed = !this.#keepsCarriageReturn && this.#lastByte(end) === CARRIAGE_RETURN;
    const length = this.#pendingBytes + end.length - (isTrimmed ? 1 : 0);
    const bytes = length + 1;
    // A short one lies in the pool of Node: memory of its own would cost more than all that is done with it.
    const own = bytes <= MOST_POOLED_BYTES ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
    let at = 0;
    for (const block of this.#blocks) at += block.copy(own, at);
    at += this.#block.copy(own, at, 0, this.#used);
    end.copy(own, at);
    own[length] = LINE_FEED;
    this.#drop();
    return own.subarray(0, length);
  }

  #lastByte(end: Buffer): number | undefined {
    if (end.length > 0) return end[end.length - 1];
    return this.#used > 0 ? this.#block[this.#used - 1] : this.#blocks.at(-1)?.at(-1);
  }

  #trimmed(line: Buffer): Buffer {
    const isTrimmed = !this.#keepsCarriageReturn && line[line.length - 1] === CARRIAGE_RETURN;
    return isTrimmed ? line.subarray(0, -1) : line;
  }

  #drop(): void {
    if (this.#blocks.length > 0) this.#blocks = [];
    if (this.#block.length > FIRST_BLOCK_BYTES) this.#block = NOTHING;
    this.#used = 0;
    this.#pendingBytes = 0;
  }
}
