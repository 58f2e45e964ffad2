import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { createChildInput } from './child-input.ts';
import { guardExit } from './exit-guard.ts';
import { HOST_VARIABLE, ownHostMark } from './host-mark.ts';
import { countMemoryKills } from './memory-kills.ts';
import { readPipe } from './pipe-reader.ts';
import { readProcessNow } from './process-table.ts';
import { createLoneProcess, createProcessTree, type TreeRoot } from './process-tree.ts';
import { explainSpawnFailure, findDescriptorShortage, findSpawnObstacle } from './spawn-failure.ts';
import { createStderrLines } from './stderr-lines.ts';
import { createStderrTail } from './stderr-tail.ts';
import { removeTemporaryFiles, removeTemporaryFilesNow } from './temporary-files.ts';
import type { ExitReport, LaunchPlan, OpenTransport, Transport, TransportListeners, TreeReport } from './transport.ts';

/** How long the pipes of an ended CLI stay open for descendants that are kept and may still write to them. */
export const KEPT_PIPES_MS = 250;

/** Starts the CLI as a subprocess in a process group of its own. The owner ends with `killTree`, also after an exit. */
export const openSubprocess: OpenTransport = async (plan, listeners) => {
  const unguard = guardExit({ killNow: () => 0, cleanUpNow: () => removeTemporaryFilesNow(plan.temporaryFiles) });
  try {
    const obstacle = await findSpawnObstacle(plan);
    if (obstacle !== undefined) throw obstacle;
    return await start(plan, listeners);
  } catch (error) {
    await removeTemporaryFiles(plan.temporaryFiles);
    throw error;
  } finally {
    unguard();
  }
};

async function start(plan: LaunchPlan, listeners: TransportListeners): Promise<Transport> {
  const shortage = findDescriptorShortage(plan);
  if (shortage !== undefined) throw shortage;
  let child: Child;
  try {
    child = spawn(plan);
  } catch (error) {
    throw await explainSpawnFailure(plan, error);
  }
  // The promise is only for a start that failed; everything later is told by events, and nobody may find it unhandled.
  const failure = child.then(
    (result) => result.cause,
    (error: unknown) => error,
  );
  const { pid } = child;
  if (pid === undefined) throw await explainSpawnFailure(plan, await failure);
  return connect(plan, listeners, child, pid);
}

type Child = ReturnType<typeof spawn>;

function spawn(plan: LaunchPlan) {
  return execa(plan.command, plan.args, {
    cwd: plan.cwd,
    env: environmentOf(plan),
    extendEnv: false,
    stdio: 'pipe',
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    shell: false,
    // Its own process group: Ctrl-C in a terminal is ours to handle. Execa's clean-up skips such children, hence exit-guard.
    detached: process.platform !== 'win32',
    cleanup: false,
    forceKillAfterDelay: false,
    windowsHide: true,
    // Otherwise a debugging variable of the host makes execa print whole command lines (P11).
    verbose: 'none',
  });
}

/**
 * Names this process to the child, so that a later host can tell an orphan (P1). Who wants survivors gets no name: a sweep
 * could not tell the CLI from what it left on purpose.
 */
function environmentOf({ env, keepDescendants }: LaunchPlan): Record<string, string> {
  const { [HOST_VARIABLE]: _host, ...rest } = env;
  const own = keepDescendants ? undefined : ownHostMark();
  return own === undefined ? rest : { ...rest, [HOST_VARIABLE]: own };
}

function connect(plan: LaunchPlan, listeners: TransportListeners, child: Child, pid: number): Transport {
  // Once more when it speaks: a wrapper may have moved it to a group of its own before the CLI began.
  const memory = { kills: countMemoryKills(pid), isFinal: false };
  const exited = exitOf(child, () => memory.kills());
  const finished = finishOf(child, exited);
  const root = rootOf(child, pid, plan.mark);
  const output = readPipe(child.stdout, (chunk) => {
    if (!memory.isFinal) memory.kills = countMemoryKills(pid);
    memory.isFinal = true;
    listeners.output(chunk);
  });
  child.stdout.once('end', () => listeners.outputEnded?.());
  const errors = readErrors(child.stderr, plan.stderrTailBytes, (line) => listeners.stderr(line));
  const input = createChildInput(child.stdin);
  const tree = plan.keepDescendants ? createLoneProcess(root, exited) : createProcessTree(root);
  const release = (): void => void Promise.all([output.release(), errors.release()]);
  if (plan.keepDescendants) void releaseAfter(exited, finished, release);

  const unguard = guardExit({
    killNow: (table) => tree.killIn(table).length,
    cleanUpNow: () => removeTemporaryFilesNow(plan.temporaryFiles),
  });

  async function endTree(deadlineMs: number): Promise<TreeReport> {
    const report = await tree.kill(deadlineMs);
    if (report.survivors.length === 0) {
      await exited;
      unguard();
    }
    // A process that is not of the tree may have been given the pipes; nobody shall wait for that.
    if (!root.isAlive()) release();
    await removeTemporaryFiles(plan.temporaryFiles);
    return report;
  }

  let sweep: Promise<TreeReport> | undefined;
  return {
    pid,
    write: input.write,
    endInput: input.end,
    signal: (signal) => void (root.isAlive() && child.kill(signal)),
    killTree(deadlineMs) {
      sweep ??= endTree(deadlineMs).finally(() => {
        sweep = undefined;
      });
      return sweep;
    },
    exited,
    finished,
    stderrTail: errors.tail,
    pause: output.pause,
    resume: output.resume,
  };
}

function exitOf(child: Child, memoryKills: () => number): Promise<ExitReport> {
  // A signal that could not be sent is told as an 'error' event, which would end the host if nobody listened.
  child.on('error', () => {});
  return new Promise((resolve) => {
    child.once('exit', (exitCode: number | null, signal: string | null) => {
      const kills = signal === 'SIGKILL' || exitCode === 137 ? memoryKills() : 0;
      resolve(kills > 0 ? { exitCode, signal, memoryKills: kills } : { exitCode, signal });
    });
  });
}

/** Node's 'close' comes after the exit and after both pipes were read to their end, in whatever order that was (R13). */
function finishOf(child: Child, exited: Promise<ExitReport>): Promise<ExitReport> {
  return new Promise((resolve) => {
    child.once('close', () => resolve(exited));
  });
}

function rootOf(child: Child, pid: number, mark: string): TreeRoot {
  // In the turn of the spawn the status cannot have been collected yet, so the pid is certainly the child's.
  const entry = readProcessNow(pid);
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  return { pid, startTime: entry === 'unknown' ? undefined : entry?.startTime, mark, isAlive };
}

/** Drained always, so that a child that writes much there never stands still (R24). */
function readErrors(pipe: Readable, tailBytes: number, listener: (line: string) => void) {
  const tail = createStderrTail(tailBytes);
  const lines = createStderrLines(listener);
  const reader = readPipe(pipe, (chunk) => {
    tail.push(chunk);
    lines.push(chunk);
  });
  pipe.once('close', lines.end);
  return { tail: tail.text, release: reader.release };
}

async function releaseAfter(exited: Promise<unknown>, finished: Promise<unknown>, release: () => void): Promise<void> {
  await exited;
  const timer = setTimeout(release, KEPT_PIPES_MS);
  await finished;
  clearTimeout(timer);
}
