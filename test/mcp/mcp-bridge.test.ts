import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, tool } from '../../src/mcp/tool.ts';
import { openBridge } from './bridge-harness.ts';
import { serverThatWaits } from './waiting-tool.ts';

describe('the handshake', () => {
  it('is answered and told in the order of the wire (WIRE §2)', async () => {
    const { handshake, told } = openBridge({ calc: serverThatWaits().instance });
    const list = await handshake('calc');
    expect(list).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'wait' }] } });
    expect(told).toEqual([
      ['handshake', 'calc'],
      ['connected', 'calc'],
    ]);
  });

  it('may be repeated, and the calls in flight go on (R99, WIRE §2)', async () => {
    const server = serverThatWaits();
    const { handshake, call } = openBridge({ calc: server.instance });
    await handshake('calc');
    const early = call('calc', 0, 'wait', { tag: 'early' });
    await nextLoop();

    const list = await handshake('calc');
    const late = call('calc', 0, 'wait', { tag: 'late' });
    await nextLoop();
    server.callOf('late')?.answer.resolve('late');
    server.callOf('early')?.answer.resolve('early');

    expect(list.result.tools).toHaveLength(1);
    expect(await early).toMatchObject({ id: 0, result: { content: [{ text: 'early' }] } });
    expect(await late).toMatchObject({ id: 0, result: { content: [{ text: 'late' }] } });
    expect(server.callOf('early')?.extra.signal.aborted).toBe(false);
  });

  it('may run twice interleaved, as 2.1.19 and 2.1.197 do (WIRE §2)', async () => {
    const { handshake } = openBridge({ calc: serverThatWaits().instance });
    const lists = await Promise.all([handshake('calc'), handshake('calc')]);
    expect(lists.map(({ result }) => result.tools.length)).toEqual([1, 1]);
  });

  it('tells why it failed when the server is connected elsewhere, and every message gets its reply (R99)', async () => {
    const { instance } = serverThatWaits();
    await instance.connect({ start: async () => {}, send: async () => {}, close: async () => {} });
    const { request, told } = openBridge({ calc: instance });
    const reply = await request('calc', 0, 'initialize', {});
    expect(reply).toMatchObject({ id: 0, error: { message: expect.stringContaining('Already connected') } });
    expect(told).toEqual([
      ['handshake', 'calc'],
      ['failed', 'calc', expect.stringContaining('Already connected')],
    ]);
  });
});

describe('messages at the edge', () => {
  it('acknowledges a notification (R99, WIRE §2)', async () => {
    const { notify } = openBridge({ calc: serverThatWaits().instance });
    expect(await notify('calc', 'notifications/initialized')).toEqual({ jsonrpc: '2.0', result: {} });
    expect(await notify('calc', 'notifications/nobody-knows')).toEqual({ jsonrpc: '2.0', result: {} });
  });

  it.each(['nope', '', '__proto__', 'constructor', 7, undefined])(
    'refuses the unknown server %j (R99)',
    async (server) => {
      const { say, told } = openBridge({ calc: serverThatWaits().instance });
      const reply = await say(server, { jsonrpc: '2.0', id: 3, method: 'tools/list' });
      expect(reply).toMatchObject({ jsonrpc: '2.0', id: 3, error: { code: -32601 } });
      expect(told).toEqual([]);
    },
  );

  it('answers a ping, and refuses a method it does not know with -32601 (R99)', async () => {
    const { request } = openBridge({ calc: serverThatWaits().instance });
    expect(await request('calc', 'p', 'ping')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect(await request('calc', 4, 'no/such/method')).toMatchObject({ id: 4, error: { code: -32601 } });
  });

  it.each([
    ['nothing', undefined, null],
    ['a text', 'ping', null],
    ['a list', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], null],
    ['no method', { jsonrpc: '2.0', id: 1 }, 1],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 7 }, 1],
    ['a reply', { jsonrpc: '2.0', id: 1, result: {} }, 1],
    ['no version', { id: 1, method: 'ping' }, 1],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
    ['params that are a text', { jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' }, 1],
    [
      'a progress token that is an object',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { progressToken: {} } } },
      1,
    ],
  ])('answers malformed JSON-RPC with an error, never with silence: %s (R99)', async (_title, message, id) => {
    const { say } = openBridge({ calc: serverThatWaits().instance });
    const reply = await Promise.race([say('calc', message), nextLoop('silence')]);
    expect(reply).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } });
  });

  it('takes an id that is no JSON-RPC id for none: the message is acknowledged (R99)', async () => {
    const { say } = openBridge({ calc: serverThatWaits().instance });
    for (const id of [null, {}, true]) {
      expect(await say('calc', { jsonrpc: '2.0', id, method: 'ping' })).toEqual({ jsonrpc: '2.0', result: {} });
    }
  });
});

