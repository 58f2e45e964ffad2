import type { Socket } from 'node:net';
import { fateOfProcess, type HostFate } from './host-mark.ts';
import type { StartedChild } from './started-child.ts';
import type { ExitReport } from './transport.ts';

/** Between two looks at a process whose end nobody will tell; real time, as in `process-tree.ts`. */
const LOOK_MS = 100;

export interface SpawnedChildParts {
  readonly pid: number;
  readonly startTime: string | undefined;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Its end was seen, and not told yet. */
  readonly onGone: () => void;
}

/** A process that the spawner started: its parent is the spawner, its pipes are ours. */
export class SpawnedChild implements StartedChild {
  readonly pid: number;
  readonly startTime: string | undefined;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly exited: Promise<ExitReport>;
  readonly #parts: SpawnedChildParts;
  #tellExit: (exit: ExitReport) => void = () => {};
  #hasEnded = false;
  #isOrphan = false;
  #wasSeenGone = false;

  constructor(parts: SpawnedChildParts) {
    const { pid, startTime, stdin, stdout, stderr } = parts;
    this.#parts = parts;
    this.pid = pid;
    this.startTime = startTime;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.exited = new Promise((resolve) => {
      this.#tellExit = resolve;
    });
    // A process that closed its output may have ended.
    stdout.once('close', () => this.isAlive());
  }

  /** The spawner collected its status. */
  ended(exit: ExitReport): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Nobody reads it any more; what was not written fails now.
    this.stdin.destroy();
    this.#tellExit(exit);
  }

  /** The spawner is gone: that this process ends can only be seen, not how. */
  orphan(): void {
    this.#isOrphan = true;
    this.#look();
  }

  readonly isAlive = (): boolean => {
    if (this.#hasEnded) return false;
    const fate = this.#fate();
    if (fate === 'gone' && !this.#isOrphan && !this.#wasSeenGone) {
      this.#wasSeenGone = true;
      this.#parts.onGone();
    }
    // Where nothing can be read, the spawner would have told.
    return fate === 'alive' || (fate === 'unknown' && !this.#isOrphan);
  };

  readonly signal = (signal: 'SIGTERM' | 'SIGINT'): void => {
    if (!this.isAlive()) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It ended in between.
    }
  };

  #fate(): HostFate {
    return this.startTime === undefined ? 'unknown' : fateOfProcess(this.pid, this.startTime);
  }

  #look(): void {
    if (this.#hasEnded) return;
    // Whose beginning was not seen, of them nothing is known: rather an end too early than a wait for ever (P5).
    if (this.#fate() === 'gone' || this.startTime === undefined)
      this.ended({ exitCode: null, signal: null, isUnseen: true });
    else setTimeout(() => this.#look(), LOOK_MS);
  }
}
