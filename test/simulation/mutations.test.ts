import { describe, expect, it } from 'vitest';
import { MUTATIONS } from './mutations.ts';
import { PROMISES } from './promises/promises.ts';
import { runScript } from './run.ts';
import { type Script, scriptOf } from './script.ts';
import { shrink } from './shrink.ts';

/** A promise that is broken by a machine of chance is seen to be within so many runs. */
const MAX_RUNS = 60;
const LONG = 600_000;

describe('the predicate of each promise sees it broken', () => {
  it.each(PROMISES.map(({ name }) => ({ name, what: MUTATIONS[name].what })))(
    '$name: $what',
    async ({ name }) => {
      expect(await firstBroken(name)).toBeDefined();
    },
    LONG,
  );
});

it(
  'a broken run is made as small as it can be, and still breaks the same promise',
  async () => {
    const { sabotage } = MUTATIONS.P4;
    const script = await firstBroken('P4');
    if (script === undefined) throw new Error('No run broke it.');
    const smaller = await shrink(script, 'P4', sabotage);

    expect(smaller.steps.length).toBeLessThan(script.steps.length);
    expect((await runScript(smaller, { sabotage })).violations.map(({ promise }) => promise)).toContain('P4');
  },
  LONG,
);

async function firstBroken(name: (typeof PROMISES)[number]['name']): Promise<Script | undefined> {
  for (let seed = 1; seed <= MAX_RUNS; seed += 1) {
    const script = scriptOf(seed);
    const { violations } = await runScript(script, { sabotage: MUTATIONS[name].sabotage });
    if (violations.some(({ promise }) => promise === name)) return script;
  }
  return undefined;
}
