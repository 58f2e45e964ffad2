import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SOURCE = fileURLToPath(new URL('fake-cli.c', import.meta.url));
const run = promisify(execFile);

/** The CLI of the benchmark, compiled into a folder of its own; `dispose` removes that. Throws `NoCompiler` where there is no C compiler. */
export async function compileFakeCli() {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const dispose = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'fake-cli');
  try {
    await compiled(path);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { path, folder, dispose };
}

/** Static where the system has a static C library: such a program is up in a third of the time, so that less of it is measured. */
async function compiled(path) {
  const compiler = process.env['CC'] ?? 'cc';
  const given = ['-O2', '-o', path, SOURCE];
  try {
    await run(compiler, ['-static', ...given]);
  } catch (error) {
    if (error.code === 'ENOENT') throw new NoCompiler(compiler, error);
    await run(compiler, given);
  }
}

/** Says what to install. */
export class NoCompiler extends Error {
  constructor(compiler, cause) {
    super(
      `There is no C compiler \`${compiler}\`, and the CLI of the benchmark is written in C. Install one (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install), or name it: CC=clang npm run bench.`,
      { cause },
    );
  }
}
