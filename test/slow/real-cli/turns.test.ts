import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session, TurnResult } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';

const allowedTools = ['Bash'];
/** A tool that runs until the test says go: nothing here depends on time. */
const GATED = `CALL Bash ${JSON.stringify({ command: 'until [ -e go ]; do sleep 0.05; done; echo went', description: 'wait' })}`;

/** The CLI reads its input in order: behind the answer to this, it has read every prompt that was written before. */
async function inputWasRead(session: Session): Promise<void> {
  await session.mcpServerStatus();
}

/** What the CLI has sent so far, of one type. */
async function sent(session: Session, type: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'message' && event.message.type === type) found.push(event.message.value ?? {});
  }
  return found;
}

function outcomesOf(results: readonly TurnResult[]): string[] {
  return results.map(({ outcome }) => outcome);
}

describe('prompts of the real CLI, row by row of WIRE §11', () => {
  it('run as a turn of their own when one is written while the model speaks (P3)', async () => {
    const { start } = await stage({ script: { slowDelayMs: 20 } });
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 40');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const second = session.prompt('and then?', { onBusy: 'steer' });
    const results = await Promise.all([first.result, second.result]);

    expect(outcomesOf(results)).toEqual(['completed', 'completed']);
    expect(results.map(({ promptIds }) => promptIds)).toEqual([[first.id], [second.id]]);
    expect(results[0]?.text).toMatch(/w39$/);
    expect(session.turns().map(({ promptIds }) => promptIds)).toEqual([[first.id], [second.id]]);
  });

  it('share one result when one is written while a tool runs (P3)', async () => {
    const { start, cwd, model } = await stage();
    const session = await start({ allowedTools });
    const first = session.prompt(GATED);
    await eventOf(
      session,
      'message',
      ({ message }) => message.type === 'assistant' && message.text.includes('tool_use'),
    );
    const second = session.prompt('mind the step', { onBusy: 'steer' });
    await inputWasRead(session);
    writeFileSync(join(cwd, 'go'), '');
    const results = await Promise.all([first.result, second.result]);

    expect(outcomesOf(results)).toEqual(['completed', 'completed']);
    expect(results.map(({ promptIds }) => promptIds)).toEqual([
      [first.id, second.id],
      [first.id, second.id],
    ]);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('mind the step');
    expect(await sent(session, 'result')).toHaveLength(1);
    expect(results[0]?.costUsd).toBe(results[1]?.costUsd);
    expect(session.usage().costUsd).toBeCloseTo(results[0]?.costUsd ?? Number.NaN, 10);
  });

  it('end exactly once each, also 200 at the same time, and are paid for once (P2, R84)', async () => {
    const { start } = await stage();
    const session = await start({ limits: { maxPromptQueue: 300 } });
    const turns = Array.from({ length: 200 }, (_, index) => session.prompt(`p${index}`, { onBusy: 'steer' }));
    const results = await Promise.all(turns.map(({ result }) => result));
    const ends: string[] = [];
    for await (const event of session.events()) {
      if (event.type === 'replay.completed') break;
      if (event.type === 'prompt.ended') ends.push(event.promptId);
    }

    expect(new Set(outcomesOf(results))).toEqual(new Set(['completed']));
    expect(ends.toSorted()).toEqual(turns.map(({ id }) => id).toSorted());
    const results200 = await sent(session, 'result');
    expect(results200.length).toBeLessThan(200);
    const costs = session.turns().map(({ costUsd }) => costUsd ?? Number.NaN);
    expect(costs).toHaveLength(results200.length);
    expect(session.usage().costUsd).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost, 0),
      10,
    );
    expect(session.usage().costUsd).toBeCloseTo(Number(results200.at(-1)?.['total_cost_usd']), 10);
    await session.settled();
    expect(session.status).toBe('idle');
  });

  it('wait in line and keep their order, each with a result of its own, by default', async () => {
    const { start } = await stage();
    const session = await start();
    const turns = Array.from({ length: 12 }, (_, index) => session.prompt(`p${index}`));
    const results = await Promise.all(turns.map(({ result }) => result));

    expect(results.map(({ text }) => text)).toEqual(turns.map((_, index) => `Echo: p${index}`));
    expect(results.map(({ promptIds }) => promptIds)).toEqual(turns.map(({ id }) => [id]));
  });

  it('end the running turn first with `interrupt`, and are refused with `reject` (R79)', async () => {
    const { start } = await stage({ script: { slowDelayMs: 50 } });
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 400');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    expect(() => session.prompt('me too', { onBusy: 'reject' })).toThrow(
      expect.objectContaining({ code: 'SESSION_BUSY' }),
    );
    const second = session.prompt('now', { onBusy: 'interrupt' });

    expect(outcomesOf(await Promise.all([first.result, second.result]))).toEqual(['interrupted', 'completed']);
    expect((await second.result).text).toBe('Echo: now');
  });

  it('are one prompt when the id and the content are the same, and no other may take the id (P2)', async () => {
    const { start, model } = await stage();
    const session = await start();
    const first = session.prompt('once', { id: 'job-1' });
    await first.result;
    const requests = model.requests.length;

    expect(session.prompt('once', { id: 'job-1' })).toBe(first);
    expect(() => session.prompt('other', { id: 'job-1' })).toThrow(expect.objectContaining({ code: 'PROMPT_ID_USED' }));
    expect(model.requests).toHaveLength(requests);
  });
});

describe('commands in prompts (WIRE §11)', () => {
  it('answer in the place of the model, as a turn that asks no model', async () => {
    const { start, model } = await stage();
    const session = await start();
    await session.prompt('hello').result;
    const requests = model.requests.length;
    const result = await session.prompt('/cost').result;

    expect(result).toMatchObject({ outcome: 'completed', error: undefined });
    expect(model.requests).toHaveLength(requests);
    expect(result.costUsd).toBe(0);
    expect(session.turns()).toHaveLength(2);
  });

  it('change the conversation with /clear: the id to resume is the new one, and what was paid stays paid (R84)', async () => {
    const { start, model } = await stage();
    const session = await start();
    const before = await session.prompt('remember the lamp').result;
    const former = session.conversationId;
    expect((await session.prompt('/clear').result).outcome).toBe('completed');
    const after = await session.prompt('what now?').result;
    const changed = await eventOf(session, 'session.conversation-changed', ({ from }) => from !== undefined);

    expect(after.outcome).toBe('completed');
    expect(changed).toMatchObject({ from: former, to: session.conversationId });
    expect(session.conversationId).not.toBe(former);
    expect(after.conversationId).toBe(session.conversationId);
    expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain('remember the lamp');
    expect(after.costUsd).toBeGreaterThan(0);
    expect(session.usage().costUsd).toBeCloseTo((before.costUsd ?? 0) + (after.costUsd ?? 0), 10);
  });

  it('go to the model when there is no such command', async () => {
    const { start } = await stage();
    const session = await start();

    expect(await session.prompt('/nosuchcommand at all').result).toMatchObject({ outcome: 'completed' });
  });
});
