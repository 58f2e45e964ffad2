import { parseRecord } from '../wire/fields.ts';
import { withRegularFile } from './regular-file.ts';
import { type Row, rowOf as transcriptRow } from './transcript-row.ts';

/** A longer line is passed over: nobody shall have to hold it (P10). */
const MOST_LINE_BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** Lines of one transcript that could not be used. */
export interface SkippedLines {
  readonly path: string;
  /** Lines that are no JSON object with a type. */
  readonly corrupt: number;
  /** Lines longer than 64 MiB. */
  readonly tooLong: number;
}

export interface ReadRowsOptions {
  /** Called once, at the end, when something was passed over. */
  readonly onSkipped?: ((skipped: SkippedLines) => void) | undefined;
  readonly maxLineBytes?: number | undefined;
  /** What a line is as a row; undefined for one that is corrupt. Default: a row of a transcript. */
  readonly rowOf?: ((value: unknown) => Row | undefined) | undefined;
}

/**
 * Reads a transcript row by row, never all of it at once. Corrupt lines, such as a crash leaves, and lines over 64 MiB
 * are passed over and counted (P6). False when there is no such regular file.
 */
export async function readRows(
  path: string,
  onRow: (row: Row, characters: number) => void | Promise<void>,
  { onSkipped, maxLineBytes = MOST_LINE_BYTES, rowOf = transcriptRow }: ReadRowsOptions = {},
): Promise<boolean> {
  const skipped = { corrupt: 0, tooLong: 0 };
  const found = await withRegularFile(path, async (file) => {
    const cutter = new LineCutter(maxLineBytes);
    const take = async (line: string): Promise<void> => {
      const row = rowOf(parseRecord(line));
      if (row !== undefined) await onRow(row, line.length);
      else if (line.trim() !== '') skipped.corrupt += 1;
    };
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES })) {
      for (const line of cutter.push(chunk as Buffer)) await take(line);
    }
    for (const line of cutter.end()) await take(line);
    skipped.tooLong = cutter.tooLong;
    return true;
  });
  if (skipped.corrupt + skipped.tooLong > 0) onSkipped?.({ path, ...skipped });
  return found === true;
}

/** Cuts chunks into lines and drops those that are too long, without ever holding one. */
class LineCutter {
  tooLong = 0;
  readonly #maxLineBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      yield* this.end();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** The line so far, as a whole one. */
  *end(): Generator<string> {
    const isTooLong = this.#bytes > this.#maxLineBytes;
    if (isTooLong) this.tooLong += 1;
    const line = isTooLong || this.#bytes === 0 ? undefined : Buffer.concat(this.#pieces, this.#bytes).toString();
    this.#pieces = [];
    this.#bytes = 0;
    if (line !== undefined) yield line;
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }
}
