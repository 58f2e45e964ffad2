import { EventRun } from './event-run.ts';

/** As much as a pipe holds: what a process that writes fast is read by. */
const MOST_BYTES = 64 * 1024;
/** Blocks are whole pages; a run that is not longer than seven would waste more than an eighth of its block. */
const PAGE_BYTES = 4 * 1024;
const LEAST_BYTES = 7 * PAGE_BYTES + 1;
/** What waits of each length to be used again, of all logs together (P9). A commit of a store lets go of as much at once. */
const MOST_SPARE_BYTES = 2 ** 20;

/** So many runs after each other by one log, and nobody else is writing much. */
const ALONE_RUNS = 32;
let lastLog = 0;
let runsOfLastLog = 0;

/** By their length in pages. */
const spare: readonly Buffer[][] = Array.from({ length: MOST_BYTES / PAGE_BYTES + 1 }, () => []);

/**
 * A run in memory that nobody else looks at, so that the next one can be written over it when the log drops it. What a log
 * keeps is old by then: left to the collector, each some tens of megabytes of it would have V8 look through the whole heap.
 * The chunk it was read with goes to its readers, and is young when they are done with it, which costs next to nothing.
 */
export class OwnRun {
  readonly #block: Buffer;
  readonly #run: EventRun;
  #isLent = false;

  constructor({ firstSeq, epoch, at, lines }: EventRun) {
    this.#block = blockFor(lines.bytes.length);
    lines.bytes.copy(this.#block);
    const bytes = this.#block.subarray(0, lines.bytes.length);
    this.#run = new EventRun(firstSeq, epoch, at, lines.movedTo(bytes));
  }

  /** Whether it is worth it: the heap of one log that writes alone is small, and costs less to look through than the copies. */
  static fits({ lines: { bytes } }: EventRun, log: number): boolean {
    if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES) return false;
    runsOfLastLog = log === lastLog ? runsOfLastLog + 1 : 0;
    lastLog = log;
    return runsOfLastLog < ALONE_RUNS;
  }

  get firstSeq(): number {
    return this.#run.firstSeq;
  }

  get lastSeq(): number {
    return this.#run.lastSeq;
  }

  get count(): number {
    return this.#run.count;
  }

  get bytes(): number {
    return this.#run.bytes;
  }

  /** To somebody who may keep it for as long as they like: its memory is never used again. */
  lend(): EventRun {
    this.#isLent = true;
    return this.#run;
  }

  /** The log has dropped it. */
  drop(): void {
    if (!this.#isLent) spareBlock(this.#block);
  }
}

function blockFor(length: number): Buffer {
  const pages = Math.ceil(length / PAGE_BYTES);
  return spare[pages]?.pop() ?? Buffer.allocUnsafeSlow(pages * PAGE_BYTES);
}

function spareBlock(block: Buffer): void {
  const blocks = spare[block.length / PAGE_BYTES];
  if (blocks !== undefined && (blocks.length + 1) * block.length <= MOST_SPARE_BYTES) blocks.push(block);
}
