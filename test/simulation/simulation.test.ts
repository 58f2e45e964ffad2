import { expect, it } from 'vitest';
import { runs, seed } from '../fixed-chance.ts';
import { runLane } from './campaign.ts';
import { runScript } from './run.ts';
import { scriptOf } from './script.ts';

const LONG = 1_200_000;

it(
  'no order of faults, crashes, races and commands breaks a promise (P1–P10)',
  async () => {
    const { failures, events, hosts } = await runLane({ from: seed() * 1_000_000, runs: runs(200) });

    expect(failures).toEqual([]);
    expect(events).toBeGreaterThan(10_000);
    expect(hosts).toBeGreaterThan(200);
  },
  LONG,
);

it('the same seed is the same world', async () => {
  const logOf = async () => {
    const told: string[] = [];
    await runScript(scriptOf(7), {
      onStep: (world) => told.push(...[...world.chronicles.values()].map(({ id, lastSeq }) => `${id} ${lastSeq}`)),
    });
    return told;
  };

  expect(await logOf()).toEqual(await logOf());
});
