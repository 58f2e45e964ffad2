import { ChildInput } from './child-input.ts';
import { startDirectly } from './direct-child.ts';
import { type Guarded, guardExit } from './exit-guard.ts';
import { HOST_VARIABLE, ownHostMark } from './host-mark.ts';
import { countMemoryKills } from './memory-kills.ts';
import { PipeReader } from './pipe-reader.ts';
import type { ProcessTable } from './process-table.ts';
import { createLoneProcess, createProcessTree, type ProcessTree, type TreeRoot } from './process-tree.ts';
import { explainSpawnFailure, findDescriptorShortage, findSpawnObstacle } from './spawn-failure.ts';
import type { StartChild, StartedChild } from './started-child.ts';
import { StderrLines } from './stderr-lines.ts';
import { StderrTail } from './stderr-tail.ts';
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
  return new SubprocessTransport(plan, listeners, child);
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

/** A class, because a host has hundreds: what a process that is idle costs is its fields, and hardly a closure. */
class SubprocessTransport implements Transport, Guarded {
  readonly pid: number;
  readonly exited: Promise<ExitReport>;
  readonly finished: Promise<ExitReport>;
  readonly #child: StartedChild;
  readonly #listeners: TransportListeners;
  readonly #temporaryFiles: readonly string[];
  readonly #input: ChildInput;
  readonly #output: PipeReader;
  readonly #errors: PipeReader;
  readonly #tail: StderrTail;
  readonly #root: TreeRoot;
  readonly #tree: ProcessTree;
  readonly #unguard: () => void;
  #memoryKills: () => number;
  #hasSpoken = false;
  #sweep: Promise<TreeReport> | undefined;

  constructor(plan: LaunchPlan, listeners: TransportListeners, child: StartedChild) {
    const { pid } = child;
    // Not the plan itself: its environment would be kept as long as the process lives.
    const { temporaryFiles, keepDescendants, stderrTailBytes, mark } = plan;
    this.pid = pid;
    this.#child = child;
    this.#listeners = listeners;
    this.#temporaryFiles = temporaryFiles;
    // Once more when it speaks: a wrapper may have moved it to a group of its own before the CLI began.
    this.#memoryKills = countMemoryKills(pid);
    this.exited = child.exited.then((exit) => withMemoryKills(exit, () => this.#memoryKills()));
    this.finished = finishOf(child, this.exited);
    this.#root = { pid, startTime: child.startTime, mark, isAlive: child.isAlive };
    this.#output = new PipeReader(child.stdout, (chunk) => this.#hear(chunk));
    child.stdout.on('end', () => listeners.outputEnded?.());
    // Drained always, so that a child that writes much there never stands still (R24).
    const lines = new StderrLines((line) => listeners.stderr(line));
    this.#tail = new StderrTail(stderrTailBytes);
    this.#errors = new PipeReader(child.stderr, (chunk) => {
      this.#tail.push(chunk);
      lines.push(chunk);
    });
    child.stderr.on('close', () => lines.end());
    this.#input = new ChildInput(child.stdin);
    this.#tree = keepDescendants ? createLoneProcess(this.#root, this.exited) : createProcessTree(this.#root);
    if (keepDescendants) void releaseAfter(this.exited, this.finished, () => this.#release());
    this.#unguard = guardExit(this);
  }

  write(line: string): Promise<void> {
    return this.#input.write(line);
  }

  endInput(): void {
    this.#input.end();
  }

  signal(signal: 'SIGTERM' | 'SIGINT'): void {
    this.#child.signal(signal);
  }

  killTree(deadlineMs: number): Promise<TreeReport> {
    this.#sweep ??= this.#endTree(deadlineMs).finally(() => {
      this.#sweep = undefined;
    });
    return this.#sweep;
  }

  stderrTail(): string {
    return this.#tail.text();
  }

  pause(): void {
    this.#output.pause();
  }

  resume(): void {
    this.#output.resume();
  }

  killNow(table: ProcessTable): number {
    return this.#tree.killIn(table).length;
  }

  cleanUpNow(): void {
    removeTemporaryFilesNow(this.#temporaryFiles);
  }

  #hear(chunk: Buffer): void {
    if (!this.#hasSpoken) this.#memoryKills = countMemoryKills(this.pid);
    this.#hasSpoken = true;
    this.#listeners.output(chunk);
  }

  async #endTree(deadlineMs: number): Promise<TreeReport> {
    const report = await this.#tree.kill(deadlineMs);
    if (report.survivors.length === 0) {
      await this.exited;
      this.#unguard();
    }
    // A process that is not of the tree may have been given the pipes; nobody shall wait for that.
    if (!this.#root.isAlive()) this.#release();
    await removeTemporaryFiles(this.#temporaryFiles);
    return report;
  }

  #release(): void {
    void this.#output.release();
    void this.#errors.release();
  }
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

async function releaseAfter(exited: Promise<unknown>, finished: Promise<unknown>, release: () => void): Promise<void> {
  await exited;
  const timer = setTimeout(release, KEPT_PIPES_MS);
  await finished;
  clearTimeout(timer);
}
