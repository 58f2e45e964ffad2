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

/**
 * Reads the process table, with marks if asked for. Callers that ask in the meantime share the next scan; a scan that
 * was already running when they asked never answers them, so what they did before they asked is visible in it.
 */
export const readProcessTable: (withMarks: boolean) => Promise<ProcessTable> = shareScans((withMarks) =>
  process.platform === 'linux' ? readProcTable(withMarks) : readPsTable(),
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
export function shareScans<T>(scan: (withMarks: boolean) => Promise<T>): (withMarks: boolean) => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | undefined;
  let marksWanted = false;

  return (withMarks) => {
    marksWanted ||= withMarks;
    if (waiting !== undefined) return waiting;
    const start = (): Promise<T> => {
      const withAllMarks = marksWanted;
      waiting = undefined;
      marksWanted = false;
      return scan(withAllMarks);
    };
    waiting = running.then(start, start);
    running = waiting;
    return waiting;
  };
}
