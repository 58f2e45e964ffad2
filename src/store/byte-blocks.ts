/** Short lines are copied side by side into blocks of this size: a block for each would cost five times as much. */
const BLOCK_BYTES = 8 * 1024;

/** A longer line gets a block of its own. */
const LONGEST_SHARING_BYTES = BLOCK_BYTES / 4;

/**
 * Where the lines of one log live. A line arrives as a view of the chunk it was read with, which is read into again and would
 * all be kept in memory; here it lies among its neighbours in the log, which go when it goes, so that the limits hold (P9).
 */
export class ByteBlocks {
  #block = Buffer.alloc(0);
  #used = 0;

  /** The same bytes; a copy, unless they have their memory for themselves. */
  readonly settle = (view: Buffer): Buffer => {
    const { length } = view;
    if (view.buffer.byteLength === length) return view;
    if (length > LONGEST_SHARING_BYTES) return copyInto(Buffer.allocUnsafeSlow(length), view, 0);
    if (this.#used + length > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return copyInto(this.#block, view, start);
  };
}

function copyInto(block: Buffer, view: Buffer, start: number): Buffer {
  view.copy(block, start);
  return block.subarray(start, start + view.length);
}
