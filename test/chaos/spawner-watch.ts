import { readdirSync, readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 20;
/** How the program of a spawner ends in the command of its process. */
const PROGRAM = 'spawner-program.js';

/** The spawners of the hosts of a run: who they are, and the end of some in the middle of their work. */
export class SpawnerWatch {
  readonly #seen = new Set<number>();

  /** Kills the spawner that a host has so long after its start; where it has none then, the next one. */
  follow(host: { readonly pid: number; readonly ended: Promise<unknown> }, killedAfterMs: readonly number[]): void {
    const begin = performance.now();
    const due = [...killedAfterMs];
    const timer = setInterval(() => {
      const spawners = childrenOf(host.pid).filter(isSpawner);
      for (const pid of spawners) this.#seen.add(pid);
      const [next] = due;
      if (next === undefined || spawners.length === 0 || performance.now() - begin < next) return;
      due.shift();
      for (const pid of spawners) kill(pid);
    }, LOOK_EVERY_MS);
    void host.ended.finally(() => clearInterval(timer));
  }

  /** Those that were seen and have not ended. */
  living(): number[] {
    return [...this.#seen].filter(isSpawner);
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** One that has ended has no command any more. */
function isSpawner(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(PROGRAM);
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
