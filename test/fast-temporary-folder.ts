import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the pure specs have their temporary files: hosts that are never shut down do not remove those of their processes in memory. */
export const FAST_TEMPORARY_FOLDER = join(tmpdir(), `troupe-fast-${process.pid}`);

export default function makeTemporaryFolder(): () => void {
  mkdirSync(FAST_TEMPORARY_FOLDER, { mode: 0o700 });
  return () => rmSync(FAST_TEMPORARY_FOLDER, { recursive: true, force: true });
}
