import { execFile } from 'node:child_process';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/;

/**
 * Reads the process table by `ps`, where there is no /proc to read. It knows parents and process groups, but no marks:
 * a process that left its group *and* lost its parent is not found there.
 */
export function readPsTable(): Promise<ProcessTable> {
  return new Promise((resolve) => {
    const options = { maxBuffer: MAX_OUTPUT_BYTES, timeout: TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C' } };
    execFile('ps', ['-A', '-o', COLUMNS], options, (error, output) => {
      resolve({ entries: error ? new Map() : parsePs(output), vanished: 0, unreadable: error ? 1 : 0 });
    });
  });
}

/** Parses the lines of `ps`; zombies and lines that are none are left out. */
export function parsePs(output: string): ReadonlyMap<number, ProcessEntry> {
  const entries = new Map<number, ProcessEntry>();
  for (const line of output.split('\n')) {
    const [, pidText, parentText, groupText, state, startTime] = LINE.exec(line) ?? [];
    if (startTime === undefined || state?.startsWith('Z')) continue;
    const [pid, parentPid, groupId] = [Number(pidText), Number(parentText), Number(groupText)];
    entries.set(pid, { pid, parentPid, groupId, sessionId: groupId, startTime, mark: undefined, host: undefined });
  }
  return entries;
}