describe('calls', () => {
  it('run all at once: the first of 20 waits for the last (R98)', async () => {
    const server = serverThatWaits();
    const { call } = openBridge({ calc: server.instance });
    const tags = Array.from({ length: 20 }, (_, index) => `call-${index}`);
    const replies = tags.map((tag, index) => call('calc', index, 'wait', { tag }));
    await nextLoop();
    expect(server.calls.map(({ tag }) => tag)).toEqual(tags);

    const large = 'x'.repeat(100_000);
    for (const tag of tags.toReversed()) server.callOf(tag)?.answer.resolve(`${tag} ${large}`);
    const answered = await Promise.all(replies);
    expect(answered.map(({ id }) => id)).toEqual(tags.map((_, index) => index));
    expect(answered.map(({ result }) => result.content[0].text.slice(0, 7).trim())).toEqual(
      tags.map((tag) => tag.slice(0, 7)),
    );
  });

  it('that cannot succeed are error results, and the others do not notice (R98)', async () => {
    const { instance } = createSdkMcpServer({
      name: 'calc',
      tools: [
        tool('add', 'Adds.', { a: z.number() }, async ({ a }) => ({ content: [{ type: 'text', text: `${a + 1}` }] })),
        tool('throws', 'Throws.', {}, () => {
          throw new Error('boom');
        }),
        tool('rejects', 'Rejects.', {}, () => Promise.reject(new Error('bang'))),
      ],
    });
    const { call } = openBridge({ calc: instance });
    const [sum, unknown, invalid, threw, rejected, again] = await Promise.all([
      call('calc', 1, 'add', { a: 1 }),
      call('calc', 2, 'subtract'),
      call('calc', 3, 'add', { a: 'one' }),
      call('calc', 4, 'throws'),
      call('calc', 5, 'rejects'),
      call('calc', 6, 'add', { a: 2 }),
    ]);
    expect(sum).toMatchObject({ id: 1, result: { content: [{ text: '2' }] } });
    expect(again).toMatchObject({ id: 6, result: { content: [{ text: '3' }] } });
    expect(unknown).toMatchObject({ id: 2, result: { isError: true } });
    expect(invalid).toMatchObject({ id: 3, result: { isError: true } });
    expect(threw).toMatchObject({ id: 4, result: { isError: true, content: [{ text: 'boom' }] } });
    expect(rejected).toMatchObject({ id: 5, result: { isError: true, content: [{ text: 'bang' }] } });
  });

  it('see their own abort signal and the id of the tool use (WIRE §2)', async () => {
    const server = serverThatWaits();
    const { request } = openBridge({ calc: server.instance });
    void request('calc', 1, 'tools/call', {
      name: 'wait',
      arguments: { tag: 'a' },
      _meta: { 'claudecode/toolUseId': 'toolu_1', progressToken: 7 },
    });
    await nextLoop();
    expect(server.calls[0]?.extra._meta).toMatchObject({ 'claudecode/toolUseId': 'toolu_1', progressToken: 7 });
    expect(server.calls[0]?.extra.signal.aborted).toBe(false);
  });
});

describe('an id that is in use', () => {
  it('is refused without a second run of the tool, until its call has ended (PEER test_sdk_mcp_integration)', async () => {
    const server = serverThatWaits();
    const { handshake, call } = openBridge({ calc: server.instance });
    await handshake('calc');
    const first = call('calc', 7, 'wait', { tag: 'first' });
    await nextLoop();

    expect(await call('calc', 7, 'wait', { tag: 'doubled' })).toMatchObject({ id: 7, error: { code: -32600 } });
    expect(server.callOf('doubled')).toBeUndefined();
    server.callOf('first')?.answer.resolve('first');
    expect(await first).toMatchObject({ result: { content: [{ text: 'first' }] } });

    const again = call('calc', 7, 'wait', { tag: 'again' });
    await nextLoop();
    server.callOf('again')?.answer.resolve('again');
    expect(await again).toMatchObject({ result: { content: [{ text: 'again' }] } });
  });
});

describe('the deadline of a call', () => {
  it('of one tool aborts its handler and is an error result; what comes late is dropped (R96)', async () => {
    const server = serverThatWaits({ timeoutMs: 61_000 });
    const { call, clock } = openBridge({ calc: server.instance });
    const reply = call('calc', 2, 'wait', { tag: 'a' });
    await nextLoop();
    clock.increment(60_999);
    expect(server.callOf('a')?.extra.signal.aborted).toBe(false);
    clock.increment(1);

    expect(await reply).toMatchObject({
      id: 2,
      result: { isError: true, content: [{ text: expect.stringContaining('61000 ms') }] },
    });
    expect(server.callOf('a')?.extra.signal.aborted).toBe(true);
    server.callOf('a')?.answer.resolve('too late');
    await nextLoop();
    expect(clock.openTimers).toBe(0);
  });

  it('of a server holds for all of its tools, and the shorter one counts (R96)', async () => {
    const server = serverThatWaits({ timeoutMs: 61_000 });
    const { call, clock } = openBridge({ calc: server.instance }, 5_000);
    const reply = call('calc', 2, 'wait', { tag: 'a' });
    await nextLoop();
    clock.increment(5_000);
    expect(await reply).toMatchObject({ result: { isError: true } });
  });

  it('is none unless it is given: a tool may take hours (R96)', async () => {
    const server = serverThatWaits();
    const { call, clock } = openBridge({ calc: server.instance });
    const reply = call('calc', 2, 'wait', { tag: 'a' });
    await nextLoop();
    clock.increment(6 * 3_600_000);
    server.callOf('a')?.answer.resolve('at last');
    expect(await reply).toMatchObject({ result: { content: [{ text: 'at last' }] } });
  });
});

