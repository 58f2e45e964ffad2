import { LineRun } from '../wire/line-run.ts';
import { EventRun } from './event-run.ts';
import { EVENT_BYTES } from './session-event.ts';

/**
 * Runs of one incarnation that lie behind one another in the same memory, with lines of the same layout: of each only a few
 * numbers are kept. Lines that come one by one are nearly all that a log keeps of a session that writes, and three objects
 * for each would cost the collector more than the line costs all others. A run is made of them again when somebody asks.
 */
export class RunPack {
  readonly #first: EventRun;
  /** Where each run begins in the memory; they have no gaps. */
  readonly #starts: number[] = [];
  readonly #firstSeqs: number[] = [];
  readonly #times: number[] = [];
  #end: number;
  #lastSeq: number;
  /** Index of the oldest that is kept. */
  #head = 0;

  constructor(first: EventRun) {
    this.#first = first;
    this.#end = first.lines.bytes.byteOffset;
    this.#lastSeq = first.firstSeq - 1;
    this.#add(first);
  }

  /** Whether it is worth it: the memory of a run that has it for itself holds no other. */
  static fits(run: EventRun): boolean {
    const { bytes } = run.lines;
    return bytes.length * 2 <= bytes.buffer.byteLength;
  }

  /** Takes the run that comes next; false where it belongs to no pack with these. */
  take(run: EventRun): boolean {
    const { epoch, lines } = this.#first;
    const { bytes, layout } = run.lines;
    const isNext = run.epoch === epoch && layout === lines.layout && run.firstSeq === this.#lastSeq + 1;
    if (!isNext || bytes.buffer !== lines.bytes.buffer || bytes.byteOffset !== this.#end) return false;
    this.#add(run);
    return true;
  }

  /** Of the oldest line. */
  get firstSeq(): number {
    return this.#firstSeqs[this.#head] ?? this.#lastSeq + 1;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** How many runs it has. */
  get size(): number {
    return this.#starts.length - this.#head;
  }

  /** What is behind a cursor, up to `last`, in order. */
  between(after: number, last: number): EventRun[] {
    const found: EventRun[] = [];
    for (let index = this.#indexBehind(after); index < this.#starts.length; index += 1) {
      if ((this.#firstSeqs[index] ?? 0) > last) break;
      const part = this.#run(index).between(after, last);
      if (part !== undefined) found.push(part);
    }
    return found;
  }

  /** The last line of the oldest run. */
  get oldestLastSeq(): number {
    return (this.#firstSeqs[this.#head + 1] ?? this.#lastSeq + 1) - 1;
  }

  /** The memory that the oldest run counts for. */
  get oldestBytes(): number {
    return EVENT_BYTES + (this.#starts[this.#head + 1] ?? this.#end) - (this.#starts[this.#head] ?? this.#end);
  }

  dropOldest(): void {
    this.#head += 1;
  }

  #add(run: EventRun): void {
    this.#starts.push(this.#end);
    this.#firstSeqs.push(run.firstSeq);
    this.#times.push(run.at);
    this.#end += run.lines.bytes.length;
    this.#lastSeq = run.lastSeq;
  }

  #run(index: number): EventRun {
    const { epoch, lines } = this.#first;
    const firstSeq = this.#firstSeqs[index] ?? 0;
    const start = this.#starts[index] ?? 0;
    const count = (this.#firstSeqs[index + 1] ?? this.#lastSeq + 1) - firstSeq;
    const bytes = Buffer.from(lines.bytes.buffer, start, (this.#starts[index + 1] ?? this.#end) - start);
    return new EventRun(firstSeq, epoch, this.#times[index] ?? 0, new LineRun(bytes, count, lines.layout));
  }

  /** The run that holds the line behind the cursor, or the oldest. */
  #indexBehind(after: number): number {
    let [low, high] = [this.#head, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#firstSeqs[middle] ?? 0) <= after + 1) low = middle;
      else high = middle;
    }
    return low;
  }
}
