import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runStoreCampaign } from '../../chaos-store/store-campaign.ts';
import {
  type PlannedEnd,
  type PlannedPrompt,
  planStoreChaos,
  type StoreChaosPlan,
} from '../../chaos-store/store-plan.ts';
import { buildStoreProps, type StoreProps } from '../../chaos-store/store-props.ts';
import { runStoreChaos } from '../../chaos-store/store-run.ts';

// `npm run chaos:store` plays more of them, with the real CLI and with fifty sessions.
const [SEED, RUNS] = [12, 4];

describe('hosts with a store that are killed, or hand over, at random moments (P2, P4, P7)', () => {
  it('play the same for the same seed, with every kind of task, policy and end among a hundred', () => {
    const plans = Array.from({ length: 100 }, (_, index) => planStoreChaos(SEED + index));
    expect(planStoreChaos(SEED)).toEqual(plans[0]);
    const sessions = plans.flatMap((plan) => plan.sessions);
    expect(new Set(sessions.map(({ onPromptLost }) => onPromptLost)).size).toBe(4);
    expect(new Set(sessions.flatMap(({ prompts }) => prompts.map(({ task }) => task))).size).toBe(4);
    const ends = plans.flatMap((plan) => plan.ends);
    expect(new Set(ends.map(({ way }) => way)).size).toBe(2);
    // Some are killed in the middle of it.
    expect(ends.some((end) => end.way === 'handover' && end.killAfterMs !== undefined)).toBe(true);
    expect(new Set(plans.map(({ cli, kind }) => `${cli} ${kind}`)).size).toBe(3);
  });

  it('lose nothing they acknowledged, do nothing twice and invent nothing, and what was seen is what is kept', async () => {
    const reports = await runStoreCampaign({ runs: RUNS, seed: SEED, lanes: 2, only: 'fake' });
    expect(reports.filter(({ failures }) => failures.length > 0)).toEqual([]);
    expect(reports.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(RUNS);
  }, 600_000);
});

describe('a host that breaks its word is noticed', () => {
  let props: StoreProps;

  beforeAll(async () => {
    props = await buildStoreProps();
  });

  afterAll(() => props.strike());

  it('when it acknowledges before it has committed', async () => {
    const end: PlannedEnd = { way: 'kill', moment: { after: 'accepted', nth: 1, delayMs: 0 } };
    const plan = { ...planOf(end), withheldFrom: 'prompt.accepted' };
    const { failures } = await runStoreChaos(plan, props, { sabotage: 'early-acknowledgement' });
    expect(failures.join('\n')).toMatch(/acknowledged, and 0 times accepted|is gone|and the store has none|, and is /);
  }, 300_000);

  it('when a prompt that a lost process had completed is worked through again', async () => {
    // The CLI is done, and the commit that says so never comes.
    const end: PlannedEnd = { way: 'kill', moment: { after: 'worked', nth: 1, delayMs: 0 } };
    const plan = { ...planOf(end), withheldFrom: 'prompt.started' };
    const { failures } = await runStoreChaos(plan, props, { sabotage: 'no-deduplication' });
    expect(failures.join('\n')).toContain('2 turns completed, at most 1 may be');
  }, 300_000);
});

function planOf(end: PlannedEnd): StoreChaosPlan {
  const prompt: PlannedPrompt = {
    token: 't0x0',
    task: 'say',
    life: 0,
    decision: 'allow',
    thinkMs: 0,
    whenInDoubt: 'fail',
    isGivenUp: false,
  };
  return {
    seed: 1,
    kind: 'few',
    cli: 'fake',
    sessions: [{ onPromptLost: 'once', prompts: [prompt] }],
    ends: [end],
    durability: 'strict',
    spawner: { mode: 'direct', killedAfterMs: [] },
    slowCommitMs: undefined,
    recorded: 'running',
  };
}
