import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Session, tool } from '../../../src/index.ts';
import { rawServer, SOUND, soundBut } from '../../mcp/raw-server.ts';
import { eventOf, stage, statesOf } from './stage.ts';

const GO = 'CALL mcp__raw__go {}';
const allowedTools = ['mcp__raw__go', 'mcp__good__hi', 'mcp__late__go'];
const sdk = (instance: object, more: object = {}) => ({ type: 'sdk' as const, name: 'raw', instance, ...more });
const SHORT = { timeouts: { mcpServerMs: 2_000 } };

describe('an in-process server that never answers initialize (WIRE §4)', () => {
  it('costs seconds, not the first turn, and the one beside it serves that turn', async () => {
    const { start, model } = await stage(SHORT);
    const silent = soundBut('initialize', undefined);
    const session = await start({ mcpServers: { raw: sdk(silent), good: goodServer() }, allowedTools });
    // The answer to initialize does not wait for servers (WIRE §2): the silent one is waited for after it.
    expect(statesOf(session)).toEqual(['waiting', 'spawning', 'initializing', 'mcp-setup', 'ready']);
    expect(session.explain().degradedServers).toEqual([
      { name: 'raw', reason: expect.stringContaining('within 2000 ms') },
    ]);

    const promptedAt = Date.now();
    expect((await session.prompt('CALL mcp__good__hi {}').result).text).toContain('hi there');
    // The CLI of 2.1.197 alone would take 60 s, later ones two times MCP_TIMEOUT.
    expect(Date.now() - promptedAt).toBeLessThan(30_000);
    expect(JSON.stringify(model.requests[0]?.body)).toContain('mcp__good__hi');
    expect(await statusOf(session)).toEqual({ raw: 'failed', good: 'connected' });
    expect(silent.heard.filter((method) => method === 'initialize').length).toBeGreaterThan(1);
  });

  it('fails the start when it is required (MCP_SERVER_FAILED, P5)', async () => {
    const { start } = await stage(SHORT);
    const raw = sdk(soundBut('initialize', undefined), { required: true });
    await expect(start({ mcpServers: { raw } })).rejects.toMatchObject({
      code: 'MCP_SERVER_FAILED',
      details: { server: 'raw' },
    });
  });
});

describe('an in-process server that refuses initialize (WIRE §4)', () => {
  const refusing = () => soundBut('initialize', { error: { code: -1, message: 'not today' } });

  it('holds nothing back: its reason is told, the turn runs without it', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { raw: sdk(refusing()) }, allowedTools });
    expect(session.explain().degradedServers).toEqual([{ name: 'raw', reason: 'not today' }]);
    expect((await session.prompt(GO).result).text).toContain('No such tool available');
    expect(await statusOf(session)).toEqual({ raw: 'failed' });
  });

  it('fails the start with that reason when it is required', async () => {
    const { start } = await stage();
    await expect(start({ mcpServers: { raw: sdk(refusing(), { required: true }) } })).rejects.toMatchObject({
      code: 'MCP_SERVER_FAILED',
      details: { server: 'raw', error: 'not today' },
    });
  });
});

describe('an in-process server that is slow, or lists nothing (WIRE §4)', () => {
  it('is waited for, and its tool is there in the first turn', async () => {
    const { start } = await stage();
    const late = sdk(lateServer(1_200));
    const session = await start({ mcpServers: { late }, allowedTools });
    expect(session.explain().degradedServers).toEqual([]);
    expect((await session.prompt('CALL mcp__late__go {}').result).text).toContain('gone');
  });

  it('is told as failed when tools/list is never answered, although the CLI calls it connected (P6)', async () => {
    const { start, model } = await stage(SHORT);
    const session = await start({ mcpServers: { raw: sdk(soundBut('tools/list', undefined)) }, allowedTools });
    const promptedAt = Date.now();
    expect((await session.prompt(GO).result).text).toContain('No such tool available');
    // After mcpServerMs, where the CLI alone would wait 30 s.
    expect(Date.now() - promptedAt).toBeLessThan(25_000);
    expect(JSON.stringify(model.requests[0]?.body['tools'])).not.toContain('mcp__raw');
    await eventOf(session, 'mcp.server-changed', ({ status }) => status === 'failed');
    expect(session.explain().degradedServers).toEqual([{ name: 'raw', reason: expect.any(String) }]);
    expect(await statusOf(session)).toEqual({ raw: 'connected' });
  });
});

