import { EventRun, isRun, type LogEntry } from './event-run.ts';
import { OwnRun } from './own-run.ts';
import { RunPack } from './run-pack.ts';
import { sizeOf } from './session-event.ts';

type Shelved = LogEntry | RunPack | OwnRun;

let shelves = 0;

/** The entries of a log that are in memory, by their numbers: dense, the oldest go first. */
export class EventShelf {
  /** Evicted slots are emptied at once, so that what is dropped is really freed. */
  #entries: (Shelved | undefined)[] = [];
  #head = 0;
  #count = 0;
  #bytes = 0;
  readonly #number: number;
  /** It has dropped something: from now on as much goes as comes. */
  #isFull = false;

  constructor() {
    shelves += 1;
    this.#number = shelves;
  }

  /** The number of the oldest event; undefined while there is none. */
  get firstSeq(): number | undefined {
    const oldest = this.#entries[this.#head];
    return oldest && firstOf(oldest);
  }

  push(entry: LogEntry): void {
    if (!this.#isPacked(entry)) this.#entries.push(isRun(entry) && RunPack.fits(entry) ? new RunPack(entry) : entry);
    this.#count += countOf(entry);
    this.#bytes += bytesOf(entry);
  }

  /** Everything behind `after`, up to `last`, in order. */
  between(after: number, last: number): LogEntry[] {
    const found: LogEntry[] = [];
    for (let index = this.#indexBehind(after); index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined || firstOf(entry) > last) break;
      if (entry instanceof RunPack) {
        found.push(...entry.between(after, last));
        continue;
      }
      const run = entry instanceof OwnRun ? entry.lend() : entry;
      const part = isRun(run) ? run.between(after, last) : run;
      if (part !== undefined) found.push(part);
    }
    return found;
  }

  /**
   * Its readers have what is behind `after` up to `last`, or will not take it from here: long runs are copied to memory that is
   * used again, once there is such memory, which is when the oldest go.
   */
  settle(after: number, last: number): void {
    if (!this.#isFull) return;
    for (let index = this.#indexBehind(after); index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined || lastOf(entry) > last) return;
      if (entry instanceof EventRun && OwnRun.fits(entry, this.#number)) this.#entries[index] = new OwnRun(entry);
    }
  }

  /** Drops the oldest until the limits hold, but nothing behind `last`, and never the newest. */
  evict({ maxItems, maxBytes }: { readonly maxItems: number; readonly maxBytes: number }, last: number): void {
    while (this.#count > maxItems || this.#bytes > maxBytes) {
      const oldest = this.#entries[this.#head];
      if (oldest === undefined || !(oldest instanceof RunPack ? this.#dropRun(oldest, last) : this.#drop(oldest, last)))
        break;
      this.#isFull = true;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
  }

  /** False where it must stay. */
  #drop(oldest: LogEntry | OwnRun, last: number): boolean {
    if (this.#entries.length - this.#head === 1 || lastOf(oldest) > last) return false;
    const isOwn = oldest instanceof OwnRun;
    this.#count -= isOwn ? oldest.count : countOf(oldest);
    this.#bytes -= isOwn ? oldest.bytes : bytesOf(oldest);
    if (isOwn) oldest.drop();
    this.#empty();
    return true;
  }

  #dropRun(pack: RunPack, last: number): boolean {
    const isNewest = this.#entries.length - this.#head === 1 && pack.size === 1;
    if (isNewest || pack.oldestLastSeq > last) return false;
    this.#count -= pack.oldestLastSeq + 1 - pack.firstSeq;
    this.#bytes -= pack.oldestBytes;
    pack.dropOldest();
    if (pack.size === 0) this.#empty();
    return true;
  }

  #empty(): void {
    this.#entries[this.#head] = undefined;
    this.#head += 1;
  }

  #isPacked(entry: LogEntry): boolean {
    const newest = this.#entries[this.#entries.length - 1];
    return isRun(entry) && newest instanceof RunPack && newest.take(entry);
  }

  /** Where the first entry is that holds something behind the cursor. */
  #indexBehind(after: number): number {
    // Nearly always it is the newest.
    let [low, high] = [this.#head, this.#entries.length];
    const newest = this.#entries[high - 1];
    if (newest !== undefined && firstOf(newest) === after + 1) return high - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && lastOf(entry) > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function firstOf(entry: Shelved): number {
  return entry instanceof RunPack || entry instanceof OwnRun ? entry.firstSeq : firstSeqOf(entry);
}

function lastOf(entry: Shelved): number {
  return entry instanceof RunPack || entry instanceof OwnRun ? entry.lastSeq : lastSeqOf(entry);
}

export function firstSeqOf(entry: LogEntry): number {
  return entry instanceof EventRun ? entry.firstSeq : entry.seq;
}

export function lastSeqOf(entry: LogEntry): number {
  return entry instanceof EventRun ? entry.lastSeq : entry.seq;
}

export function countOf(entry: object): number {
  return entry instanceof EventRun ? entry.count : 1;
}

export function bytesOf(entry: LogEntry): number {
  return entry instanceof EventRun ? entry.bytes : sizeOf(entry);
}
