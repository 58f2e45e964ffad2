import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** Removes files that may hold private settings, and the folders named with them; what resists is tried once more and left. */
export async function removeTemporaryFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => remove(path).catch(() => remove(path).catch(() => {}))));
}

/** The same while the host is exiting, when nothing asynchronous runs any more. */
export function removeTemporaryFilesNow(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      // A thread may still be writing into it.
      rmSync(path, { force: true, recursive: true, maxRetries: 3 });
    } catch {
      // The host is going down; there is nobody left to tell.
    }
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { force: true, recursive: true });
}
