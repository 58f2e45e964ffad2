import { describe, expect, it } from 'vitest';
import { query, TroupeError } from '../../../src/index.ts';
import { textDeltaOf, textOf } from '../../../src/wire/message-text.ts';
import { eventOf, processesOf, stage, statesOf } from './stage.ts';
import { recorded } from './transcript-of.ts';

describe('a session on the real CLI', () => {
  it('becomes ready on the initialize answer, before any turn (WIRE §0.1, §0.2)', async () => {
    const { start, cli } = await stage();
    const session = await start({ id: 'plain' });

    expect(session.state).toBe('ready');
    expect(session.status).toBe('idle');
    expect(statesOf(session)).toEqual(['waiting', 'spawning', 'initializing', 'ready']);
    // Older releases tell their version only with the first turn (WIRE §1).
    expect(session.facts.cliVersion).toBe(cli.since('2.1.220') ? cli.version : undefined);
    expect(session.pid).toBeGreaterThan(1);
    expect(session.conversationId).toBeUndefined();
  });

  it('answers a prompt with text, usage and cost, and ends on its own result (P3)', async () => {
    const { start } = await stage();
    const session = await start();
    const turn = session.prompt('hello there');
    await turn.accepted;
    const types: string[] = [];
    for await (const message of turn)
      types.push(message.subtype === undefined ? message.type : `${message.type}/${message.subtype}`);
    const result = await turn.result;

    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Echo: hello there',
      promptIds: [turn.id],
      error: undefined,
    });
    expect(result.costUsd).toBeGreaterThan(0);
    expect(result.usage?.outputTokens).toBeGreaterThan(0);
    expect(types).toContain('system/init');
    expect(types.at(-1)).toBe('result/success');
    expect(session.conversationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('streams every word in order with partial messages (WIRE §10)', async () => {
    const { start } = await stage({ script: { slowDelayMs: 5 } });
    const session = await start({ includePartialMessages: true });
    let text = '';
    for await (const message of session.prompt('SLOW 40')) text += textDeltaOf(message) ?? '';

    expect(text.trim().split(' ')).toEqual(Array.from({ length: 40 }, (_, index) => `w${index}`));
  });

  it('runs two prompts sent at once as two turns, in order (R79)', async () => {
    const { start } = await stage();
    const session = await start();
    const [first, second] = [session.prompt('alpha'), session.prompt('bravo')];
    const results = await Promise.all([first.result, second.result]);

    expect(results.map(({ text }) => text)).toEqual(['Echo: alpha', 'Echo: bravo']);
    expect(results.map(({ promptIds }) => promptIds)).toEqual([[first.id], [second.id]]);
    expect(session.usage().turns).toBe(2);
  });

  it('ends each of three steered prompts exactly once although the CLI merges two (WIRE §11, P2)', async () => {
    const { start } = await stage();
    const session = await start();
    const turns = ['alpha', 'bravo', 'charlie'].map((text) => session.prompt(text, { onBusy: 'steer' }));
    const results = await Promise.all(turns.map(({ result }) => result));

    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(results[0]?.text).toBe('Echo: alpha');
    expect(results[2]?.text).toContain('charlie');
  });

  it('a fork knows what was said and goes on under an id of its own, while the first one goes on (WIRE §12)', async () => {
    const { start, model, configDir } = await stage();
    const first = await start();
    await first.prompt('remember the lamp').result;
    await recorded(configDir, 'Echo: remember the lamp');
    const fork = await first.fork();
    expect((await fork.prompt('and the fork').result).text).toBe('Echo: and the fork');
    expect(JSON.stringify(model.requests.at(-1))).toContain('remember the lamp');
    expect(fork.conversationId).not.toBe(first.conversationId);
    expect((await first.prompt('and the first').result).text).toBe('Echo: and the first');
    expect(JSON.stringify(model.requests.at(-1))).not.toContain('and the fork');
  });

  it('resumes a conversation under its id and knows what was said (WIRE §12)', async () => {
    const { start, model } = await stage();
    const first = await start();
    await first.prompt('remember the lamp').result;
    const { conversationId } = first;
    await first.close();
    const second = await start({ resume: conversationId ?? '' });
    const result = await second.prompt('go on').result;

    expect(result.outcome).toBe('completed');
    expect(second.conversationId).toBe(conversationId);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('remember the lamp');
  });

  it('refuses a second session on a living conversation (R70)', async () => {
    const { start } = await stage();
    const first = await start();
    await first.prompt('hello').result;

    await expect(start({ resume: first.conversationId ?? '' })).rejects.toMatchObject({ code: 'CONVERSATION_IN_USE' });
  });

  it('names an unknown conversation as such, at once and for good (R02, R62, WIRE §12)', async () => {
    const { start, supervisor } = await stage();
    const startedAt = Date.now();
    const failure = await start({ id: 'lost', resume: '99999999-1111-4111-8111-111111111111' }).catch(
      (error: unknown) => error,
    );

    expect(TroupeError.is(failure) && failure.code).toBe('CONVERSATION_NOT_FOUND');
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    expect(supervisor.list()).toEqual([]);
    expect(processesOf('lost')).toEqual([]);
  });

  it.each([
    [400, 'TURN_FAILED'],
    [429, 'QUOTA_REACHED'],
    [500, 'TURN_FAILED'],
  ])('reports API error %i as a failed turn, never as an answer (R88, WIRE §13)', async (status, code) => {
    const { start } = await stage();
    // A session that takes part in the limits of its account would wait out the 429 (R86).
    const session = await start({ onQuota: 'ignore' });
    const failed = await session.prompt(`ERROR ${status}`).result;

    expect(failed).toMatchObject({ outcome: 'failed', text: undefined });
    expect(failed.error).toMatchObject({ code, details: { apiErrorStatus: status } });
    expect(session.state).toBe('ready');
  });

  it('changes model and permission mode while it runs', async () => {
    const { start, cli } = await stage();
    const session = await start();
    await session.setPermissionMode('plan');
    await session.setModel('claude-haiku-4-5');
    await session.prompt('hello').result;

    expect(session.facts).toMatchObject({ permissionMode: 'plan', model: 'claude-haiku-4-5' });
    await expect(session.setPermissionMode('nonsense')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    // Up to 2.1.197 the CLI itself takes any name (WIRE §9), so only our own check stands before it.
    const nonsense = session.control('set_permission_mode', { mode: 'nonsense' });
    if (cli.since('2.1.220')) await expect(nonsense).rejects.toMatchObject({ code: 'CONTROL_REFUSED' });
    else await expect(nonsense).resolves.toEqual({ mode: 'nonsense' });
    await expect(session.control('no_such_request')).rejects.toMatchObject({ code: 'CONTROL_UNSUPPORTED' });
  });

  it('closes with exit code 0 after a good turn, 1 after a failed one, and leaves nothing (WIRE §13, P1)', async () => {
    const { start } = await stage();
    const [good, bad] = await Promise.all([start({ id: 'good' }), start({ id: 'bad' })]);
    await Promise.all([good.prompt('hello').result, bad.prompt('ERROR 400').result]);
    const ends = [eventOf(good, 'session.ended'), eventOf(bad, 'session.ended')];
    await Promise.all([good.close(), bad.close()]);

    expect((await Promise.all(ends)).map(({ exitCode }) => exitCode)).toEqual([0, 1]);
    expect([good.state, bad.state]).toEqual(['closed', 'closed']);
    expect([...processesOf('good'), ...processesOf('bad')]).toEqual([]);
  });
});

describe('query() on the real CLI', () => {
  it('yields the messages of one conversation from init to result and leaves no process', async () => {
    const { setting } = await stage();
    const messages = [];
    for await (const message of query({ prompt: 'What is 2+2?', options: { ...setting, id: 'asked' } }))
      messages.push(message);

    expect(messages.map((message) => message['subtype'])).toContain('init');
    expect(messages.find(({ type }) => type === 'result')).toMatchObject({
      result: 'Echo: What is 2+2?',
      is_error: false,
    });
    expect(messages.some((message) => message['isReplay'] === true)).toBe(false);
    expect(processesOf('asked')).toEqual([]);
  });

  it('takes a stream of prompts', async () => {
    const { setting } = await stage();
    async function* prompts() {
      yield { type: 'user' as const, message: { role: 'user' as const, content: 'one' } };
      yield { type: 'user' as const, message: { role: 'user' as const, content: [{ type: 'text', text: 'two' }] } };
    }
    let text = '';
    for await (const message of query({ prompt: prompts(), options: setting })) text += JSON.stringify(message);

    expect(text).toContain('Echo: one');
    expect(text).toContain('two');
  });
});

describe('the helpers', () => {
  it('read the text of an assistant message', async () => {
    const { start } = await stage();
    const session = await start();
    const texts: string[] = [];
    for await (const message of session.prompt('hi')) if (message.type === 'assistant') texts.push(textOf(message));

    expect(texts).toEqual(['Echo: hi']);
  });
});
