import { setImmediate as nextLoop } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ServableServer } from '../../src/mcp/server-hub.ts';
import { openBridge } from './bridge-harness.ts';
import { soundBut } from './raw-server.ts';
import { serverThatWaits } from './waiting-tool.ts';

describe('what a server says on its own', () => {
  it('is forwarded when it is a notification', async () => {
    const { instance } = serverThatWaits();
    const { handshake, told } = openBridge({ calc: instance });
    await handshake('calc');
    instance.sendToolListChanged();
    await nextLoop();
    expect(told.at(-1)).toEqual([
      'notification',
      'calc',
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
  });

  it('is refused at once when it is a request, such as an elicitation (WIRE §19)', async () => {
    const { instance } = serverThatWaits();
    const { handshake, told } = openBridge({ calc: instance });
    await handshake('calc');
    await expect(instance.server.request({ method: 'roots/list' }, z.looseObject({}))).rejects.toMatchObject({
      code: -32601,
    });
    expect(told.filter(([what]) => what === 'notification')).toEqual([]);
  });
});

describe('a server that its owner closes', () => {
  it('answers the calls in flight and all later ones with an error, and serves the next session again (P5)', async () => {
    const server = serverThatWaits();
    const { call } = openBridge({ calc: server.instance });
    const reply = call('calc', 1, 'wait', { tag: 'a' });
    await nextLoop();

    await server.instance.close();
    expect(await Promise.race([reply, nextLoop('silence')])).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(await Promise.race([call('calc', 2, 'wait', { tag: 'b' }), nextLoop('silence')])).toMatchObject({
      id: 2,
      error: { code: -32000 },
    });
    expect((await openBridge({ calc: server.instance }).handshake('calc')).result.tools).toHaveLength(1);
  });

  it('is told as failed, and serves the same session again from its next handshake on (R99)', async () => {
    const server = serverThatWaits();
    const { call, handshake, told } = openBridge({ calc: server.instance });
    await handshake('calc');
    await server.instance.close();
    expect(told.at(-1)).toEqual(['failed', 'calc', 'it was closed']);
    expect(await call('calc', 2, 'wait', { tag: 'dead' })).toMatchObject({ error: { code: -32000 } });

    expect((await handshake('calc')).result.tools).toHaveLength(1);
    const reply = call('calc', 2, 'wait', { tag: 'alive' });
    await nextLoop();
    server.callOf('alive')?.answer.resolve('alive');
    expect(await reply).toMatchObject({ result: { content: [{ text: 'alive' }] } });
    expect(told.at(-1)).toEqual(['connected', 'calc']);
  });
});

describe('a server that is silent while it shakes hands', () => {
  it('is answered for at the deadline, because some releases wait 60 s for it (WIRE §4, §23, P5)', async () => {
    const { request, clock, told } = openBridge({ mute: soundBut('initialize', undefined) });
    const reply = request('mute', 0, 'initialize', {});
    await nextLoop();
    clock.increment(29_999);
    expect(await Promise.race([reply, nextLoop('silence')])).toBe('silence');
    clock.increment(1);
    expect(await reply).toMatchObject({ id: 0, error: { message: 'it did not answer "initialize" within 30000 ms' } });
    // Whoever watches the servers has a deadline of its own.
    expect(told).toEqual([['handshake', 'mute']]);
    expect(clock.openTimers).toBe(0);
  });

  it('is told as failed when it never lists its tools, whoever gives up first (P6)', async () => {
    const { request, notify, cancel, clock, told } = openBridge({ mute: soundBut('tools/list', undefined) });
    await request('mute', 0, 'initialize', {});
    await notify('mute', 'notifications/initialized');
    const replies = [request('mute', 1, 'tools/list'), request('mute', 2, 'tools/list')];
    await nextLoop();
    await cancel('mute', 1, 'Request timed out');
    clock.increment(30_000);
    await Promise.all(replies);
    expect(told.slice(2)).toEqual([
      ['failed', 'mute', 'Request timed out'],
      ['failed', 'mute', 'it did not answer "tools/list" within 30000 ms'],
    ]);
  });

  it('is none for having no tools at all', async () => {
    const { handshake, told } = openBridge({
      bare: new Server({ name: 'bare', version: '1.0.0' }, { capabilities: {} }),
    });
    expect(await handshake('bare')).toMatchObject({ error: { code: -32601 } });
    expect(told.at(-1)).toEqual(['connected', 'bare']);
  });
});

describe('one server in two sessions', () => {
  it('serves the same ids to both and confuses nothing', async () => {
    const server = serverThatWaits();
    const [left, right] = [openBridge({ calc: server.instance }), openBridge({ tools: server.instance })];
    await Promise.all([left.handshake('calc'), right.handshake('tools')]);
    const replies = [left.call('calc', 2, 'wait', { tag: 'left' }), right.call('tools', 2, 'wait', { tag: 'right' })];
    await nextLoop();
    server.callOf('right')?.answer.resolve('right');
    server.callOf('left')?.answer.resolve('left');
    expect(await Promise.all(replies)).toMatchObject([
      { id: 2, result: { content: [{ text: 'left' }] } },
      { id: 2, result: { content: [{ text: 'right' }] } },
    ]);
  });

  it('cancels only the call of the one that asked, and goes on when the other leaves (R97)', async () => {
    const server = serverThatWaits();
    const [left, right] = [openBridge({ calc: server.instance }), openBridge({ calc: server.instance })];
    const calls = ['a', 'b'].map((tag) => left.call('calc', tag, 'wait', { tag }));
    const other = right.call('calc', 'a', 'wait', { tag: 'other' });
    await nextLoop();

    await left.cancel('calc', 'a');
    left.bridge.close();
    await Promise.all(calls);
    expect(server.calls.map(({ tag, extra }) => [tag, extra.signal.aborted])).toEqual([
      ['a', true],
      ['b', true],
      ['other', false],
    ]);
    server.callOf('other')?.answer.resolve('still here');
    expect(await other).toMatchObject({ result: { content: [{ text: 'still here' }] } });
  });

  it('tells the progress of a call only to its caller (R99)', async () => {
    const server = serverThatWaits();
    const [left, right] = [openBridge({ calc: server.instance }), openBridge({ calc: server.instance })];
    await Promise.all([left.handshake('calc'), right.handshake('calc')]);
    const params = { name: 'wait', arguments: { tag: 'left' }, _meta: { progressToken: 1 } };
    const reply = left.request('calc', 2, 'tools/call', params);
    await nextLoop();

    await server.calls[0]?.extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 50 },
    });
    expect(left.told.at(-1)).toEqual([
      'notification',
      'calc',
      expect.objectContaining({ method: 'notifications/progress' }),
    ]);
    expect(right.told.filter(([what]) => what === 'notification')).toEqual([]);

    server.calls[0]?.answer.resolve('done');
    await reply;
    server.instance.sendToolListChanged();
    await nextLoop();
    expect([left, right].map(({ told }) => told.at(-1)?.[0])).toEqual(['notification', 'notification']);
  });

  it('can be joined again after the last one left', async () => {
    const server = serverThatWaits();
    const first = openBridge({ calc: server.instance });
    await first.handshake('calc');
    first.bridge.close();
    const second = openBridge({ calc: server.instance });
    expect((await second.handshake('calc')).result.tools).toHaveLength(1);

    const reply = second.call('calc', 2, 'wait', { tag: 'again' });
    await nextLoop();
    server.callOf('again')?.answer.resolve('again');
    expect(await reply).toMatchObject({ result: { content: [{ text: 'again' }] } });
    expect(first.told.filter(([what]) => what === 'notification')).toEqual([]);
  });

  it('can be joined while the last one leaves', async () => {
    const server = serverThatWaits();
    for (let round = 0; round < 5; round += 1) {
      const bridge = openBridge({ calc: server.instance });
      const handshake = bridge.handshake('calc');
      bridge.bridge.close();
      await handshake;
    }
    expect((await openBridge({ calc: server.instance }).handshake('calc')).result.tools).toHaveLength(1);
  });
});

