import type { EventFilter } from './event-filter.ts';

/** One event as its frame, or several of one kind in one piece. */
export interface RingFrame {
  readonly seq: number;
  /** Of the last of them. */
  readonly lastSeq: number;
  readonly type: string;
  /** Of a message. */
  readonly kind: string | undefined;
  readonly frame: Buffer;
}

/** Bytes that are written to a reader at once. */
const CHUNK_BYTES = 128 * 1024;

/**
 * The newest frames of one session, made once and shared by all who read them. Each reader has its own place in it and nothing
 * of its own: who does not take what is there in time finds it gone, and costs nobody anything.
 */
export class FrameRing {
  readonly #maxBytes: number;
  #frames: (RingFrame | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  readonly #chunks = new Map<string, RingChunk>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(frame: RingFrame): void {
    this.#frames.push(frame);
    this.#bytes += frame.frame.length;
    while (this.#bytes > this.#maxBytes && this.#frames.length - this.#head > 1) {
      this.#bytes -= this.#frames[this.#head]?.frame.length ?? 0;
      this.#frames[this.#head] = undefined;
      this.#head += 1;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head);
      this.#head = 0;
    }
  }

  clear(): void {
    this.#frames = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#chunks.clear();
  }

  /** True when the event after that one is still here, or has not come. */
  reaches(seq: number): boolean {
    const first = this.#frames[this.#head];
    return first === undefined || first.seq <= seq + 1;
  }

  /** What comes after that event, as far as it is written at once; undefined where nothing does. */
  chunkAfter(seq: number, filter: EventFilter): RingChunk | undefined {
    const first = this.#frames[this.#head];
    const last = this.#frames.at(-1);
    if (first === undefined || last === undefined || seq >= last.lastSeq) return undefined;
    const key = `${seq}|${filter.name}`;
    const known = this.#chunks.get(key);
    if (known !== undefined) return known;
    const chunk = this.#chunk(this.#placeAfter(seq), filter);
    this.#chunks.set(key, chunk);
    return chunk;
  }

  /** The readers of one moment were served: what was put together for them is needed no more. */
  forgetChunks(): void {
    this.#chunks.clear();
  }

  #chunk(start: number, { passes }: EventFilter): RingChunk {
    const parts: Buffer[] = [];
    let bytes = 0;
    let index = start;
    for (; index < this.#frames.length && bytes < CHUNK_BYTES; index += 1) {
      const one = this.#frames[index];
      if (one === undefined || !passes(one.type, one.kind)) continue;
      parts.push(one.frame);
      bytes += one.frame.length;
    }
    const [only] = parts;
    const data = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, bytes);
    return { data, seq: this.#frames[index - 1]?.lastSeq ?? 0 };
  }

  /** Of the first frame that begins behind that event. */
  #placeAfter(seq: number): number {
    let [low, high] = [this.#head, this.#frames.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#frames[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface RingChunk {
  readonly data: Buffer;
  /** The last event that it covers, sent or filtered out. */
  readonly seq: number;
}
