import { constants, rmSync } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { fateOfHost, ownHostMark } from '../../transport/host-mark.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const RunFile = z.object({
  version: z.literal(1),
  url: z.string().regex(/^https?:\/\//),
  token: z.string().min(1),
  pid: z.int(),
  /** Names the process for ever, also when its pid is somebody else's by now. */
  host: z.string().optional(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  store: z.string().optional(),
});

/** What a `troupe serve` says of itself to the commands of the same user. */
export type RunFile = z.infer<typeof RunFile>;

export interface FoundServer extends RunFile {
  readonly path: string;
}

/** What was found: servers that may live, and files that are of no use, each with the reason. */
export interface RunFiles {
  readonly servers: readonly FoundServer[];
  readonly ignored: readonly { readonly path: string; readonly reason: string; readonly isStale: boolean }[];
}

/** More is no run file. */
const MAX_BYTES = 64 * 2 ** 10;
const NAME = /^serve-\d+\.json$/;

/** The folders in which run files are looked for, the first of them that in which a server writes its own. */
export function runFolders(env: Environment): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const inRuntime = runtime === undefined || runtime === '' ? [] : [join(runtime, 'troupe')];
  return [...inRuntime, join(stateFolder(env), 'run')];
}

/** Where Troupe keeps what outlives a process: `$XDG_STATE_HOME/troupe`, or `~/.local/state/troupe`. */
export function stateFolder(env: Environment): string {
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'troupe');
}

/** Writes the file of this process, for its owner alone (0600). Returns the way to take it away, also from an exit handler. */
export async function writeRunFile(
  env: Environment,
  facts: Pick<RunFile, 'url' | 'token' | 'startedAt'> & { readonly store?: string },
): Promise<() => void> {
  const [folder = stateFolder(env)] = runFolders(env);
  const path = join(folder, `serve-${process.pid}.json`);
  const host = ownHostMark();
  const content: RunFile = { version: 1, ...facts, pid: process.pid, ...(host === undefined ? {} : { host }) };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Left by an earlier process with this pid.
  rmSync(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content)}\n`);
  } finally {
    await file.close();
  }
  return () => rmSync(path, { force: true });
}

/** Reads the run files of this user. Never rejects. */
export async function findRunFiles(env: Environment): Promise<RunFiles> {
  const servers: FoundServer[] = [];
  const ignored: { path: string; reason: string; isStale: boolean }[] = [];
  for (const folder of new Set(runFolders(env))) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => NAME.test(one)).toSorted()) {
      const path = join(folder, name);
      const read = await readRunFile(path);
      if (typeof read === 'string') ignored.push({ path, reason: read, isStale: false });
      else if (isGone(read)) ignored.push({ path, reason: `its server (pid ${read.pid}) is gone`, isStale: true });
      else servers.push({ ...read, path });
    }
  }
  return { servers: servers.toSorted((one, other) => one.startedAt - other.startedAt), ignored };
}

/** Takes away the files of servers that are certainly gone. */
export async function removeStaleRunFiles(env: Environment): Promise<void> {
  const { ignored } = await findRunFiles(env);
  for (const { path, isStale } of ignored) if (isStale) rmSync(path, { force: true });
}

/** The content, or why it is not believed: whoever else could have written it could have the token sent anywhere (P11). */
async function readRunFile(path: string): Promise<RunFile | string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { mode, size, uid } = await file.stat();
      const folder = await stat(dirname(path));
      const own = process.getuid?.();
      if (own !== undefined && (uid !== own || folder.uid !== own)) return 'it is somebody else’s';
      if ((mode & constants.S_IFMT) !== constants.S_IFREG || size > MAX_BYTES) return 'it is no run file';
      if ((mode & 0o077) !== 0) return 'others may read or write it';
      return RunFile.parse(JSON.parse(await file.readFile('utf8')));
    } finally {
      await file.close();
    }
  } catch {
    return 'it cannot be read';
  }
}

function isGone({ host, pid }: RunFile): boolean {
  if (host !== undefined && fateOfHost(host) !== 'unknown') return fateOfHost(host) === 'gone';
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
