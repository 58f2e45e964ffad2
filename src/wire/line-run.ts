import { CliMessage } from './cli-message.ts';
import { type DeltaLayout, ID_BYTES, textOf } from './delta-layout.ts';

const LINE_FEED = 0x0a;

/** Where the lines of a run end: the place of each line feed. */
export type LineEnds = readonly number[];

/**
 * Consecutive lines of one process that hold pieces of text and nothing else, as they came: one thing, because there are
 * so many of them. All have the same layout. What a line says is read from it when somebody asks.
 */
export class LineRun {
  /** The lines, each with its line feed. A view of what was read: whoever keeps it for longer than the call copies it. */
  readonly bytes: Buffer;
  readonly count: number;
  readonly layout: DeltaLayout;
  #ends: LineEnds | undefined;

  constructor(bytes: Buffer, count: number, layout: DeltaLayout, ends?: LineEnds) {
    this.bytes = bytes;
    this.count = count;
    this.layout = layout;
    this.#ends = ends;
  }

  /** The place of the line feed of each line. */
  get ends(): LineEnds {
    this.#ends ??= endsOf(this.bytes);
    return this.#ends;
  }

  start(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0) + 1;
  }

  /** Where the text of a line begins, and where it ends. */
  textStart(index: number): number {
    return this.start(index) + this.layout.headLength;
  }

  textEnd(index: number): number {
    return (this.ends[index] ?? 0) + 1 - this.layout.tailLength;
  }

  /** Where its id begins, and where it ends. */
  idStart(index: number): number {
    return this.textEnd(index) + this.layout.idOffset;
  }

  idEnd(index: number): number {
    return this.idStart(index) + ID_BYTES;
  }

  /** One line without its line feed; a view. */
  line(index: number): Buffer {
    return this.bytes.subarray(this.start(index), this.ends[index]);
  }

  /** A message of its own for each call. */
  message(index: number): CliMessage {
    return CliMessage.ofRun(this, index);
  }

  value(index: number): Record<string, unknown> {
    return this.layout.valueOf(this.bytes, this.start(index), this.ends[index] ?? 0);
  }

  /** The texts of the lines from `first` on, behind one another. */
  text(first = 0): string {
    const { bytes, count, ends, layout } = this;
    const { headLength, tailLength } = layout;
    let start = this.start(first);
    // What is not text is as long in each line.
    const all = Buffer.allocUnsafe(bytes.length - start - (count - first) * (headLength + tailLength));
    let length = 0;
    let isPlain = true;
    for (let index = first; index < count; index += 1) {
      const lineEnd = (ends[index] ?? 0) + 1;
      const end = lineEnd - tailLength;
      for (let at = start + headLength; at < end; at += 1) {
        const byte = bytes[at] as number;
        if (byte >= 0x80 || byte === 0x5c) isPlain = false;
        all[length] = byte;
        length += 1;
      }
      start = lineEnd;
    }
    if (isPlain) return all.toString('latin1', 0, length);
    // Bytes of two lines never make one character.
    let text = '';
    for (let index = first; index < count; index += 1) {
      text += textOf(bytes, this.textStart(index), this.textEnd(index));
    }
    return text;
  }

  /** The lines from `first` on, up to the one before `end`. */
  slice(first: number, end = this.count): LineRun {
    if (first === 0 && end === this.count) return this;
    const start = this.start(first);
    const bytes = this.bytes.subarray(start, this.start(end));
    return new LineRun(
      bytes,
      end - first,
      this.layout,
      this.ends.slice(first, end).map((at) => at - start),
    );
  }

  /** The same lines in bytes that are equal. */
  movedTo(bytes: Buffer): LineRun {
    return new LineRun(bytes, this.count, this.layout);
  }
}

function endsOf(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) ends.push(at);
  return ends;
}
