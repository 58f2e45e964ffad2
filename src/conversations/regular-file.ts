import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

export interface FileEnds {
  readonly head: string;
  /** The last bytes; the same text as `head` when the file is small. */
  readonly tail: string;
  readonly size: number;
  /** Whole epoch milliseconds. */
  readonly mtime: number;
}

/** Bytes looked at on each side of a transcript; whatever its size, a listing reads no more (R103). */
export const END_BYTES = 64 * 1024;

// Not followed and not waited for: a link may lead anywhere, and a FIFO has no end. Windows knows neither flag.
const READ_SAFELY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Runs `use` on the file; undefined when there is none, or when it is not a regular file. The handle is always closed. */
export async function withRegularFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  let file: FileHandle | undefined;
  try {
    if (!(await lstat(path)).isFile()) return undefined;
    file = await open(path, READ_SAFELY);
  } catch {
    return undefined;
  }
  try {
    return (await file.stat()).isFile() ? await use(file) : undefined;
  } finally {
    await file.close();
  }
}

/** Both ends of a regular file; undefined when there is none or it is empty. */
export function readEnds(path: string): Promise<FileEnds | undefined> {
  return withRegularFile(path, async (file) => {
    const { size, mtime } = await file.stat();
    const head = await readAt(file, 0, Math.min(size, END_BYTES));
    if (head.length === 0) return undefined;
    const start = Math.max(0, size - END_BYTES);
    const tail = start === 0 ? head : await readAt(file, start, END_BYTES);
    return { head: head.toString(), tail: tail.toString(), size, mtime: mtime.getTime() };
  }).catch(() => undefined);
}

/** A small file as text; undefined when there is none, or it is larger than `maxBytes`. */
export function readSmall(path: string, maxBytes: number): Promise<string | undefined> {
  return withRegularFile(path, async (file) => {
    const bytes = await readAt(file, 0, maxBytes + 1);
    return bytes.length > maxBytes ? undefined : bytes.toString();
  }).catch(() => undefined);
}

/** As much as is there, up to `length`: one read may bring less. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
