import { readProcEntryNow, readProcTable, readProcTableNow } from './proc-files.ts';
import { readPsTable } from './ps-table.ts';

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** Opaque; together with the pid it names one process for ever, because a reused pid has another one. */
  readonly startTime: string;
  /** The value of `TROUPE_SESSION` in its environment; undefined where none was found or none was asked for. */
  readonly mark: string | undefined;
  /** The value of `TROUPE_HOST` beside it: who started the session. Undefined as above. */
  readonly host: string | undefined;
}

export interface ProcessTable {
  /** Every living process by its pid. Zombies are not in it. */
  readonly entries: ReadonlyMap<number, ProcessEntry>;
  /** Processes that were listed but gone when they were looked at: what they left behind may not be in the table. */
  readonly vanished: number;
  /** Processes that could not be read for want of means (file descriptors, memory): the table has holes. */
  readonly unreadable: number;
}

/** Whose marks are asked for: of processes that did not begin before that start time. To read one is dear. */
export type MarksSince = number;
export const ALL_MARKS: MarksSince = 0;
export const NO_MARKS: MarksSince = Number.POSITIVE_INFINITY;

/**
 * Reads the process table, with the marks that are asked for. Callers that ask in the meantime share the next scan; a scan
 * that was already running when they asked never answers them, so what they did before they asked is visible in it.
 */
export const readProcessTable: (marksSince: MarksSince) => Promise<ProcessTable> = shareScans((marksSince) =>
  process.platform === 'linux' ? readProcTable(marksSince) : readPsTable(),
);

/** The table with marks, read synchronously while the host exits. Empty where there is no /proc. */
export function readProcessTableNow(): ProcessTable {
  return process.platform === 'linux' ? readProcTableNow() : { entries: new Map(), vanished: 0, unreadable: 0 };
}

/**
 * Looks at one process now. `undefined`: it is gone. `'unknown'`: it cannot be known here without a whole scan.
 * The pid and start time are what a later Troupe needs to recognise a process that this one started.
 */
export function readProcessNow(pid: number): ProcessEntry | undefined | 'unknown' {
  return process.platform === 'linux' ? readProcEntryNow(pid) : 'unknown';
}

/** One scan runs and at most one waits, however many ask: two hundred closing sessions need a handful of scans. */
export function shareScans<T>(scan: (marksSince: MarksSince) => Promise<T>): (marksSince: MarksSince) => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | undefined;
  let marksWanted = NO_MARKS;

  return (marksSince) => {
    marksWanted = Math.min(marksWanted, marksSince);
    if (waiting !== undefined) return waiting;
    const start = (): Promise<T> => {
      const oldestWanted = marksWanted;
      waiting = undefined;
      marksWanted = NO_MARKS;
      return scan(oldestWanted);
    };
    waiting = running.then(start, start);
    running = waiting;
    return waiting;
  };
}
