import { isUtf8 } from 'node:buffer';
import type { EventRun } from '../../store/event-run.ts';

/** What stands around each line of a run. One character is one byte: see `asBytes`. */
export interface RunFrame {
  /** Before the line of the event with that number. */
  readonly before: (seq: number) => string;
  readonly after: string;
  /** In front of a frame of that length; default nothing. */
  readonly header?: ((length: number) => string) | undefined;
}

/**
 * The events of a run as frames, one behind the other in one piece: their lines stand in them byte by byte, and nothing of them
 * is looked at, for the layout of a run says that each is JSON. Undefined where one is broken UTF-8.
 */
export function runFrames(run: EventRun, { before, after, header }: RunFrame): Buffer | undefined {
  const { lines, firstSeq, count } = run;
  const { bytes, ends } = lines;
  if (!isUtf8(bytes)) return undefined;
  // Strings of one byte a character are put together for a fraction of what three calls per line into a buffer take.
  const all = bytes.toString('latin1');
  let frames = '';
  let start = 0;
  for (let index = 0; index < count; index += 1) {
    const end = ends[index] ?? start;
    const prefix = before(firstSeq + index);
    if (header !== undefined) frames += header(prefix.length + end - start + after.length);
    frames += prefix + all.slice(start, end) + after;
    start = end + 1;
  }
  return Buffer.from(frames, 'latin1');
}

/** A text whose characters are the bytes of that one. */
export function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
