import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));
const DEMO = fileURLToPath(new URL('../../../dist/src/cli/demo/main.js', import.meta.url));
const TERMINAL = fileURLToPath(new URL('./terminal.py', import.meta.url));

const started = new Set<ChildProcess>();

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when stdout holds the text, behind everything that was seen before. */
  saw(text: string): Promise<void>;
  /** What stdout holds by now. */
  said(): string;
  /** Types on the terminal of `troupeOnTerminal`. */
  type(keys: string): void;
}

/** The built command as a person runs it: a process of its own. */
export function troupe(
  args: readonly string[],
  options: { env: Record<string, string>; input?: string; keepsInput?: boolean },
): Running {
  const input = options.keepsInput === true ? undefined : (options.input ?? '');
  return follow(spawn(process.execPath, [MAIN, ...args], { env: options.env, stdio: 'pipe' }), input);
}

/** The same on a terminal: its stdout holds everything that the terminal shows. */
export function troupeOnTerminal(args: readonly string[], env: Record<string, string>): Running {
  const { error } = spawnSync('python3', ['--version'], { env });
  if (error !== undefined) throw new Error('These tests need python3, which makes the terminal.', { cause: error });
  return follow(spawn('python3', [TERMINAL, process.execPath, MAIN, ...args], { env, stdio: 'pipe' }), undefined);
}

export function demo(env: Record<string, string>, args: readonly string[] = []): Running {
  return follow(spawn(process.execPath, [DEMO, ...args], { env, stdio: 'pipe' }), '');
}

/** Command lines of the live processes of any session that runs in this home. */
export function sessionProcesses(home: string): string[] {
  return inSessions((it) => it === home).map(({ command }) => command);
}

/** Ends what a failed test has left: what it started itself, and the sessions with a home below this folder. */
export function endStragglers(folder: string): void {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
  for (const { pid } of inSessions((home) => home.startsWith(`${folder}/`))) process.kill(pid, 'SIGKILL');
}

/** Read from /proc, independently of the code under test. */
function inSessions(isWanted: (home: string) => boolean): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
        const home = environment.find((it) => it.startsWith('HOME='))?.slice('HOME='.length);
        const isSession = environment.some((it) => it.startsWith('TROUPE_SESSION='));
        const isZombie = /^State:\s+[ZX]/m.test(readFileSync(`/proc/${name}/status`, 'utf8'));
        if (!isSession || isZombie || home === undefined || !isWanted(home)) return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
      } catch {
        return [];
      }
    });
}

function follow(
  child: ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  input: string | undefined,
): Running {
  started.add(child);
  let stdout = '';
  let stderr = '';
  let seenTo = 0;
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const look of watchers) look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  if (input !== undefined) child.stdin.end(input);
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => {
      started.delete(child);
      resolve({ code, stdout, stderr });
      for (const look of watchers) look();
    });
  });
  const saw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        const at = stdout.indexOf(text, seenTo);
        if (at < 0 && child.exitCode === null) return;
        watchers.delete(look);
        if (at < 0) return reject(new Error(`It ended without "${text}": ${stdout}${stderr}`));
        seenTo = at + text.length;
        resolve();
      };
      watchers.add(look);
      look();
    });
  return { child, finished, saw, said: () => stdout, type: (keys) => void child.stdin.write(keys) };
}
