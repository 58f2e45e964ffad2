import type { Readable } from 'node:stream';
import { createChildInput } from './child-input.ts';
import { startDirectly } from './direct-child.ts';
import { guardExit } from './exit-guard.ts';
import { HOST_VARIABLE, ownHostMark } from './host-mark.ts';
import { countMemoryKills } from './memory-kills.ts';
import { readPipe } from './pipe-reader.ts';
import { createLoneProcess, createProcessTree, type TreeRoot } from './process-tree.ts';
import { explainSpawnFailure, findDescriptorShortage, findSpawnObstacle } from './spawn-failure.ts';
import type { StartChild, StartedChild } from './started-child.ts';
import { createStderrLines } from './stderr-lines.ts';
import { createStderrTail } from './stderr-tail.ts';
import { removeTemporaryFiles, removeTemporaryFilesNow } from './temporary-files.ts';
import type { ExitReport, LaunchPlan, OpenTransport, Transport, TransportListeners, TreeReport } from './transport.ts';

/** How long the pipes of an ended CLI stay open for descendants that are kept and may still write to them. */
export const KEPT_PIPES_MS = 250;

/** Starts the CLI as a subprocess in a process group of its own. The owner ends with `killTree`, also after an exit. */
export const openSubprocess: OpenTransport = (plan, listeners) => openBy(startDirectly, plan, listeners);

/** The same, with the process started in the way that is given. */
export async function openBy(
  startChild: StartChild,
  plan: LaunchPlan,
  listeners: TransportListeners,
): Promise<Transport> {
  const unguard = guardExit({ killNow: () => 0, cleanUpNow: () => removeTemporaryFilesNow(plan.temporaryFiles) });
  try {
    const obstacle = await findSpawnObstacle(plan);
    if (obstacle !== undefined) throw obstacle;
    return await start(plan, listeners, startChild);
  } catch (error) {
    await removeTemporaryFiles(plan.temporaryFiles);
    throw error;
  } finally {
    unguard();
  }
}

async function start(plan: LaunchPlan, listeners: TransportListeners, startChild: StartChild): Promise<Transport> {
  const shortage = findDescriptorShortage(plan);
  if (shortage !== undefined) throw shortage;
  const child = await startChild(plan, environmentOf(plan)).catch(async (error: unknown) => {
    throw await explainSpawnFailure(plan, error);
  });
  return connect(plan, listeners, child);
}

/**
 * Names this process to the child, so that a later host can tell an orphan (P1). Who wants survivors gets no name: a sweep
 * could not tell the CLI from what it left on purpose.
 */
function environmentOf({ env, keepDescendants }: LaunchPlan): Record<string, string> {
  const own = keepDescendants ? undefined : ownHostMark();
  const variables = { ...env };
  if (own === undefined) delete variables[HOST_VARIABLE];
  else variables[HOST_VARIABLE] = own;
  return variables;
}

function connect(plan: LaunchPlan, listeners: TransportListeners, child: StartedChild): Transport {
  const { pid } = child;
  // Not the plan itself: its environment would be kept as long as the process lives.
  const { temporaryFiles, keepDescendants, stderrTailBytes, mark } = plan;
  // Once more when it speaks: a wrapper may have moved it to a group of its own before the CLI began.
  const memory = { kills: countMemoryKills(pid), isFinal: false };
  const exited = child.exited.then((exit) => withMemoryKills(exit, () => memory.kills()));
  const finished = finishOf(child, exited);
  const root: TreeRoot = { pid, startTime: child.startTime, mark, isAlive: child.isAlive };
  const output = readPipe(child.stdout, (chunk) => {
    if (!memory.isFinal) memory.kills = countMemoryKills(pid);
    memory.isFinal = true;
    listeners.output(chunk);
  });
  child.stdout.on('end', () => listeners.outputEnded?.());
  const errors = readErrors(child.stderr, stderrTailBytes, (line) => listeners.stderr(line));
  const input = createChildInput(child.stdin);
  const tree = keepDescendants ? createLoneProcess(root, exited) : createProcessTree(root);
  const release = (): void => void Promise.all([output.release(), errors.release()]);
  if (keepDescendants) void releaseAfter(exited, finished, release);

  const unguard = guardExit({
    killNow: (table) => tree.killIn(table).length,
    cleanUpNow: () => removeTemporaryFilesNow(temporaryFiles),
  });

  async function endTree(deadlineMs: number): Promise<TreeReport> {
    const report = await tree.kill(deadlineMs);
    if (report.survivors.length === 0) {
      await exited;
      unguard();
    }
    // A process that is not of the tree may have been given the pipes; nobody shall wait for that.
    if (!root.isAlive()) release();
    await removeTemporaryFiles(temporaryFiles);
    return report;
  }

  let sweep: Promise<TreeReport> | undefined;
  return {
    pid,
    write: input.write,
    endInput: input.end,
    signal: child.signal,
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

function withMemoryKills(exit: ExitReport, memoryKills: () => number): ExitReport {
  const kills = exit.signal === 'SIGKILL' || exit.exitCode === 137 ? memoryKills() : 0;
  return kills > 0 ? { ...exit, memoryKills: kills } : exit;
}

/** After the exit and after both pipes were read to their end, in whatever order that was (R13). */
function finishOf({ stdin, stdout, stderr }: StartedChild, exited: Promise<ExitReport>): Promise<ExitReport> {
  return new Promise((resolve) => {
    const open = [stdin, stdout, stderr].filter((stream) => !stream.closed);
    let left = open.length;
    const closed = (): void => {
      left -= 1;
      if (left <= 0) resolve(exited);
    };
    for (const stream of open) stream.on('close', closed);
    if (open.length === 0) resolve(exited);
  });
}

/** Drained always, so that a child that writes much there never stands still (R24). */
function readErrors(pipe: Readable, tailBytes: number, listener: (line: string) => void) {
  const tail = createStderrTail(tailBytes);
  const lines = createStderrLines(listener);
  const reader = readPipe(pipe, (chunk) => {
    tail.push(chunk);
    lines.push(chunk);
  });
  pipe.on('close', lines.end);
  return { tail: tail.text, release: reader.release };
}

async function releaseAfter(exited: Promise<unknown>, finished: Promise<unknown>, release: () => void): Promise<void> {
  await exited;
  const timer = setTimeout(release, KEPT_PIPES_MS);
  await finished;
  clearTimeout(timer);
}
