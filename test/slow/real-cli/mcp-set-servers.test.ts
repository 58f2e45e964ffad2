import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Session, StdioMcpServerOptions } from '../../../src/index.ts';
import { createSdkMcpServer, tool } from '../../../src/index.ts';
import { eventOf, processesOf, stage } from './stage.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url));
const stdio = (...args: string[]): StdioMcpServerOptions => ({ command: process.execPath, args: [FIXTURE, ...args] });
const call = (name: string, input: object = {}) => `CALL mcp__${name} ${JSON.stringify(input)}`;
const ALLOW = { allowedTools: ['mcp__calc__*', 'mcp__mail__*', 'mcp__docs__*', 'mcp__web__*'] };

describe('another set of servers (official setMcpServers)', () => {
  it('brings in-process servers at once and takes the former ones away (WIRE §9)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { calc: saying('one') }, ...ALLOW });
    expect((await session.prompt(call('calc__say')).result).text).toContain('one');

    const result = await session.setMcpServers({ mail: saying('post') });
    expect(result).toEqual({ added: ['mail'], removed: ['calc'], errors: {} });
    expect((await session.prompt(call('mail__say')).result).text).toContain('post');
    expect((await session.prompt(call('calc__say')).result).text).toMatch(/no such tool|not found|unknown/i);
    expect(Object.keys(await statusOf(session))).toEqual(['mail']);
    await changed(session, 'calc', 'removed');
    expect(session.snapshot().settings).toMatchObject({ mcpServers: ['mail'] });
  });

  it('serves another object under a known name', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { calc: saying('old') }, ...ALLOW });
    expect(await session.setMcpServers({ calc: saying('new') })).toMatchObject({ removed: [], errors: {} });
    expect((await session.prompt(call('calc__say')).result).text).toContain('new');
  });

  it('brings an external server, says why one could not come, and lets both go again', async () => {
    const { start } = await stage();
    const session = await start({ id: 'mixed', ...ALLOW });
    const broken = { ...stdio('--exit'), reconnect: false as const };
    const { added, errors } = await session.setMcpServers({ docs: stdio(), web: broken });
    expect(added.toSorted()).toEqual(['docs', 'web']);
    expect(errors).toEqual({ web: expect.stringMatching(/closed/i) });
    expect((await session.prompt(call('docs__echo', { text: 'hi' })).result).text).toContain('echo hi');
    await changed(session, 'docs', 'connected');
    await changed(session, 'web', 'failed');

    expect((await session.setMcpServers({})).removed.toSorted()).toEqual(['docs', 'web']);
    await expect.poll(() => fixturesOf('mixed')).toBe(0);
    await changed(session, 'docs', 'removed');
  });

  it('leaves the external servers of the options, which no call has named', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { docs: { ...stdio(), required: true } }, ...ALLOW });
    expect(await session.setMcpServers({ calc: saying('42') })).toEqual({ added: ['calc'], removed: [], errors: {} });
    expect((await session.prompt(call('docs__echo', { text: 'still' })).result).text).toContain('echo still');
  });

  it('rejects when a required one does not come, and the others are there (MCP_SERVER_FAILED)', async () => {
    const { start } = await stage();
    const session = await start(ALLOW);
    const servers = { web: { ...stdio('--exit'), required: true, reconnect: false as const }, calc: saying('42') };
    await expect(session.setMcpServers(servers)).rejects.toMatchObject({
      code: 'MCP_SERVER_FAILED',
      details: { server: 'web', error: expect.stringMatching(/closed/i) },
    });
    expect((await session.prompt(call('calc__say')).result).text).toContain('42');
    expect(session.snapshot().settings).toMatchObject({ mcpServers: ['web', 'calc'] });
  });

  it('is refused before anything happens when it is wrong (INVALID_OPTIONS)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { calc: saying('one') }, ...ALLOW });
    const wrong = { calc: saying('two'), docs: { command: '' } };
    await expect(session.setMcpServers(wrong)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'servers.docs.command' },
    });
    expect((await session.prompt(call('calc__say')).result).text).toContain('one');
  });

  it('is what the next process starts with after a kill -9 (P8)', async () => {
    const { start } = await stage();
    const session = await start({
      id: 'killed',
      restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } },
      mcpServers: { calc: saying('old') },
      ...ALLOW,
    });
    await session.setMcpServers({ mail: saying('post'), docs: stdio() });
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');

    expect((await session.prompt(call('mail__say')).result).text).toContain('post');
    await changed(session, 'docs', 'connected', 2);
    expect((await session.prompt(call('docs__echo', { text: 'again' })).result).text).toContain('echo again');
    expect(session.incarnation).toBe(2);
    expect(await statusOf(session)).toEqual({ mail: 'connected', docs: 'connected' });

    // A process that knows the server only from its start lets it go all the same.
    expect((await session.setMcpServers({ mail: saying('more') })).removed).toEqual(['docs']);
    await expect.poll(() => fixturesOf('killed')).toBe(0);
  });

  it('waits for the start of a session that has no process yet (P8)', async () => {
    const { start } = await stage();
    const session = await start({ autoStart: false, ...ALLOW });
    expect(await session.setMcpServers({ calc: saying('42') })).toEqual({ added: ['calc'], removed: [], errors: {} });
    expect((await session.prompt(call('calc__say')).result).text).toContain('42');
  });
});

function saying(text: string) {
  const say = tool('say', 'Says something.', {}, async () => ({ content: [{ type: 'text', text }] }));
  return createSdkMcpServer({ name: 'any', tools: [say] });
}

function fixturesOf(id: string): number {
  return processesOf(id).filter(({ command }) => command.includes('mcp-server.mjs')).length;
}

async function statusOf(session: Session): Promise<Record<string, string>> {
  return Object.fromEntries((await session.mcpServerStatus()).map(({ name, status }) => [name, status]));
}

function changed(session: Session, server: string, status: string, epoch = 1) {
  return eventOf(
    session,
    'mcp.server-changed',
    (event) => event.server === server && event.status === status && event.epoch >= epoch,
  );
}
