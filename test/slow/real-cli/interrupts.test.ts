import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { hang, toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, stage } from './stage.ts';

const ABORTED = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' };

/** The results the CLI has sent so far: only what was logged counts, so a later one is not missed by a test that waits. */
async function resultsOf(session: Session): Promise<Record<string, unknown>[]> {
  const results: Record<string, unknown>[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'message' && event.message.type === 'result')
      results.push(JSON.parse(event.message.raw.toString('utf8')));
  }
  return results;
}

describe('an interrupt of the real CLI, row by row of WIRE §8', () => {
  it('ends a streaming turn with one result that names the reason (R43)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    expect(await session.interrupt()).toEqual({ effect: 'interrupted', cancelled: [], stillQueued: [] });

    expect((await turn.result).outcome).toBe('interrupted');
    expect(await resultsOf(session)).toMatchObject([ABORTED]);
  });

  it('ends a turn whose model says nothing', async () => {
    const { start, model } = await stage();
    const session = await start();
    const turn = session.prompt('HANG');
    await expect.poll(() => model.requests.length).toBeGreaterThan(0);
    await eventOf(session, 'turn.started');
    expect(await session.interrupt()).toMatchObject({ effect: 'interrupted' });

    expect((await turn.result).outcome).toBe('interrupted');
    expect(await resultsOf(session)).toMatchObject([ABORTED]);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });

  it('sent twice gives two receipts and one result (R43)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const receipts = await Promise.all([session.interrupt(), session.interrupt()]);

    expect(receipts.map(({ effect }) => effect)).toEqual(['interrupted', 'interrupted']);
    expect((await turn.result).outcome).toBe('interrupted');
    expect((await session.prompt('next').result).outcome).toBe('completed');
    expect(await resultsOf(session)).toHaveLength(2);
  });

  it('lets a prompt that the CLI holds run on, as a turn with its own result (R79)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const second = session.prompt('held', { onBusy: 'steer' });
    await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === second.id);

    expect(await session.interrupt()).toEqual({ effect: 'interrupted', cancelled: [], stillQueued: [second.id] });
    expect((await first.result).outcome).toBe('interrupted');
    expect(await second.result).toMatchObject({ outcome: 'completed', text: expect.stringContaining('held') });
  });

  it('takes back a prompt that the CLI holds when asked, and names it (R79, WIRE §8)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const held = session.prompt('held', { onBusy: 'steer' });
    await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === held.id);
    const unsent = session.prompt('unsent');

    const receipt = await session.interrupt({ cancelQueued: true });
    expect(receipt).toEqual({ effect: 'interrupted', cancelled: [unsent.id, held.id], stillQueued: [] });
    expect((await first.result).outcome).toBe('interrupted');
    expect((await held.result).outcome).toBe('cancelled');
    expect((await unsent.result).outcome).toBe('cancelled');
    expect((await session.prompt('next').result).text).not.toContain('held');
  });

  it('after the result ends a background agent, without a result of its own (WIRE §8, §17)', async () => {
    const job = {
      description: 'work',
      prompt: 'agent work',
      subagent_type: 'general-purpose',
      run_in_background: true,
    };
    const { start, model } = await stage({
      script: {
        rules: [
          { when: { promptEquals: 'delegate', isToolResult: false }, reply: toolUse('Task', job) },
          { when: { promptContains: 'agent work' }, reply: hang() },
        ],
      },
    });
    const session = await start();
    expect((await session.prompt('delegate').result).outcome).toBe('completed');
    await expect.poll(() => model.requests.some(({ prompt }) => prompt?.includes('agent work') === true)).toBe(true);
    expect(session.status).toBe('running');
    expect(await session.interrupt()).toEqual({ effect: 'nothing', cancelled: [], stillQueued: [] });

    await session.settled({ ceilingMs: 20_000 });
    expect(session.status).toBe('idle');
    expect(await resultsOf(session)).toHaveLength(1);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });
});
