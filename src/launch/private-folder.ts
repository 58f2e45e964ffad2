import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TroupeError } from '../errors.ts';

export interface PrivateFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Writes files that this user alone may read (0600) into a new folder of this user's (0700). Resolves with their paths in
 * order and, last, the folder's. Rejects with SPAWN_FAILED when they cannot be written, and then leaves nothing behind.
 */
export async function writePrivateFiles(
  parent: string,
  files: readonly PrivateFile[],
  prefix = 'troupe-',
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  let folder: string | undefined;
  try {
    const made = await mkdtemp(join(parent, prefix));
    folder = made;
    const paths = files.map(({ name }) => join(made, name));
    await Promise.all(
      files.map(({ content }, index) => writeFile(paths[index] ?? made, content, { mode: 0o600, flag: 'wx' })),
    );
    return [...paths, made];
  } catch (error) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
    const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new TroupeError('SPAWN_FAILED', {
      reason: `Its private files could not be written (${errno}).`,
      cause: error,
      details: { folder: folder ?? parent, errno },
    });
  }
}
