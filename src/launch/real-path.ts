import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Where an absolute path leads when its links are followed, as far as it exists. What cannot be looked at counts as it is
 * written. Never rejects.
 */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}
