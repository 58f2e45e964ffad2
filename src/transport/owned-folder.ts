import { readdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { guardExit } from './exit-guard.ts';
import { fateOfProcess, ownHostMark, ownPlaceDigest } from './host-mark.ts';
import { removeTemporaryFiles, removeTemporaryFilesNow } from './temporary-files.ts';

const OWNED = /^troupe-(?:[a-z]+-)?h(\d{1,10})\.(\d{1,20})\.([0-9a-f]{12})-/;

/**
 * The beginning of the name of a temporary folder, which says who made it: the files in it may hold secrets, and a host
 * that is killed cannot remove them. Plain where the host cannot be named; such a folder is nobody's to remove.
 */
export function ownedFolderPrefix(prefix: 'troupe-' | 'troupe-resume-'): string {
  const [pid, startTime] = (ownHostMark() ?? '').split(':');
  const place = ownPlaceDigest();
  return pid === undefined || startTime === undefined || place === undefined
    ? prefix
    : `${prefix}h${pid}.${startTime}.${place}-`;
}

/**
 * Removes every folder of this process when it exits. For the time in which a folder is already there and whoever is to
 * remove it does not know it yet. Returns the function that lifts the guard.
 */
export function guardOwnFolders(parent: () => string): () => void {
  return guardExit({ killNow: () => 0, cleanUpNow: () => removeTemporaryFilesNow(ownFoldersIn(parent())) });
}

function ownFoldersIn(parent: string): string[] {
  const prefixes = [ownedFolderPrefix('troupe-'), ownedFolderPrefix('troupe-resume-')];
  // Without a host in it the beginning of a name says nothing.
  const own = prefixes.filter((prefix) => OWNED.test(prefix));
  try {
    const names = readdirSync(parent).filter((name) => own.some((prefix) => name.startsWith(prefix)));
    return names.map((name) => join(parent, name));
  } catch {
    return [];
  }
}

/**
 * Removes the temporary folders whose host is gone, of this user and of this place only (P11). Returns their paths. Never
 * rejects: what cannot be removed is left for the next time.
 */
export async function removeAbandonedFolders(parent: string): Promise<readonly string[]> {
  const names = await readdir(parent).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names) {
    if (isAbandoned(name) && (await isOurs(join(parent, name)))) abandoned.push(join(parent, name));
  }
  await removeTemporaryFiles(abandoned);
  return abandoned;
}

function isAbandoned(name: string): boolean {
  const [, pid, startTime, place] = OWNED.exec(name) ?? [];
  if (pid === undefined || startTime === undefined || place !== ownPlaceDigest()) return false;
  return fateOfProcess(Number(pid), startTime) === 'gone';
}

/** In a folder that everybody may write to, a name proves nothing. */
async function isOurs(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && status.uid === process.getuid?.();
}
