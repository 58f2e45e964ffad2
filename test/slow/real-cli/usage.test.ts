import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

/** The fake model says 10 tokens in and 20 out for every answer, so that a turn of one request costs the same each time. */
const ONE_ANSWER = { inputTokens: 10, outputTokens: 20 };
const SUBAGENT = { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' };

async function priceOf(session: Session, prompt = 'hello'): Promise<number> {
  const { costUsd } = await session.prompt(prompt).result;
  return costUsd ?? Number.NaN;
}

/** `total_cost_usd` of every result, as the CLI wrote it: what a naive reader would take for the price of a turn. */
async function totalsOf(session: Session): Promise<number[]> {
  const totals: number[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'message' && event.message.type === 'result') {
      totals.push(Number(event.message.value?.['total_cost_usd']));
    }
  }
  return totals;
}

describe('what a session on the real CLI costs (R84)', () => {
  it('is counted by turn, although the CLI tells running totals', async () => {
    const { start } = await stage();
    const session = await start();
    const prices = [await priceOf(session), await priceOf(session), await priceOf(session)];
    const totals = await totalsOf(session);

    expect(prices[0]).toBeGreaterThan(0);
    expect(prices[1]).toBeCloseTo(prices[0] ?? Number.NaN, 10);
    expect(totals[2]).toBeCloseTo(3 * (prices[0] ?? Number.NaN), 10);
    expect(session.usage()).toMatchObject({ inputTokens: 30, outputTokens: 60, turns: 3 });
    expect(session.usage().costUsd).toBeCloseTo(totals[2] ?? Number.NaN, 10);
    expect(Object.values(session.usage().models)).toMatchObject([{ inputTokens: 30, outputTokens: 60 }]);
    expect(session.turns().map(({ usage }) => usage)).toMatchObject([ONE_ANSWER, ONE_ANSWER, ONE_ANSWER]);
  });

  it('goes on over a process that was killed and one that follows it, and nothing is paid twice (P8)', async () => {
    const { start, configDir } = await stage();
    const session = await start({ restart: { type: 'permanent', backoff: { minMs: 1, maxMs: 1 } } });
    const first = await priceOf(session);
    await recorded(configDir, 'Echo: hello');
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.started', ({ incarnation }) => incarnation === 2);
    const second = await priceOf(session);

    expect(second).toBeCloseTo(first, 10);
    expect(session.usage().costUsd).toBeCloseTo(2 * first, 10);
    expect(session.turns().map(({ incarnation }) => incarnation)).toEqual([1, 2]);
  });

  it('goes on over a hibernation, after which newer releases go on from their old totals (P8)', async () => {
    const { start, cli } = await stage();
    const session = await start({ restart: { type: 'permanent' }, timeouts: { idleMs: 2_000 } });
    const first = await priceOf(session);
    const { incarnation } = session;
    await eventOf(session, 'session.hibernated', ({ epoch }) => epoch === incarnation);
    const second = await priceOf(session);

    expect(second).toBeCloseTo(first, 10);
    expect(session.usage()).toMatchObject({ inputTokens: 20, outputTokens: 40, turns: 2 });
    expect(session.usage().costUsd).toBeCloseTo(2 * first, 10);
    expect((await totalsOf(session)).at(-1)).toBeCloseTo(cli.since('2.1.290') ? 2 * first : first, 10);
  });

  it('begins at nothing in a session that resumes a conversation of somebody else', async () => {
    const { start, cli } = await stage();
    const former = await start();
    const price = await priceOf(former);
    await former.close();
    const session = await start({ resume: former.conversationId ?? '' });
    expect(session.usage().costUsd).toBeUndefined();

    expect(await priceOf(session)).toBeCloseTo(price, 10);
    expect(session.usage()).toMatchObject({ ...ONE_ANSWER, turns: 1 });
    expect(session.usage().costUsd).toBeCloseTo(price, 10);
    // Measured: the newer release takes up the totals that it finds in the transcript.
    expect((await totalsOf(session))[0]).toBeCloseTo(cli.since('2.1.290') ? 2 * price : price, 10);
  });

  it('goes on over /clear, after which the CLI counts from zero', async () => {
    const { start } = await stage();
    const session = await start();
    const before = [await priceOf(session), await priceOf(session)];
    await session.prompt('/clear').result;
    const after = await priceOf(session);

    expect(after).toBeCloseTo(before[0] ?? Number.NaN, 10);
    expect(session.usage().costUsd).toBeCloseTo(3 * after, 10);
    expect(session.usage().inputTokens).toBe(30);
  });

  it('counts each request once, although the CLI repeats its usage with every block (WIRE §10)', async () => {
    const { start } = await stage();
    const session = await start({ allowedTools: ['Bash'] });
    const price = await priceOf(session);
    const result = await session.prompt(`CALL Bash ${JSON.stringify({ command: 'echo hi' })}`).result;

    // The call with its text in one answer of two blocks, and the answer to its result.
    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 40 });
    expect(result.costUsd).toBeCloseTo(2 * price, 10);
  });

  it('holds the subagents of a turn, which the tokens of the main conversation leave out (WIRE §17)', async () => {
    const { start } = await stage();
    const session = await start({ allowedTools: ['Task', 'Agent'] });
    const price = await priceOf(session);
    const call = { ...SUBAGENT, run_in_background: false };
    const result = await session.prompt(`CALL Task ${JSON.stringify(call)}`).result;

    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 40 });
    expect(result.costUsd).toBeCloseTo(3 * price, 10);
    const models = Object.values(result.models ?? {});
    expect(models.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0)).toBe(60);
    expect(session.usage()).toMatchObject({ inputTokens: 40, outputTokens: 80 });
  });

  it('is not known for a turn that was lost with its process, and is never taken for zero', async () => {
    const { start } = await stage();
    const session = await start();
    const turn = session.prompt('HANG');
    await eventOf(session, 'turn.started');
    process.kill(session.pid ?? 0, 'SIGKILL');

    expect(await turn.result).toMatchObject({ outcome: 'failed', costUsd: undefined, models: undefined });
    expect(session.usage().costUsd).toBeUndefined();
    expect(session.turns()).toMatchObject([{ state: 'lost', costUsd: undefined }]);
  });
});
