import { type ProcessTable, readProcessTableNow } from './process-table.ts';

/** Looks at the process table while the host exits: what was forked between two looks is found by the next. */
const MAX_EXIT_SCANS = 3;

export interface Guarded {
  /** Kills, synchronously, whoever is left of the process tree; returns how many that were. */
  killNow(table: ProcessTable): number;
  /** Removes, synchronously, what must not outlive the host. */
  cleanUpNow(): void;
}

const guarded = new Set<Guarded>();

/**
 * Ends the process tree when the host exits: normally, by `process.exit` or by an uncaught exception (P1). Returns the
 * function that lifts the guard. One listener serves all (R60), and there is none while nothing is guarded. A host that
 * is itself killed by a signal runs no listener: see `host-signals.ts`, and `orphan-sweep.ts` for SIGKILL.
 */
export function guardExit(one: Guarded): () => void {
  if (guarded.size === 0) process.on('exit', endGuardedNow);
  guarded.add(one);
  return () => {
    if (guarded.delete(one) && guarded.size === 0) process.off('exit', endGuardedNow);
  };
}

/** Kills, synchronously, every guarded tree, and removes what must not outlive the host. What is ended stays guarded. */
export function endGuardedNow(): void {
  if (guarded.size === 0) return;
  for (let scans = 0; scans < MAX_EXIT_SCANS; scans += 1) {
    const table = readProcessTableNow();
    let killed = 0;
    for (const one of guarded) killed += one.killNow(table);
    if (killed === 0) break;
  }
  for (const one of guarded) one.cleanUpNow();
}
