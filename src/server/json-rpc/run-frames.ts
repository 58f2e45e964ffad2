import { isUtf8 } from 'node:buffer';
import type { EventRun } from '../../store/event-run.ts';

/** What stands around each line of a run. */
export interface RunFrame {
  /** Before the line of the event with that number. */
  readonly before: (seq: number) => string;
  readonly after: string;
  /** Bytes in front of a frame of that length; default none. */
  readonly header?: ((length: number) => Uint8Array) | undefined;
}

/** Bytes of the longest header, and digits by which the number of a later line may be longer. */
const ROOM_BYTES = 32;

/**
 * The events of a run as frames, one behind the other in one piece: their lines stand in them byte by byte, and nothing of them
 * is looked at, for the layout of a run says that each is JSON. Undefined where one is broken UTF-8.
 */
export function runFrames(run: EventRun, { before, after, header }: RunFrame): Buffer | undefined {
  const { lines, firstSeq, count } = run;
  const { bytes, ends } = lines;
  if (!isUtf8(bytes)) return undefined;
  const around = Buffer.byteLength(before(run.lastSeq)) + Buffer.byteLength(after) + ROOM_BYTES;
  const frames = Buffer.allocUnsafe(bytes.length + count * around);
  let place = 0;
  let start = 0;
  for (let index = 0; index < count; index += 1) {
    const end = ends[index] ?? start;
    const prefix = before(firstSeq + index);
    if (header !== undefined) {
      const head = header(Buffer.byteLength(prefix) + end - start + Buffer.byteLength(after));
      frames.set(head, place);
      place += head.length;
    }
    place += frames.write(prefix, place);
    place += bytes.copy(frames, place, start, end);
    place += frames.write(after, place);
    start = end + 1;
  }
  return frames.subarray(0, place);
}
