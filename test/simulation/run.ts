import { comeDown, play } from './play.ts';
import { PROMISES, type PromiseName } from './promises/promises.ts';
import { bringToRest, useBystander } from './rest.ts';
import type { Sabotage } from './sabotage.ts';
import type { Script, Step } from './script.ts';
import { World } from './world.ts';
import { settled } from './world-clock.ts';

export interface Violation {
  readonly promise: PromiseName;
  readonly words: string;
  /** After so many steps; the number of steps and more while everything is brought to rest. */
  readonly step: number;
}

export interface RunReport {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Events that the supervisors told. */
  readonly events: number;
  readonly steps: number;
  readonly faults: number;
  readonly hosts: number;
  readonly processes: number;
}

export interface RunOptions {
  readonly sabotage?: Partial<Sabotage>;
  readonly inspect?: (event: unknown) => void;
  /** Hears of each step when it has happened. */
  readonly onStep?: (world: World, step: Step | 'rest', index: number) => void;
}

/** Plays a script to its end and looks at every promise after every step. Stops at the first that is broken. */
export async function runScript(script: Script, options: RunOptions = {}): Promise<RunReport> {
  const world = new World(script, options);
  const unhandled = (error: unknown) => {
    world.surprises.push(String(error instanceof Error ? error.stack : error));
  };
  process.on('unhandledRejection', unhandled);
  process.on('uncaughtException', unhandled);
  const violations: Violation[] = [];
  try {
    await playAll(world, violations, options.onStep ?? (() => {}));
  } finally {
    await settled();
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', unhandled);
    world.host.lose();
  }
  return {
    seed: script.seed,
    violations,
    events: world.eventCount,
    steps: script.steps.length,
    faults: world.faults.count,
    hosts: world.hosts,
    processes: world.launches.length,
  };
}

async function playAll(
  world: World,
  violations: Violation[],
  onStep: NonNullable<RunOptions['onStep']>,
): Promise<void> {
  const { steps } = world.script;
  const look = (step: number, when: 'always' | 'at-rest' | 'at-the-end') => {
    for (const { name, check } of PROMISES) {
      for (const words of check(world, when)) violations.push({ promise: name, words, step });
    }
    return violations.length > 0;
  };
  await world.startBystander();
  for (const [index, step] of steps.entries()) {
    await play(world, step, index + 1);
    if (index % 6 === 5) await useBystander(world);
    onStep(world, step, index);
    if (look(index, 'always')) return;
  }
  await bringToRest(world);
  onStep(world, 'rest', steps.length);
  if (look(steps.length, 'at-rest')) return;
  await comeDown(world, 'shutdown');
  await settled();
  look(steps.length + 1, 'at-the-end');
}
