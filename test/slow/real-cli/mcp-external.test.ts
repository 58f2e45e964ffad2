import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ObservedEvent, RemoteMcpServerOptions, Session, StdioMcpServerOptions } from '../../../src/index.ts';
import { TroupeError } from '../../../src/index.ts';
import { eventOf, processesOf, stage, statesOf } from './stage.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url));
const stdio = (...args: string[]): StdioMcpServerOptions => ({ command: process.execPath, args: [FIXTURE, ...args] });
const call = (tool: string, input: object = {}) => `CALL mcp__${tool} ${JSON.stringify(input)}`;
const ALLOW = { allowedTools: ['mcp__docs__*', 'mcp__web__*', 'mcp__mail__*'] };

describe('a required external server (DESIGN mcp-setup)', () => {
  it('is connected when the session is ready: its tools are there in the first prompt (R06)', async () => {
    const { start, model } = await stage();
    const docs = { ...stdio('--slow=700'), required: true, alwaysLoad: true };
    const session = await start({ mcpServers: { docs }, ...ALLOW });
    expect(statesOf(session)).toEqual(['waiting', 'spawning', 'initializing', 'mcp-setup', 'ready']);
    expect(session.explain().degradedServers).toEqual([]);
    expect(await statusOf(session)).toEqual({ docs: 'connected' });

    const { text } = await session.prompt(call('docs__echo', { text: 'hi' })).result;
    expect(text).toContain('echo hi');
    expect(JSON.stringify(model.requests[0]?.body)).toContain('mcp__docs__echo');
    expect(await changesOf(session)).toEqual(['docs connecting', 'docs connected']);
  });

  it.each([
    ['that ends at once', stdio('--exit'), /closed/i],
    ['that nobody hears', { type: 'http', url: 'http://127.0.0.1:9/mcp' } as RemoteMcpServerOptions, /connect/i],
    ['that does not exist', { command: '/nowhere/at/all' }, /nowhere|ENOENT/],
  ])('%s fails the start with its name and its reason (R06, MCP_SERVER_FAILED)', async (_title, docs, reason) => {
    const { start } = await stage();
    const error = await start({ id: 'doomed', mcpServers: { docs: { ...docs, required: true } } }).catch((it) => it);
    expect(TroupeError.is(error) && error.code).toBe('MCP_SERVER_FAILED');
    expect(error.details).toMatchObject({ server: 'docs', status: 'failed', error: expect.stringMatching(reason) });
    expect(error.message).toContain('"docs"');
    expect(processesOf('doomed')).toEqual([]);
  });

  it('that stays silent fails the start when its time is over (P5)', async () => {
    const { start } = await stage({ timeouts: { mcpServerMs: 2_000 } });
    const startedAt = Date.now();
    const error = await start({ mcpServers: { docs: { ...stdio('--silent'), required: true } } }).catch((it) => it);
    expect(error).toMatchObject({ code: 'MCP_SERVER_FAILED', details: { server: 'docs' } });
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });
});

describe('an optional external server', () => {
  it('holds nothing back, and what becomes of it is told and explained (P6)', async () => {
    const { start } = await stage();
    const mcpServers = {
      docs: { ...stdio('--slow=1500'), reconnect: false as const },
      mail: { ...stdio('--exit'), reconnect: false as const },
    };
    const session = await start({ mcpServers });
    expect(statesOf(session)).not.toContain('mcp-setup');
    await changed(session, 'docs', 'connected');
    const { reason } = await changed(session, 'mail', 'failed');
    expect(reason).toMatch(/closed/i);
    expect(session.explain().degradedServers).toEqual([{ name: 'mail', reason }]);
  });

  it('that is silent costs the first turn what mcpServerMs says, where the CLI alone would wait 30 s (WIRE §25.4)', async () => {
    const { start } = await stage({ timeouts: { mcpServerMs: 2_000 } });
    const session = await start({ mcpServers: { docs: { ...stdio('--silent'), reconnect: false } } });
    const promptedAt = Date.now();
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect(Date.now() - promptedAt).toBeLessThan(20_000);
    expect((await changed(session, 'docs', 'failed')).reason).toMatch(/2000 ?ms/);
  });

  it('that failed is connected again after a wait, a bounded number of times (SEMANTICS (c) 11)', async () => {
    const { start, cwd } = await stage();
    const journal = join(cwd, 'starts');
    const docs = { ...stdio('--exit', `--journal=${journal}`), reconnect: { attempts: 2, minMs: 50, maxMs: 100 } };
    const session = await start({ mcpServers: { docs } });
    for await (const _ of failuresOf(session, 'docs', 3));
    expect(readFileSync(journal, 'utf8').trim().split('\n').length).toBeGreaterThanOrEqual(3);
  });

  it('that crashed answers that call with an error, and later ones again (WIRE §4)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { docs: { ...stdio(), required: true } }, ...ALLOW });
    expect((await session.prompt(call('docs__crash')).result).text).toMatch(/closed/i);
    expect((await session.prompt(call('docs__echo', { text: 'back' })).result).text).toContain('echo back');
  });

  it('gets its environment, and nobody sees it on a command line (P11)', async () => {
    const { start } = await stage();
    const docs = { ...stdio(), required: true, env: { FIXTURE_SECRET: 'sesame-4711' } };
    const session = await start({ id: 'secretive', mcpServers: { docs }, ...ALLOW });
    // The server said the very value, which nobody is shown.
    expect((await session.prompt(call('docs__secret')).result).text).toContain('secret [redacted]');
    const commands = processesOf('secretive').map(({ command }) => command);
    expect(commands.length).toBeGreaterThan(1);
    expect(commands.join('\n')).not.toContain('sesame-4711');
  });

  it('obeys its own limit for a call (official field timeout), and the session goes on (R96)', async () => {
    const { start } = await stage();
    const docs = { ...stdio(), required: true, timeout: 1_000 };
    const session = await start({ mcpServers: { docs }, ...ALLOW });
    expect((await session.prompt(call('docs__wait')).result).text).toMatch(/timed? ?out|aborted/i);
    expect((await session.prompt(call('docs__echo', { text: 'on' })).result).text).toContain('echo on');
  });

  it('ends with the session (P1)', async () => {
    const { start } = await stage();
    const session = await start({ id: 'ended', mcpServers: { docs: { ...stdio(), required: true } } });
    expect(processesOf('ended').some(({ command }) => command.includes('mcp-server.mjs'))).toBe(true);
    await session.close();
    expect(processesOf('ended')).toEqual([]);
  });
});

