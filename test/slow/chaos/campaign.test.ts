import { describe, expect, it } from 'vitest';
import { runCampaign } from '../../chaos/campaign.ts';
import { AIMS, planChaos } from '../../chaos/chaos-plan.ts';

// `npm run chaos` plays more of them. These seeds have all kinds of trouble, and the real CLI, among them.
const [SEED, RUNS] = [104, 12];

describe('hosts and CLIs that are killed, stopped and signalled at random moments (P1, P2, R49, R50, R52)', () => {
  it('play the same for the same seed, and every kind of trouble and every state that is aimed at in a dozen', () => {
    const plans = Array.from({ length: RUNS }, (_, index) => planChaos(SEED + index));
    expect(planChaos(SEED)).toEqual(plans[0]);
    expect(new Set(plans.map(({ trouble }) => trouble.kind)).size).toBe(7);
    expect(plans.map(({ moment }) => moment.after)).toEqual(expect.arrayContaining([...AIMS]));
    expect(new Set(plans.map(({ spawner }) => spawner.mode)).size).toBe(2);
    expect(plans.some(({ spawner }) => spawner.killedAfterMs.length > 0)).toBe(true);
    expect(plans.flatMap(({ sessions }) => sessions).some(({ behaviour }) => behaviour === 'real')).toBe(true);
  });

  it('leave no process, no temporary folder and no prompt without its one outcome, and touch no stranger', async () => {
    const reports = await runCampaign({ runs: RUNS, seed: SEED, lanes: 2 });
    expect(reports.filter(({ failures }) => failures.length > 0)).toEqual([]);
    expect(reports).toHaveLength(RUNS);
  }, 300_000);
});
