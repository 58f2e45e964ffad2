import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sendPrompt, until } from '../../session/memory-cli.ts';
import { engineStage } from './front-end.ts';

describe('what one front end may cost (P9)', () => {
  it('is cut when it never says hello, with the reason', async () => {
    const { connect, clock, engine } = await engineStage();
    const silent = connect();
    clock.increment(9_999);
    expect(silent.cuts).toEqual([]);
    clock.increment(1);
    expect(silent.cuts).toEqual(['not-initialized']);
    expect(engine.connections).toBe(0);

    const polite = connect();
    await polite.call('initialize', { protocol_version: '1.0' });
    clock.increment(60_000);
    expect(polite.cuts).toEqual([]);
  });

  it('is cut for a frame that is too large, counted in bytes', async () => {
    const { join } = await engineStage({}, { limits: { maxFrameBytes: 200 } });
    const frontEnd = await join();
    const text = 'ä'.repeat(60);
    expect(await frontEnd.call('no_such_method', { text })).toMatchObject({ error: { code: -32_601 } });
    frontEnd.sayText(JSON.stringify({ text: 'ä'.repeat(100) }));
    expect(frontEnd.cuts).toEqual(['frame-too-large']);
  });

  it('has so many calls open at a time, and so many in a batch', async () => {
    const { join, cli } = await engineStage({}, { limits: { maxOpenCalls: 2, maxBatch: 2 } });
    const frontEnd = await join();
    void frontEnd.call('user_message', { content: 'one' });
    void frontEnd.call('user_message', { content: 'two' });
    await until(() => cli().prompts().length === 1);
    expect(await frontEnd.call('session_list')).toMatchObject({
      error: { code: -32_000, data: { code: 'FRONT_END_LIMIT', details: { limit: 'maxOpenCalls', max: 2 } } },
    });

    const other = await join();
    const list = { jsonrpc: '2.0', id: 7, method: 'session_list' };
    other.say([list, { ...list, id: 8 }]);
    await until(() => other.received.some(Array.isArray));
    other.say([list, list, list]);
    other.say([]);
    await until(() => other.received.filter((frame) => 'error' in frame).length === 2);
    expect(other.received.at(-1)).toMatchObject({ id: null, error: { code: -32_600 } });
  });

  it('follows so many sessions', async () => {
    const { connect, supervisor } = await engineStage({}, { limits: { maxAttachments: 1 } });
    await supervisor.start({ id: 'other' });
    const frontEnd = connect();
    await frontEnd.call('initialize', { protocol_version: '1.0', session_id: 'review' });
    expect(await frontEnd.call('session_attach', { session_id: 'other' })).toMatchObject({
      error: { data: { code: 'FRONT_END_LIMIT', details: { limit: 'maxAttachments' } } },
    });
    await frontEnd.call('session_detach', { session_id: 'review' });
    expect(await frontEnd.call('session_attach', { session_id: 'other' })).toHaveProperty('result.state', 'ready');
  });

  it('waits while it does not read, then is cut; another on the same session hears everything (P10)', async () => {
    const { join, cli, session, clock } = await engineStage({}, { limits: { maxBufferedBytes: 4_000 } });
    const [slow, quick] = [await join('slow'), await join('quick')];
    await sendPrompt(session, cli());
    cli().openTurn();
    slow.stall();
    for (let line = 0; line < 100; line += 1) {
      cli().say({ type: 'assistant', message: { id: `m${line}`, content: [{ type: 'text', text: `token ${line}` }] } });
    }
    await until(() => quick.notices('assistant_token').length === 100);
    const before = slow.notices('assistant_token').length;
    expect(before).toBeLessThan(40);
    expect(slow.cuts).toEqual([]);

    // It reads again in time: nothing is lost, and the order is kept.
    slow.readAgain();
    await until(() => slow.notices('assistant_token').length === 100);
    expect(slow.notices('assistant_token')).toEqual(quick.notices('assistant_token'));

    slow.stall();
    for (let line = 0; line < 100; line += 1)
      cli().say({ type: 'assistant', message: { content: [{ type: 'text', text: 'x' }] } });
    await until(() => quick.notices('assistant_token').length === 200);
    clock.increment(29_999);
    expect(slow.cuts).toEqual([]);
    clock.increment(1);
    expect(slow.cuts).toEqual(['too-slow']);
    expect(quick.cuts).toEqual([]);
  });

  it('is cut at once when answers pile up that it does not read', async () => {
    const { join } = await engineStage({}, { limits: { maxBufferedBytes: 2_000 } });
    const frontEnd = await join();
    frontEnd.stall();
    for (let id = 0; id < 60; id += 1) frontEnd.say({ jsonrpc: '2.0', id, method: 'session_list' });
    await until(() => frontEnd.cuts.length === 1);
    expect(frontEnd.cuts).toEqual(['too-slow']);
  });
});

describe('whatever a front end sends (P6)', () => {
  it('is answered as JSON-RPC says, and ends nothing', async () => {
    const { join } = await engineStage();
    const frontEnd = await join();
    const answerTo = async (text: string) => {
      const before = frontEnd.received.length;
      frontEnd.sayText(text);
      await until(() => frontEnd.received.length > before);
      return frontEnd.received.at(-1);
    };
    expect(await answerTo('{')).toMatchObject({ id: null, error: { code: -32_700 } });
    for (const text of ['null', '7', '{}', '[]', '[1]', '{"jsonrpc":"1.0","method":"x","id":1}'])
      expect(await answerTo(text)).toMatchObject({ id: null, error: { code: -32_600 } });
    for (const method of ['constructor', '__proto__', 'toString', 'rm'])
      expect(await answerTo(JSON.stringify({ jsonrpc: '2.0', id: 'x', method }))).toMatchObject({
        id: 'x',
        error: { code: -32_601 },
      });
    const { length } = frontEnd.received;
    // Notifications and answers that nobody waits for are ignored.
    frontEnd.say({ jsonrpc: '2.0', method: 'unknown_notification', params: {} });
    frontEnd.say({ jsonrpc: '2.0', id: 99, result: { decision: 'allow' } });
    expect(await frontEnd.call('session_list')).toHaveProperty('result.sessions.0.session_id', 'review');
    expect(frontEnd.received).toHaveLength(length + 1);
  });

  it('never throws, and leaves the session as it was', async () => {
    const { join, session, cli } = await engineStage();
    const frontEnd = await join('reader', { role: 'observer' });
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record({ session_id: fc.jsonValue(), from: fc.jsonValue(), content: fc.jsonValue() }),
    );
    const method = fc.constantFrom(
      'initialize',
      'user_message',
      'session_attach',
      'session_detach',
      'interrupt',
      'cancel',
      'x',
    );
    const frame = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .record({ jsonrpc: fc.constant('2.0'), id: fc.jsonValue(), method, params })
        .map((value) => JSON.stringify(value)),
      fc
        .record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), result: fc.jsonValue() })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(fc.property(frame, (text) => frontEnd.sayText(text)));
    expect(await frontEnd.call('session_list')).toHaveProperty('result.sessions.0.session_id', 'review');
    expect(session.state).toBe('ready');
    expect(cli().prompts()).toEqual([]);
    for (const { error } of frontEnd.received)
      if (error !== undefined) expect(error).not.toMatchObject({ code: -32_603 });
  });
});