describe('a server over HTTP', () => {
  it('is reached with its headers, which no command line shows (P11)', async () => {
    const { start } = await stage();
    const url = await serve();
    const web = { type: 'http' as const, url, headers: { Authorization: 'Bearer let-me-in' }, required: true };
    const session = await start({ id: 'http', mcpServers: { web }, ...ALLOW });
    expect((await session.prompt(call('web__echo', { text: 'hi' })).result).text).toContain('echo hi');
    const commands = processesOf('http').map(({ command }) => command);
    expect(commands.join('\n')).not.toContain('let-me-in');
  });

  it('fails the start with what it said when its token is wrong', async () => {
    const { start } = await stage();
    const headers = { Authorization: 'Bearer let-me-out' };
    const web = { type: 'http' as const, url: await serve(), headers, required: true };
    const error = await start({ mcpServers: { web } }).catch((it) => it);
    expect(error).toMatchObject({ code: 'MCP_SERVER_FAILED', details: { error: expect.stringContaining('403') } });
    expect(JSON.stringify(error.details)).not.toContain('let-me-out');
  });
});

describe('external servers on stdin (official option mcpServersDelivery)', () => {
  it('arrive by the initialize request where the release knows it, else the start says why it failed', async () => {
    const { start, cli } = await stage();
    const options = { mcpServers: { docs: { ...stdio(), required: true } }, mcpServersDelivery: 'initialize' as const };
    const outcome = await start({ ...options, ...ALLOW }).catch((it: unknown) => it);
    if (!cli.since('2.1.261')) {
      expect(String(outcome)).toContain('--await-initialize');
      return;
    }
    const session = outcome as Session;
    expect((await session.prompt(call('docs__echo', { text: 'hi' })).result).text).toContain('echo hi');
  });
});

describe('servers while a session runs (WIRE §9)', () => {
  it('can be switched off and on, connected again, and asked about', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { docs: { ...stdio(), required: true } } });
    await session.toggleMcpServer('docs', false);
    expect(await statusOf(session)).toEqual({ docs: 'disabled' });
    await changed(session, 'docs', 'disabled');
    await session.toggleMcpServer('docs', true);
    expect(await statusOf(session)).toEqual({ docs: 'connected' });
    await expect
      .poll(() => changesOf(session))
      .toEqual(['docs connecting', 'docs connected', 'docs disabled', 'docs connecting', 'docs connected']);
    await session.reconnectMcpServer('docs');
    expect((await session.mcpServerStatus())[0]?.tools?.map(({ name }) => name)).toEqual([
      'echo',
      'secret',
      'wait',
      'crash',
    ]);
  });

  it('that are connected again but fail reject with the reason', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { docs: { ...stdio('--exit'), reconnect: false } } });
    await changed(session, 'docs', 'failed');
    await expect(session.reconnectMcpServer('docs')).rejects.toMatchObject({
      code: 'CONTROL_REFUSED',
      details: { cliError: expect.stringMatching(/closed/i) },
    });
  });
});

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A server of its own on 127.0.0.1; resolves with its address. */
async function serve(): Promise<string> {
  const child = spawn(process.execPath, [FIXTURE, '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${Number(String(chunk))}/mcp`;
}

async function statusOf(session: Session): Promise<Record<string, string>> {
  return Object.fromEntries((await session.mcpServerStatus()).map(({ name, status }) => [name, status]));
}

function changed(session: Session, server: string, status: string) {
  return eventOf(session, 'mcp.server-changed', (event) => event.server === server && event.status === status);
}

/** The first so many failures of a server. */
async function* failuresOf(session: Session, server: string, count: number): AsyncGenerator<ObservedEvent> {
  let seen = 0;
  for await (const event of session.events()) {
    if (event.type !== 'mcp.server-changed' || event.server !== server || event.status !== 'failed') continue;
    yield event;
    seen += 1;
    if (seen === count) return;
  }
}

/** The changes so far, as `server status`. */
async function changesOf(session: Session): Promise<string[]> {
  const changes: string[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'mcp.server-changed') changes.push(`${event.server} ${event.status}`);
  }
  return changes;
}
