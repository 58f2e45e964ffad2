import type { ProcessEntry } from './process-table.ts';

/** A process that this one started and whose status it has not collected. */
export interface LivingRoot {
  /** What every look at it would tell: it leads its group and its session, so none of it can change while it lives. */
  readonly entry: ProcessEntry;
  /** True until the status was collected: as long as it is, nobody else can have the pid. */
  isAlive(): boolean;
}

const known = new Map<number, LivingRoot>();

/**
 * Spares scans of the process table the look at it: with a thousand sessions nearly every process is the root of one, and
 * the removal of a session must not cost a look at all others.
 */
export function rememberRoot(root: LivingRoot): void {
  const { pid, groupId, sessionId } = root.entry;
  if (groupId === pid && sessionId === pid) known.set(pid, root);
}

/** From now on it is looked at like any other process: somebody ends it and wants to see that, or its status was collected. */
export function forgetRoot(pid: number): void {
  known.delete(pid);
}

/** The entry of a process that is known to live; undefined for every other. */
export function livingRoot(pid: number): ProcessEntry | undefined {
  const root = known.get(pid);
  if (root === undefined || root.isAlive()) return root?.entry;
  known.delete(pid);
  return undefined;
}