describe('a call that is given up', () => {
  it('aborts its handler and is answered exactly once, whatever the handler does then (R97)', async () => {
    const server = serverThatWaits();
    const { call, cancel } = openBridge({ calc: server.instance });
    const replies: unknown[] = [];
    const reply = call('calc', 7, 'wait', { tag: 'a' });
    void reply.then((value) => replies.push(value));
    const other = call('calc', 8, 'wait', { tag: 'b' });
    await nextLoop();

    expect(await cancel('calc', 7, 'interrupted')).toEqual({ jsonrpc: '2.0', result: {} });
    expect(await reply).toMatchObject({ id: 7, error: { code: -32001, message: 'interrupted' } });
    expect(server.callOf('a')?.extra.signal.aborted).toBe(true);
    expect(server.callOf('b')?.extra.signal.aborted).toBe(false);

    server.callOf('a')?.answer.resolve('I ignored the signal');
    server.callOf('b')?.answer.resolve('fine');
    expect(await other).toMatchObject({ id: 8, result: { content: [{ text: 'fine' }] } });
    expect(replies).toHaveLength(1);
  });

  it('may have the id 0', async () => {
    const server = serverThatWaits();
    const { call, cancel } = openBridge({ calc: server.instance });
    const reply = call('calc', 0, 'wait', { tag: 'a' });
    await nextLoop();
    await cancel('calc', 0);
    expect(await reply).toMatchObject({ id: 0, error: { code: -32001 } });
    expect(server.callOf('a')?.extra.signal.aborted).toBe(true);
  });

  it('does not exist when nobody, or an ended call, has the id: the cancel is only acknowledged', async () => {
    const server = serverThatWaits();
    const { call, cancel, notify } = openBridge({ calc: server.instance });
    const reply = call('calc', 7, 'wait', { tag: 'a' });
    await nextLoop();
    server.callOf('a')?.answer.resolve('done');
    await reply;
    for (const id of [7, 99, '7']) expect(await cancel('calc', id)).toEqual({ jsonrpc: '2.0', result: {} });
    expect(await notify('calc', 'notifications/cancelled')).toEqual({ jsonrpc: '2.0', result: {} });
    expect(server.callOf('a')?.extra.signal.aborted).toBe(false);
  });

  it('is given up by its control request too (R26), also when that was cancelled before', async () => {
    const server = serverThatWaits();
    const { call } = openBridge({ calc: server.instance });
    const controller = new AbortController();
    const reply = call('calc', 1, 'wait', { tag: 'a' }, controller.signal);
    await nextLoop();
    controller.abort();
    expect(await reply).toMatchObject({ id: 1, error: { code: -32001 } });
    expect(server.callOf('a')?.extra.signal.aborted).toBe(true);

    const early = await Promise.race([call('calc', 2, 'wait', { tag: 'b' }, AbortSignal.abort()), nextLoop('silence')]);
    expect(early).toMatchObject({ id: 2, error: { code: -32001 } });
    expect(server.callOf('b')?.extra.signal.aborted ?? true).toBe(true);
  });

  it('is answered once when the bridge closes, also one whose id was used again (R97)', async () => {
    const server = serverThatWaits();
    const { bridge, call, handshake } = openBridge({ calc: server.instance });
    const early = call('calc', 0, 'wait', { tag: 'early' });
    await handshake('calc');
    const replies = [early, call('calc', 0, 'wait', { tag: 'late' })];
    await nextLoop();

    bridge.close();
    const answered = await Promise.race([Promise.all(replies), nextLoop('silence')]);
    const gone = { id: 0, error: { code: -32001, message: 'The session ended.' } };
    expect(answered).toMatchObject([gone, gone]);
    expect(server.calls.map(({ extra }) => extra.signal.aborted)).toEqual([true, true]);
    expect(await call('calc', 1, 'wait', { tag: 'too late' })).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(server.callOf('too late')).toBeUndefined();
  });

  it('leaves no listener on the signal of its request (R60)', async () => {
    const server = serverThatWaits();
    const { call } = openBridge({ calc: server.instance });
    const { signal } = new AbortController();
    for (let id = 0; id < 50; id += 1) {
      const reply = call('calc', id, 'wait', { tag: `${id}` }, signal);
      await nextLoop();
      server.callOf(`${id}`)?.answer.resolve('done');
      await reply;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
