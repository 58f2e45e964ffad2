import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HOST_VARIABLE } from './host-mark.ts';
import { forgetRoot, rememberRoot } from './living-roots.ts';
import { SESSION_VARIABLE } from './proc-files.ts';
import { readProcessNow } from './process-table.ts';
import type { StartChild, StartedChild } from './started-child.ts';
import type { ExitReport } from './transport.ts';

/** Starts the process as a child of this one, in a process group of its own: Ctrl-C in a terminal is ours to handle. */
export const startDirectly: StartChild = async (plan, env) => {
  if (process.platform === 'win32') return startByExeca(plan, env);
  const { command, args, cwd } = plan;
  const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true });
  // Before anything is awaited: whatever else it tells is told in a later turn.
  const failure = failureOf(child);
  if (child.pid === undefined) throw await failure;
  return connected(child, child.pid, env);
};

/** How a program is found, quoted and started on Windows is execa's to know; it is loaded where that is needed. */
export const startByExeca: StartChild = async ({ command, args, cwd }, env) => {
  const { execa } = await import('execa');
  const child = execa(command, args, {
    cwd,
    env,
    extendEnv: false,
    stdio: 'pipe',
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    shell: false,
    cleanup: false,
    forceKillAfterDelay: false,
    windowsHide: true,
    // Otherwise a debugging variable of the host makes execa print whole command lines (P11).
    verbose: 'none',
  });
  // The promise is only for a start that failed; everything later is told by events, and nobody may find it unhandled.
  const failure = child.then(
    (result) => result.cause,
    (error: unknown) => error,
  );
  // A signal that could not be sent is told as an 'error' event, which would end the host if nobody listened.
  child.on('error', () => {});
  if (child.pid === undefined) throw await failure;
  return connected(child, child.pid, env);
};

/** What both ways of starting make. */
interface Child extends Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill' | 'on'> {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Resolves with the error of a start that failed; listens for good, because a signal that could not be sent is told as one, too. */
function failureOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    child.on('error', resolve);
  });
}

function connected(child: Child, pid: number, env: Readonly<Record<string, string>>): StartedChild {
  // In the turn of the spawn the status cannot have been collected yet, so the pid is certainly the child's.
  const entry = readProcessNow(pid);
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  if (entry !== undefined && entry !== 'unknown') {
    rememberRoot({ entry: { ...entry, mark: env[SESSION_VARIABLE], host: env[HOST_VARIABLE] }, isAlive });
    child.on('exit', () => forgetRoot(pid));
  }
  return {
    pid,
    startTime: entry === 'unknown' ? undefined : entry?.startTime,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: exitOf(child),
    isAlive,
    signal: (signal) => void (isAlive() && child.kill(signal)),
  };
}

function exitOf(child: Child): Promise<ExitReport> {
  return new Promise((resolve) => {
    child.on('exit', (exitCode: number | null, signal: string | null) => resolve({ exitCode, signal }));
  });
}
