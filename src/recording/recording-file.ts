import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { TroupeError } from '../errors.ts';

/** What a recording is written to. */
export interface RecordingFile {
  readonly path: string;
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes the file; rejects with what the system says, or with INVALID_OPTIONS where there is no name left. */
export type OpenRecordingFile = (path: string, options: { readonly replaces: boolean }) => Promise<RecordingFile>;

const OWNER_ONLY = 0o600;
const FOLDER_OF_OWNER = 0o700;
/** Whoever has more recordings of one name should look into the first. */
const MOST_OF_A_NAME = 1_000;

/**
 * Makes a file that nobody else may read. One that is there stays as it is, and the new one gets a number: `run-2.ndjson`;
 * with `replaces` it is removed. What is there and no file, as a folder or a device, is refused: nobody would look beside it.
 */
export const openRecordingFile: OpenRecordingFile = async (path, { replaces }) => {
  await refuseOther(path);
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_OF_OWNER });
  if (replaces) await removeOrdinary(path);
  for (let number = 1; number <= MOST_OF_A_NAME; number += 1) {
    const free = numbered(path, number);
    const handle = await openNew(free);
    if (handle !== undefined) return fileOf(free, handle);
  }
  throw new TroupeError('INVALID_OPTIONS', { reason: `There are ${MOST_OF_A_NAME} recordings with the name ${path}.` });
};

function fileOf(path: string, handle: FileHandle): RecordingFile {
  return {
    path,
    append: async (text) => void (await handle.appendFile(text)),
    close: () => handle.close(),
  };
}

/** Undefined where the name is taken, also by a link to nowhere. */
async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL, OWNER_ONLY);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  }
}

async function refuseOther(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'no ordinary file';
  throw new TroupeError('INVALID_OPTIONS', { reason: `${path} is ${what}; a session is recorded into a file.` });
}

async function removeOrdinary(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() === true || found?.isSymbolicLink() === true) await rm(path);
}

function numbered(path: string, number: number): string {
  if (number === 1) return path;
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}-${number}${ext}`);
}
