import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TroupeError } from '../errors.ts';

export interface PrivateFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Writes files that this user alone may read (0600) into a new folder of this user's (0700). Resolves with their paths in
 * order and, last, the folder's. Throws SPAWN_FAILED when they cannot be written, and then leaves nothing behind. At once:
 * a thread that is just making the folder while the host exits would leave it to nobody (P11).
 */
export function writePrivateFiles(
  parent: string,
  files: readonly PrivateFile[],
  prefix = 'troupe-',
): readonly string[] {
  if (files.length === 0) return [];
  let folder: string | undefined;
  try {
    const made = mkdtempSync(join(parent, prefix));
    folder = made;
    const paths = files.map(({ name, content }) => {
      const path = join(made, name);
      writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
      return path;
    });
    return [...paths, made];
  } catch (error) {
    if (folder !== undefined) removeQuietly(folder);
    const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new TroupeError('SPAWN_FAILED', {
      reason: `Its private files could not be written (${errno}).`,
      cause: error,
      details: { folder: folder ?? parent, errno },
    });
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Why it could not be written is what is told.
  }
}
