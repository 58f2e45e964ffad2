import type { ProcessEntry, ProcessTable } from '../../src/transport/process-table.ts';

/** Pids beyond the largest that the kernel gives: a mistake in a test cannot hurt a real process. */
export const BASE = 5_000_000;

export interface Relations {
  readonly parent?: number;
  readonly group?: number;
  readonly session?: number;
  readonly mark?: string;
  readonly host?: string;
  readonly startTime?: string;
}

/** A process that is nobody's child, and alone in a group and a session of its own, unless the relations say more. */
export function entry(offset: number, relations: Relations = {}): ProcessEntry {
  const pid = BASE + offset;
  const { parent = 1, group = pid, session = pid, mark, host, startTime = `start ${pid}` } = relations;
  return { pid, parentPid: parent, groupId: group, sessionId: session, startTime, mark, host };
}

export function tableOf(entries: readonly ProcessEntry[], gaps: Partial<ProcessTable> = {}): ProcessTable {
  return { entries: new Map(entries.map((one) => [one.pid, one])), vanished: 0, unreadable: 0, ...gaps };
}
