import { runScript } from './run.ts';
import type { Sabotage } from './sabotage.ts';
import type { Script, Step } from './script.ts';

/** So many runs are worth the smaller script. */
const MAX_RUNS = 200;

/** The same script with as few steps as still break the same promise (delta debugging). */
export async function shrink(script: Script, promise: string, sabotage?: Partial<Sabotage>): Promise<Script> {
  let runs = 0;
  const isBroken = async (steps: readonly Step[]) => {
    runs += 1;
    const { violations } = await runScript({ ...script, steps }, sabotage === undefined ? {} : { sabotage });
    return violations.some((violation) => violation.promise === promise);
  };
  let steps = script.steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1 && runs < MAX_RUNS; ) {
    let isSmaller = false;
    for (let from = 0; from < steps.length && runs < MAX_RUNS; ) {
      const rest = [...steps.slice(0, from), ...steps.slice(from + size)];
      if (await isBroken(rest)) {
        steps = rest;
        isSmaller = true;
      } else from += size;
    }
    if (size === 1 && !isSmaller) break;
    size = size === 1 ? 1 : Math.floor(size / 2);
  }
  return { ...script, steps };
}
