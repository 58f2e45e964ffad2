/** Short lines are copied side by side into blocks: a block for each would cost five times as much. The first has this size … */
const FIRST_BLOCK_BYTES = 8 * 1024;
/** … and those of a log that grows are twice as large as the one before, up to this. */
const BLOCK_BYTES = 64 * 1024;

/** What is longer than this part of a block gets one of its own. */
const LONGEST_SHARE = 1 / 4;

const LINE_FEED = 0x0a;

/** What fills this much of its memory keeps it: a copy would save less than it costs. */
const LEAST_SHARE = 7 / 8;

/**
 * Where the lines of one log live. A line arrives as a view of the chunk it was read with, which would all be kept in memory;
 * here it lies among its neighbours in the log, which go when it goes, so that the limits hold (P9). Lines that are nearly all
 * of their chunk stay where they are: nothing is read into a chunk again.
 */
export class ByteBlocks {
  #block = Buffer.alloc(0);
  #used = 0;
  #nextBytes = FIRST_BLOCK_BYTES;

  /** The same bytes; a copy, unless they have their memory nearly for themselves. */
  readonly settle = (view: Buffer): Buffer => (this.#stays(view, 0) ? view : this.#placed(view, 0));

  /** The same for a line without its line feed, which then stands behind it in the same memory for good. */
  readonly settleLine = (line: Buffer): Buffer => {
    if (this.#stays(line, 1) && hasLineFeed(line)) return line;
    const own = this.#placed(line, 1);
    own[line.length] = LINE_FEED;
    return own.subarray(0, line.length);
  };

  #stays({ length, buffer: { byteLength } }: Buffer, more: number): boolean {
    if (length + more === byteLength) return true;
    return length > this.#nextBytes * LONGEST_SHARE && length >= byteLength * LEAST_SHARE;
  }

  /** With room for so many bytes more behind it. */
  #placed(view: Buffer, more: number): Buffer {
    const length = view.length + more;
    if (length > this.#nextBytes * LONGEST_SHARE) return copyInto(Buffer.allocUnsafeSlow(length), view, 0, length);
    if (this.#used + length > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(this.#nextBytes);
      this.#nextBytes = Math.min(BLOCK_BYTES, this.#nextBytes * 2);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return copyInto(this.#block, view, start, length);
  }
}

function hasLineFeed({ buffer, byteOffset, length }: Buffer): boolean {
  const end = byteOffset + length;
  return end < buffer.byteLength && new Uint8Array(buffer, end, 1)[0] === LINE_FEED;
}

function copyInto(block: Buffer, view: Buffer, start: number, length: number): Buffer {
  view.copy(block, start);
  return block.subarray(start, start + length);
}