describe('a call that goes wrong (WIRE §4)', () => {
  it('with a JSON-RPC error is an error result, and the server stays', async () => {
    const { start } = await stage();
    const raw = sdk(soundBut('tools/call', { error: { code: -5, message: 'it is broken' } }));
    const session = await start({ mcpServers: { raw }, allowedTools });
    for (let round = 0; round < 2; round += 1) {
      expect((await session.prompt(GO).result).text).toContain('it is broken');
    }
    expect(await statusOf(session)).toEqual({ raw: 'connected' });
  });

  it.each([
    ['is never answered', undefined],
    ['is answered under another id', { ...SOUND['tools/call'], id: 'a stranger' }],
  ])('because it %s ends at the timeout of its server (R96)', async (_title, reply) => {
    const { start } = await stage();
    const server = soundBut('tools/call', reply);
    const session = await start({ mcpServers: { raw: sdk(server, { timeout: 1_000 }) }, allowedTools });
    expect((await session.prompt(GO).result).text).toMatch(/within 1000 ms|timed out/);
    expect(server.heard).toContain('notifications/cancelled');
    expect((await session.prompt('hello').result).text).toContain('hello');
  });

  it('ends at MCP_TOOL_TIMEOUT of the environment, and the handler hears of it (R96)', async () => {
    const { start } = await stage({ env: { MCP_TOOL_TIMEOUT: '2000' } });
    const server = soundBut('tools/call', undefined);
    const session = await start({ mcpServers: { raw: sdk(server) }, allowedTools });
    expect((await session.prompt(GO).result).text).toMatch(/timed out/);
    await expect.poll(() => server.heard).toContain('notifications/cancelled');
  });
});

describe('a server that its owner closes while a session runs (P5)', () => {
  it('answers every call with an error at once, and another object may take its place', async () => {
    const { start } = await stage();
    const good = goodServer();
    const session = await start({ mcpServers: { good }, allowedTools });
    expect((await session.prompt('CALL mcp__good__hi {}').result).text).toContain('hi there');
    await good.instance.close();
    expect((await session.prompt('CALL mcp__good__hi {}').result).text).toContain('The server is closed.');
    expect(session.explain().degradedServers).toEqual([{ name: 'good', reason: 'it was closed' }]);

    await session.setMcpServers({ good: goodServer() });
    expect((await session.prompt('CALL mcp__good__hi {}').result).text).toContain('hi there');
    expect(session.explain().degradedServers).toEqual([]);
  });
});

function goodServer() {
  const hi = tool('hi', 'Says hi.', {}, async () => ({ content: [{ type: 'text', text: 'hi there' }] }));
  return createSdkMcpServer({ name: 'good', tools: [hi] });
}

/** Sound, but its first answer takes this long. */
function lateServer(delayMs: number) {
  const server = rawServer(({ method }) => SOUND[method]);
  return {
    ...server,
    connect: (transport: Parameters<typeof server.connect>[0]) => {
      const send = transport.send.bind(transport);
      let isFirst = true;
      transport.send = (message, options) => {
        if (!isFirst) return send(message, options);
        isFirst = false;
        return new Promise((resolve) => setTimeout(() => resolve(send(message, options)), delayMs));
      };
      return server.connect(transport);
    },
  };
}

async function statusOf(session: Session): Promise<Record<string, string>> {
  return Object.fromEntries((await session.mcpServerStatus()).map(({ name, status }) => [name, status]));
}
