import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

/** The fake model says 10 tokens in and 20 out for every answer; while it speaks, one of them out. */
const ANSWER_TOKENS = 30;
const BEGUN_TOKENS = 11;
const LONG = 'CALL Bash {"command":"until false; do sleep 1; done","description":"wait"}';

describe('a budget over the real CLI (SEMANTICS c12)', () => {
  it('stops the turn in which it is reached, after the request that reached it', async () => {
    const { setting } = await stage();
    await using supervisor = createSupervisor({ budget: { maxTokens: BEGUN_TOKENS, onLimit: 'interrupt' } });
    const session = await supervisor.start({ ...setting, allowedTools: ['Bash'] });
    const result = await session.prompt(LONG).result;

    expect(result).toMatchObject({ outcome: 'interrupted', error: { code: 'BUDGET_REACHED' } });
    await eventOf(session, 'session.parked', ({ reason }) => reason === 'budget');
    expect(session.pid).toBeUndefined();
  });

  it('neither forgets nor doubles what a killed process had used (R84)', async () => {
    const { setting, configDir } = await stage();
    await using supervisor = createSupervisor();
    const restart = { type: 'permanent', backoff: { minMs: 1, maxMs: 1 } } as const;
    const session = await supervisor.start({ ...setting, allowedTools: ['Bash'], restart });
    await session.prompt('hello').result;
    await recorded(configDir, 'Echo: hello');
    const cut = session.prompt(LONG);
    const tokens = () => supervisor.ledger().total.spent.tokens;
    await expect.poll(tokens, { timeout: 20_000 }).toBe(ANSWER_TOKENS + BEGUN_TOKENS);
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.started', ({ incarnation }) => incarnation === 2);
    expect(tokens()).toBeGreaterThanOrEqual(ANSWER_TOKENS + BEGUN_TOKENS);
    await session.interrupt();
    await cut.result;
    const before = tokens();
    const turns = supervisor.ledger().total.spent.turns;
    await session.prompt('again').result;

    expect(tokens()).toBe(before + ANSWER_TOKENS);
    expect(supervisor.ledger().total.spent.turns).toBe(turns + 1);
    expect(supervisor.ledger().sessions).toMatchObject([{ spent: supervisor.ledger().total.spent }]);
  });
});
