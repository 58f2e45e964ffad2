import { accessSync, constants, existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { type ErrorCode, TroupeError } from '../../errors.ts';

/** Primary result codes of SQLite, and what each means for who writes. */
const MEANING: Readonly<Record<number, ErrorCode>> = {
  8: 'STORE_READ_ONLY',
  11: 'STORE_DAMAGED',
  13: 'STORE_FULL',
  26: 'STORE_DAMAGED',
};

/** Primary result codes. */
export const BUSY = 5;
const CANNOT_OPEN = 14;

/** Primary result codes by name. */
const NAMED: Readonly<Record<string, number>> = {
  BUSY,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: CANNOT_OPEN,
  CONSTRAINT: 19,
  NOTADB: 26,
};

/** Primary result codes in SQLite's own words. */
const WORDED: readonly (readonly [words: string, code: number])[] = [
  ['database is locked', BUSY],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', CANNOT_OPEN],
  ['file is not a database', 26],
];

/** What the system calls a disk that is full, and a file that may not be written. */
const SYSTEM_MEANING: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'STORE_FULL',
  EDQUOT: 'STORE_FULL',
  EFBIG: 'STORE_FULL',
  EACCES: 'STORE_READ_ONLY',
  EPERM: 'STORE_READ_ONLY',
  EROFS: 'STORE_READ_ONLY',
};

/** A failure of SQLite or of the file system as one of ours; one of ours stays as it is. */
export function storeFailure(error: unknown, path: string): TroupeError {
  if (error instanceof TroupeError) return error;
  const code = SYSTEM_MEANING[systemCodeOf(error)] ?? MEANING[resultCodeOf(error)] ?? 'STORE_UNREACHABLE';
  return new TroupeError(code, {
    reason: error instanceof Error ? `${error.message}.` : undefined,
    cause: error,
    details: { path, sqliteCode: resultCodeOf(error) },
  });
}

/** SQLite does not say why a file cannot be opened for writing. Trying what it tried does. */
export function openFailure(error: unknown, path: string): TroupeError {
  if (error instanceof TroupeError || resultCodeOf(error) !== CANNOT_OPEN) return storeFailure(error, path);
  try {
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    // Never the file of the lock itself: closing it would end the lock of a store that this process has open.
    rmdirSync(mkdtempSync(`${path}-probe-`));
  } catch (reason) {
    return storeFailure(reason, path);
  }
  return storeFailure(error, path);
}

/** To read a file with a write-ahead log, SQLite makes two files beside it, unless a writer has it open. */
export function readFailure(error: unknown, path: string): TroupeError {
  if (error instanceof TroupeError || resultCodeOf(error) !== CANNOT_OPEN || !existsSync(path))
    return storeFailure(error, path);
  return new TroupeError('STORE_UNREACHABLE', {
    reason:
      'SQLite makes files beside it to read it. Where its folder cannot be written, copy it to one that can, and read the copy.',
    cause: error,
    details: { path, sqliteCode: CANNOT_OPEN },
  });
}

/** Who only reads makes no file. Throws `STORE_UNREACHABLE`. */
export function expectFile(path: string): void {
  if (existsSync(path)) return;
  throw new TroupeError('STORE_UNREACHABLE', { reason: `There is no file ${path}.`, details: { path } });
}

/** The primary result code of SQLite; 0 when the error is none of its own. */
export function resultCodeOf(error: unknown): number {
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? error.errcode : 0;
  if (typeof code === 'number' && code !== 0) return code & 0xff;
  // As better-sqlite3 says it: the primary name, perhaps with what is known beyond it.
  const primary = /^SQLITE_([A-Z]+)/.exec(systemCodeOf(error))?.[1];
  if (primary !== undefined) return NAMED[primary] ?? 0;
  return systemCodeOf(error) === 'ERR_SQLITE_ERROR' ? worded(error) : 0;
}

/** @photostructure/sqlite 1.2.1 says the code of what fails, except while it reads many rows: there it has only the words. */
function worded(error: unknown): number {
  const message = error instanceof Error ? error.message : '';
  return WORDED.find(([words]) => message.startsWith(words))?.[1] ?? 0;
}

function systemCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
