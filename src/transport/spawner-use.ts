import { TroupeError } from '../errors.ts';
import { startDirectly } from './direct-child.ts';
import { guardExit } from './exit-guard.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
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
    const remains = remainsOf(plan);
    // An order that was given may be carried out while this process exits.
    const unguard = guardExit({ killNow: (table) => remains?.killIn(table).length ?? 0, cleanUpNow: () => {} });
    const started = await spawner.start(plan, env).finally(unguard);
    if (started !== 'lost') return started;
    const survivors = (await remains?.kill(REMAINS_MS))?.survivors ?? [];
    if (survivors.length > 0) throw new TroupeError('TREE_SURVIVED', { details: { survivors } });
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
  // One for each spawner, however many starts were under way.
  const onLost = () => {
    losses += 1;
  };
  try {
    return new Spawner({ ...options, onLost });
  } catch {
    onLost();
    return undefined;
  }
}

/**
 * The spawner may have started the process and not lived to tell: it has its mark, and must be gone before there is another (P1).
 * Undefined where it may stay.
 */
function remainsOf({ mark, keepDescendants }: LaunchPlan): ProcessTree | undefined {
  if (keepDescendants) return undefined;
  return createProcessTree({ pid: Number.NaN, startTime: undefined, mark, isAlive: () => false });
}
