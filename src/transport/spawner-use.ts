import { startDirectly } from './direct-child.ts';
import { createProcessTree } from './process-tree.ts';
import { findDescriptorShortage } from './spawn-failure.ts';
import { Spawner, type SpawnerOptions } from './spawner.ts';
import type { StartChild } from './started-child.ts';
import type { LaunchPlan } from './transport.ts';

/** Who starts processes: this process, a spawner, or (`auto`) a spawner as soon as this process is big. */
export type SpawnerMode = 'auto' | 'direct' | 'always';

/**
 * Memory outside of the heap of JavaScript from which a fork is dear, bytes: 5 ms on a machine where it takes 13 ms with 300 MB.
 * The heap itself counts for a tenth, because it lies in bigger pages.
 */
const BIG_BYTES = 128 * 2 ** 20;
/** A machine that ends spawners again and again shall not be asked for another. */
const MAX_LOSSES = 5;
/** How long the remains of a start may take to end whose spawner was lost. */
const REMAINS_MS = 5_000;

export interface SpawnerUse {
  readonly start: StartChild;
  /** Does without from now on; with the last one who uses it the spawner ends. */
  end(): void;
}

let shared: Spawner | undefined;
let users = 0;
let losses = 0;

/** One spawner serves all who ask; it is there from the first moment in which it is wanted. Linux only: elsewhere all is direct. */
export function useSpawner(mode: SpawnerMode, options: SpawnerOptions): SpawnerUse {
  const isPossible = mode !== 'direct' && process.platform === 'linux';
  let isUsing = isPossible;
  if (isPossible) users += 1;

  function wanted(): Spawner | undefined {
    if (!isUsing || losses >= MAX_LOSSES || (mode === 'auto' && !isHostBig())) return undefined;
    if (shared?.isFit !== true) {
      shared?.retire();
      shared = tryToBegin(options);
    }
    return shared;
  }

  const start: StartChild = async (plan, env) => {
    const spawner = wanted();
    if (spawner === undefined) return startDirectly(plan, env);
    const started = await spawner.start(plan, env);
    if (started !== 'lost') return started;
    losses += 1;
    await endRemains(plan);
    const shortage = findDescriptorShortage(plan);
    if (shortage !== undefined) throw shortage;
    return startDirectly(plan, env);
  };

  function end(): void {
    if (!isUsing) return;
    isUsing = false;
    users -= 1;
    if (users > 0) return;
    shared?.retire();
    shared = undefined;
    losses = 0;
  }

  wanted();
  return { start, end };
}

function isHostBig(): boolean {
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal >= BIG_BYTES;
}

/** Where not even a folder can be made for it, the start itself will say what is wrong. */
function tryToBegin(options: SpawnerOptions): Spawner | undefined {
  try {
    return new Spawner(options);
  } catch {
    losses += 1;
    return undefined;
  }
}

/** The spawner may have started the process and not lived to tell: it has its mark, and must be gone before there is another (P1). */
async function endRemains({ mark, keepDescendants }: LaunchPlan): Promise<void> {
  if (keepDescendants) return;
  const nobody = { pid: Number.NaN, startTime: undefined, mark, isAlive: () => false };
  await createProcessTree(nobody).kill(REMAINS_MS);
}
