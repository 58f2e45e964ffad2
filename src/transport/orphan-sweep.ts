import { readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fateOfHost, fateOfProcess } from './host-mark.ts';
import { createOrphanFinder, type Orphan } from './orphans.ts';
import { ALL_MARKS, type ProcessTable, readProcessTable } from './process-table.ts';

/** As in `process-tree.ts`: real timers, because what is waited for is the kernel. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
/** A scan in which processes came and went may have missed a newborn; two in a row are taken for the truth. */
const UNSURE_SCANS = 2;
/** A table that cannot be read for want of means may be readable a moment later. */
const HOLEY_SCANS = 5;

export interface SweepTimes {
  /** From SIGTERM to SIGKILL. */
  readonly terminateGraceMs: number;
  /** From the first SIGKILL until all must have been seen gone. */
  readonly killGraceMs: number;
}

export interface SweptProcess {
  readonly pid: number;
  readonly mark: string;
  /** Path of its program, without arguments (P11); empty where that could not be read. */
  readonly command: string;
  /** The last signal it was sent. */
  readonly signal: 'SIGTERM' | 'SIGKILL';
}

export interface SweepReport {
  /** Seen gone after a signal of ours. */
  readonly reaped: readonly SweptProcess[];
  /** Still there when the time was over. */
  readonly survivors: readonly SweptProcess[];
  /** False when the process table could not be read whole: there may be more. */
  readonly isComplete: boolean;
}

/** What the sweep needs of the system. */
export interface SweepPorts {
  scan(): Promise<ProcessTable>;
  fateOf: typeof fateOfHost;
  /** Sends the signal if that very process still lives; false when it does not, or may not be signalled. */
  send(orphan: Orphan, signal: 'SIGTERM' | 'SIGKILL'): boolean;
  commandOf(pid: number): string;
  readonly ownPid: number;
  now(): number;
  wait(ms: number): Promise<unknown>;
}

const NOTHING: SweepReport = { reaped: [], survivors: [], isComplete: true };

let running: Promise<SweepReport> | undefined;

/**
 * Ends what hosts left behind that are gone (P1): SIGTERM, SIGKILL after `terminateGraceMs`, and looks until nobody is left,
 * at most `killGraceMs` longer. Linux only: what is needed to be sure is read from /proc, and elsewhere nothing is done. Callers
 * that ask in the meantime share one sweep. Never rejects.
 */
export function sweepOrphans(times: SweepTimes): Promise<SweepReport> {
  if (process.platform !== 'linux') return Promise.resolve(NOTHING);
  running ??= sweep(times, SYSTEM).finally(() => {
    running = undefined;
  });
  return running;
}

/** The sweep by itself, with the system as an argument. */
export async function sweep(times: SweepTimes, ports: SweepPorts): Promise<SweepReport> {
  const finder = createOrphanFinder(ports.fateOf, ports.ownPid);
  const killAt = ports.now() + times.terminateGraceMs;
  const endAt = killAt + times.killGraceMs;
  const told = new Map<string, SweptProcess>();
  let quietScans = 0;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const table = await ports.scan();
    const orphans = finder.find(table);
    quietScans = orphans.length === 0 ? quietScans + 1 : 0;
    if (isQuiet(table, quietScans)) return reportOf(told, [], table);
    const now = ports.now();
    for (const orphan of orphans) tell(orphan, now < killAt ? 'SIGTERM' : 'SIGKILL', told, ports);
    if (now >= endAt) return reportOf(told, orphans, table);
    const untilNext = (now < killAt ? killAt : endAt) - now;
    await ports.wait(Math.min(pauseMs, untilNext));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

function isQuiet({ vanished, unreadable }: ProcessTable, quietScans: number): boolean {
  if (quietScans === 0) return false;
  if (unreadable > 0) return quietScans >= HOLEY_SCANS;
  return vanished === 0 || quietScans >= UNSURE_SCANS;
}

/** SIGTERM once, SIGKILL each time it is met again. */
function tell(
  orphan: Orphan,
  signal: SweptProcess['signal'],
  told: Map<string, SweptProcess>,
  ports: SweepPorts,
): void {
  const key = keyOf(orphan);
  const before = told.get(key);
  if (before !== undefined && signal === 'SIGTERM') return;
  const { pid } = orphan.entry;
  const command = before?.command ?? ports.commandOf(pid);
  if (ports.send(orphan, signal)) told.set(key, { pid, mark: orphan.mark, command, signal });
}

function reportOf(told: Map<string, SweptProcess>, left: readonly Orphan[], table: ProcessTable): SweepReport {
  const leftKeys = new Set(left.map(keyOf));
  const untold = left.filter((orphan) => !told.has(keyOf(orphan)));
  return {
    reaped: [...told].filter(([key]) => !leftKeys.has(key)).map(([, one]) => one),
    survivors: [
      ...[...told].filter(([key]) => leftKeys.has(key)).map(([, one]) => one),
      ...untold.map(({ entry, mark }) => ({ pid: entry.pid, mark, command: '', signal: 'SIGKILL' as const })),
    ],
    isComplete: table.unreadable === 0,
  };
}

function keyOf({ entry }: Orphan): string {
  return `${entry.pid} ${entry.startTime}`;
}

const SYSTEM: SweepPorts = {
  scan: () => readProcessTable(ALL_MARKS),
  fateOf: fateOfHost,
  send(orphan, signal) {
    const { pid, startTime } = orphan.entry;
    // The table is some milliseconds old: looks once more, so that a pid that was reused meanwhile is spared.
    if (fateOfProcess(pid, startTime) !== 'alive') return false;
    try {
      return process.kill(pid, signal);
    } catch {
      return false;
    }
  },
  commandOf(pid) {
    try {
      return readlinkSync(`/proc/${pid}/exe`);
    } catch {
      return '';
    }
  },
  ownPid: process.pid,
  now: () => performance.now(),
  wait: (ms) => wait(ms),
};
