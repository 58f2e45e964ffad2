import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

/**
 * Where an absolute path leads when its links are followed, also one whose target is still to be made. What cannot be looked
 * at counts as it is written. Never rejects.
 */
export async function realPathOf(path: string, links = MAX_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const place = join(await realPathOf(parent, links), basename(path));
    // Who writes to a link that leads nowhere makes what it leads to.
    const target = links > 0 ? await readlink(place).catch(() => undefined) : undefined;
    return target === undefined ? place : realPathOf(resolve(dirname(place), target), links - 1);
  }
}
