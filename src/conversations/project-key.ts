import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Longest part of a path that a project folder is named by. */
const KEPT_CHARACTERS = 200;

/** The path with everything but letters and digits replaced: the start of the CLI's name for its project folder (WIRE §12). */
export function plainKey(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, '-');
}

/**
 * The CLI's name for the project folder of a working directory. A long path is cut and told apart by a hash; the CLI's
 * runtime may hash otherwise, so a folder on disk is found by `isLongKey` and a look at its transcripts.
 */
export function projectKeyOf(path: string): string {
  const key = plainKey(path);
  return isLongKey(key) ? `${key.slice(0, KEPT_CHARACTERS)}-${hashOf(path)}` : key;
}

export function isLongKey(plain: string): boolean {
  return plain.length > KEPT_CHARACTERS;
}

/** The start that every project folder of this long path has, whatever hash follows. */
export function longKeyPrefix(plain: string): string {
  return `${plain.slice(0, KEPT_CHARACTERS)}-`;
}

/** Absolute, without links, its letters as the file system spells them: so the CLI sees it. A missing folder stays as it is. */
export async function canonicalPath(path: string, cwd: string): Promise<string> {
  const absolute = resolve(cwd, path);
  return realpath(absolute).catch(() => absolute);
}

/** djb2 over UTF-16 units in 32 bits, in base 36: the same on every runtime. */
function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return Math.abs(hash).toString(36);
}