describe('a server that is taken away', () => {
  it('has its calls answered and its signals aborted, and another object may take its name', async () => {
    const [old, fresh] = [serverThatWaits(), serverThatWaits()];
    const servers: Record<string, ServableServer> = { calc: old.instance };
    const { bridge, handshake, call } = openBridge(servers);
    await handshake('calc');
    const reply = call('calc', 2, 'wait', { tag: 'old' });
    await nextLoop();

    servers['calc'] = fresh.instance;
    bridge.prune();
    expect(await reply).toMatchObject({ id: 2, error: { code: -32001, message: 'The server was removed.' } });
    expect(old.callOf('old')?.extra.signal.aborted).toBe(true);

    await handshake('calc');
    const next = call('calc', 2, 'wait', { tag: 'fresh' });
    await nextLoop();
    fresh.callOf('fresh')?.answer.resolve('fresh');
    expect(await next).toMatchObject({ result: { content: [{ text: 'fresh' }] } });
    delete servers['calc'];
    expect(await call('calc', 3, 'wait', { tag: 'gone' })).toMatchObject({ error: { code: -32601 } });
  });
});

describe('a low-level Server', () => {
  it('is served too: its errors are JSON-RPC errors, its progress and its log reach the CLI (R99)', async () => {
    const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [{ name: 'raw', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
      if (params.name !== 'raw') throw new Error('no such tool');
      const progress = { progressToken: 7, progress: 1 };
      await sendNotification({ method: 'notifications/progress', params: progress });
      return { content: [{ type: 'text', text: 'raw' }] };
    });
    const { handshake, call, request, told } = openBridge({ low: server });
    expect((await handshake('low')).result.tools).toHaveLength(1);
    const meta = { name: 'raw', arguments: {}, _meta: { progressToken: 7 } };
    expect(await request('low', 2, 'tools/call', meta)).toMatchObject({ result: { content: [{ text: 'raw' }] } });
    expect(await call('low', 3, 'other')).toMatchObject({ id: 3, error: { message: 'no such tool' } });
    await server.sendLoggingMessage({ level: 'info', data: 'hello' });
    const methods = told.flatMap(([what, , note]) =>
      what === 'notification' ? [(note as { method: string }).method] : [],
    );
    expect(methods).toEqual(['notifications/progress', 'notifications/message']);
  });

  it('gets an answer to its ping, so that it does not take the CLI for gone (PEER test_sdk_mcp_integration)', async () => {
    const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: {} });
    const { request } = openBridge({ low: server });
    await request('low', 0, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    });
    expect(await server.ping()).toEqual({});
  });
});

describe('any McpServer', () => {
  it('is served, not only those of createSdkMcpServer', async () => {
    const instance = new McpServer({ name: 'own', version: '1.0.0' });
    instance.registerTool('hi', { description: 'Hi.' }, async () => ({ content: [{ type: 'text', text: 'hi' }] }));
    const { handshake, call } = openBridge({ own: instance });
    expect((await handshake('own')).result.tools).toHaveLength(1);
    expect(await call('own', 2, 'hi')).toMatchObject({ result: { content: [{ text: 'hi' }] } });
  });
});
