import type { Readable, Writable } from 'node:stream';
import type { ExitReport, LaunchPlan } from './transport.ts';

/** A process that runs or ran, whoever its parent is, with the ends of its pipes that are ours. */
export interface StartedChild {
  readonly pid: number;
  /** As the process table tells it, read while the pid was certainly that of the child; undefined where nothing tells it. */
  readonly startTime: string | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its status was collected. */
  readonly exited: Promise<ExitReport>;
  /** True as long as nobody else can have its pid. */
  isAlive(): boolean;
  /** Does nothing after the exit. */
  signal(signal: 'SIGTERM' | 'SIGINT'): void;
}

/** Starts the process of a plan with this environment. Rejects with what the system said, under its `code`. */
export type StartChild = (plan: LaunchPlan, env: Readonly<Record<string, string>>) => Promise<StartedChild>;
