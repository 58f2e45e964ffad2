import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { cutAfter, error, errorTimes, streamText, text, toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, stage } from './stage.ts';

const ECHO = `CALL Bash ${JSON.stringify({ command: 'echo hi', description: 'say hi' })}`;

async function countOf(session: Session, subtype: string): Promise<number> {
  let count = 0;
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'message' && event.message.subtype === subtype) count += 1;
  }
  return count;
}

/** A port of this machine that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('limits of the real CLI (WIRE §13)', () => {
  it('fail the turn that reaches `maxTurns`; the next one begins to count anew', async () => {
    const { start } = await stage({ script: { otherwise: toolUse('Bash', { command: 'echo hi' }) } });
    const session = await start({ maxTurns: 2, allowedTools: ['Bash'] });
    for (const prompt of ['one', 'two']) {
      const result = await session.prompt(prompt).result;
      expect(result).toMatchObject({ outcome: 'failed', text: undefined });
      expect(result.error).toMatchObject({
        code: 'TURN_FAILED',
        message: expect.stringContaining('maximum number of turns (2)'),
        details: { subtype: 'error_max_turns', terminalReason: 'max_turns' },
      });
      expect(result.costUsd).toBeGreaterThan(0);
    }
    expect(session.state).toBe('ready');
  });

  it('fail the turn that reaches `maxBudgetUsd`, and every later one without asking the model', async () => {
    const { start, model } = await stage();
    const session = await start({ maxBudgetUsd: 0.0000001, allowedTools: ['Bash'] });
    const results = [await session.prompt(ECHO).result, await session.prompt('and now?').result];
    const requests = model.requests.length;
    results.push(await session.prompt('and now?').result);

    for (const { outcome, error: failure } of results.slice(1)) {
      expect(outcome).toBe('failed');
      expect(failure).toMatchObject({ code: 'TURN_FAILED', details: { subtype: 'error_max_budget_usd' } });
    }
    expect(model.requests).toHaveLength(requests);
  });
});

describe('errors of the API on the real CLI (WIRE §13)', () => {
  it.each([400, 403, 404, 413])('%i fails the turn with its status, and the session goes on', async (status) => {
    const { start, cli } = await stage({
      script: { rules: [{ when: { promptContains: 'break' }, reply: error(status) }] },
    });
    const session = await start();
    const result = await session.prompt('break').result;
    // What is too long goes by the name of what makes it so; up to 2.1.197 the others go by none (WIRE §23).
    const terminalReason = status === 413 ? 'image_error' : cli.since('2.1.220') ? 'api_error' : 'completed';

    expect(result).toMatchObject({ outcome: 'failed', text: undefined });
    expect(result.error).toMatchObject({
      code: 'TURN_FAILED',
      details: { subtype: 'success', apiErrorStatus: status, terminalReason },
    });
    expect(session.state).toBe('ready');
    await session.prompt('/clear').result;
    expect((await session.prompt('hello').result).outcome).toBe('completed');
  });

  it.each([429, 500, 529])('%i is tried again, and the turn completes when the API recovers', async (status) => {
    const { start } = await stage({ script: { otherwise: errorTimes(1, status, text('at last')) } });
    const session = await start();
    const result = await session.prompt('hello').result;

    expect(result).toMatchObject({ outcome: 'completed', text: 'at last' });
    expect(await countOf(session, 'api_retry')).toBeGreaterThan(0);
  });

  it('an endless 529 fails the turn after `CLAUDE_CODE_MAX_RETRIES`', async () => {
    const { start } = await stage({ env: { CLAUDE_CODE_MAX_RETRIES: '2' } });
    const session = await start();
    const result = await session.prompt('ERROR 529').result;

    expect(result).toMatchObject({ outcome: 'failed' });
    expect(result.error).toMatchObject({ details: { apiErrorStatus: 529 } });
    expect(await countOf(session, 'api_retry')).toBe(2);
  });

  it('a refused connection fails the turn with a reason', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { start, setting } = await stage();
    const session = await start({ env: { ...setting.env, ANTHROPIC_BASE_URL: url } });
    const result = await session.prompt('hello').result;

    expect(result).toMatchObject({ outcome: 'failed', text: undefined });
    expect(result.error?.message).toMatch(/connect|refused/i);
    expect(await countOf(session, 'api_retry')).toBeGreaterThan(0);
    expect(session.usage().costUsd).toBe(0);
  });

  it('an interrupt ends the wait for the next try at once', async () => {
    const { start } = await stage({ env: { CLAUDE_CODE_MAX_RETRIES: '10' } });
    const session = await start();
    const turn = session.prompt('ERROR 529');
    await eventOf(session, 'message', ({ message }) => message.subtype === 'api_retry');
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    // The former prompt stands in the history; its error was for the request that it was sent with.
    expect((await session.prompt('hello').result).outcome).toBe('completed');
  });

  it('a stream that breaks is asked for again, and the turn completes with the whole answer', async () => {
    const words = streamText({ words: 20, delayMs: 1 });
    const { start, model } = await stage({
      script: { rules: [{ when: { nth: 1 }, reply: cutAfter(6, words) }], otherwise: words },
    });
    const session = await start();

    expect(await session.prompt('hello').result).toMatchObject({
      outcome: 'completed',
      text: expect.stringMatching(/^w0 w1 .*w19$/),
    });
    expect(model.requests.length).toBeGreaterThan(1);
  });
});
