import { freemem, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { activeTrace } from '../launch/active-trace.ts';
import { ownedFolderPrefix } from '../transport/owned-folder.ts';

/** What a child process may inherit from the one that runs Troupe; read anew at every start, never kept. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The Node executable, for a CLI that is a script. */
  readonly execPath: string;
  /** How the names of temporary folders begin, so that those of a host that is gone are known. */
  readonly folderPrefix: string;
  /** The active span, as variables. */
  readonly trace: Readonly<Record<string, string>>;
}

export function currentHost(): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    execPath: process.execPath,
    folderPrefix: ownedFolderPrefix('troupe-'),
    trace: activeTrace(),
  };
}

/** Where the temporary folders of this process are. */
export function temporaryFolder(): string {
  return resolve(process.cwd(), tmpdir());
}

/** Bytes that are free, as far as the system says; what it could give up at once is not counted everywhere. */
export function platformFreeMemory(): number {
  // Newer than the oldest Node of ours.
  return typeof process.availableMemory === 'function' ? process.availableMemory() : freemem();
}
