import { access, constants, mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const PACKAGE = '@anthropic-ai/claude-code';
/** Without its install script the package holds a placeholder of some hundred bytes where the binary would be. */
const PLACEHOLDER_MAX_BYTES = 4_096;

/**
 * The absolute path of the `claude` binary that is installed beside this package or in the project around the working
 * directory; undefined when there is none for this platform. The platform package is asked first, so it is found although
 * install scripts were not allowed to run.
 */
export async function findRealCli(): Promise<string | undefined> {
  const starts = [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href];
  for (const start of starts) {
    const main = packageFolder(start, PACKAGE);
    // The platform package may be visible only from the main one, as with pnpm.
    const places = main === undefined ? [start] : [join(main, 'package.json'), start];
    const platform = places.map((place) => packageFolder(place, platformPackage())).find((it) => it !== undefined);
    const candidates = [
      platform === undefined ? undefined : join(platform, process.platform === 'win32' ? 'claude.exe' : 'claude'),
      main === undefined ? undefined : join(main, 'bin', 'claude.exe'),
    ];
    for (const candidate of candidates) {
      if (candidate !== undefined && (await isProgram(candidate))) return candidate;
    }
  }
  return undefined;
}

/** A place of its own for a CLI: nothing of the user's settings, credentials or sessions reaches it. */
export interface RealCliHome extends AsyncDisposable {
  /** The whole environment of the child: `HOME`, `CLAUDE_CONFIG_DIR`, `TMPDIR` in here, and the `PATH` of this process. */
  readonly env: Record<string, string>;
  readonly home: string;
  readonly configDir: string;
  /** An empty working directory. */
  readonly cwd: string;
  /** Removes all of it. Call it when the CLI has exited. Idempotent. */
  dispose(): Promise<void>;
}

/** Makes a fresh home, configuration folder, temporary folder and working directory, readable by this user alone (0700). */
export async function realCliHome(): Promise<RealCliHome> {
  // The CLI reports real paths; where the temporary folder is a link, the two would not compare.
  const root = await mkdtemp(join(await realpath(tmpdir()), 'troupe-cli-'));
  const [home, configDir, cwd, temporary] = [
    join(root, 'home'),
    join(root, 'config'),
    join(root, 'cwd'),
    join(root, 'tmp'),
  ];
  await Promise.all([home, configDir, cwd, temporary].map((folder) => mkdir(folder, { mode: 0o700 })));
  const dispose = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return {
    env: { ...kept(), HOME: home, CLAUDE_CONFIG_DIR: configDir, TMPDIR: temporary },
    home,
    configDir,
    cwd,
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** The variables without which no program runs: the search path, and on Windows the place of the system. */
function kept(): Record<string, string> {
  const names = ['PATH', 'SystemRoot', 'ComSpec', 'PATHEXT'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function platformPackage(): string {
  return `${PACKAGE}-${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
}

/** Node names the glibc it runs on; on musl there is none to name. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}

function packageFolder(from: string, name: string): string | undefined {
  try {
    return dirname(createRequire(from).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    const file = await stat(path);
    await access(path, constants.X_OK);
    return file.isFile() && file.size > PLACEHOLDER_MAX_BYTES;
  } catch {
    return false;
  }
}
