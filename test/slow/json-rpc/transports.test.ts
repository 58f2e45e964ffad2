import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { troupe } from '../cli/troupe-process.ts';
import { isAlive } from '../session/stage.ts';
import { codeOf, type Json, type Pipe, PUBLIC_CLIENTS, type PublicClient } from './public-clients.ts';

const SCENARIO: Scenario = {
  rules: [
    on(when.prompt('run it'), step.toolTurn({ tool: 'Bash', input: { command: 'npm install' }, output: 'hello' })),
    on(when.prompt('think'), step.delay(60_000), step.echoTurn()),
  ],
};

let folder: string;
let fake: FakeClaude;
const running: ReturnType<typeof troupe>[] = [];
const open: { terminate?(): void; destroy?(): void }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-rpc-'));
  fake = await fakeClaude(SCENARIO);
});

afterEach(async () => {
  for (const one of open.splice(0)) (one.terminate ?? one.destroy)?.call(one);
  for (const one of running.splice(0)) {
    one.child.kill('SIGKILL');
    await one.finished;
  }
  await fake.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('a public JSON-RPC library as front end of the engine (DIALECTS §3)', () => {
  it('works over a WebSocket and over TCP', async () => {
    const { url, tcp, token } = await serve();
    for (const newClient of PUBLIC_CLIENTS) {
      await workWith(newClient(await webSocket(`${url.replace('http', 'ws')}/v1/ws`, token)), {});
      await workWith(newClient(lines(await tcpSocket(tcp))), { token });
    }
  });

  const named = PUBLIC_CLIENTS.map((newClient) => ({ newClient, library: newClient.name }));
  it.each(named)('works over stdin and stdout, where nothing else is written ($library)', async ({ newClient }) => {
    const { program, pipe, texts } = serveStdio();
    await workWith(newClient(pipe), {});
    const pids = await fake.pids();
    expect(pids.filter(isAlive)).not.toEqual([]);

    program.child.stdin?.end();
    expect((await program.finished).code).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    for (const text of texts) expect(JSON.parse(text)).toHaveProperty('jsonrpc', '2.0');
  });
});

describe('troupe serve --stdio', () => {
  it('takes a script of messages that ends at once, answers all of it and leaves (seed 002: no UI at all)', async () => {
    const script = [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocol_version: '1.0' } },
      { jsonrpc: '2.0', id: 5, method: 'user_message', params: { content: "What's in README.md?" } },
      'no json at all',
    ];
    const text = script.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const program = troupe(['serve', '--stdio', ...flags()], { env: env(), input: text.join('\n') });
    running.push(program);
    const { code, stdout } = await program.finished;

    const told: Json[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.find(({ id }) => id === 5)).toMatchObject({ result: { status: 'completed' } });
    expect(told.find(({ id }) => id === null)).toMatchObject({ error: { code: -32_700 } });
    expect(told.filter(({ method }) => method === 'turn_complete')).toHaveLength(1);
    expect(code).toBe(0);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('leaves no process when its front end is killed in the middle of a turn (P1)', async () => {
    const { program, pipe } = serveStdio('--drain', '1');
    const client = PUBLIC_CLIENTS[0]?.(pipe);
    await client?.call('initialize', { protocol_version: '1.0' });
    void client?.call('user_message', { content: 'think' }).catch(() => {});
    await program.saw('"state":"started"');
    program.child.stdout?.destroy();
    program.child.stdin?.destroy();
    await program.finished;
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });
});

describe('troupe serve --tcp', () => {
  it('lets nobody in without a token, nor who speaks HTTP first (P11)', async () => {
    const { tcp } = await serve();
    const hello = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocol_version: '1.0' } };
    for (const token of [undefined, 'nonsense-nonsense-nonsense-nonsense-nonsense']) {
      const socket = await tcpSocket(tcp);
      socket.write(`${JSON.stringify({ ...hello, params: { ...hello.params, token } })}\n`);
      const [answer] = await heardUntilClosed(socket);
      expect(answer).toMatchObject({ id: 0, error: { data: { code: 'UNAUTHENTICATED' } } });
    }
    const page = await tcpSocket(tcp);
    page.write(`POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n${JSON.stringify(hello)}\n`);
    expect(await heardUntilClosed(page)).toMatchObject([{ id: null, error: { code: -32_700 } }]);
  });

  it('answers a half-closed socket, and ends it; cuts one that sends a giant line', async () => {
    const { tcp, token } = await serve();
    const hello = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocol_version: '1.0', token } };
    const message = { jsonrpc: '2.0', id: 'm', method: 'user_message', params: { content: 'hello' } };
    const half = await tcpSocket(tcp);
    half.end(`${JSON.stringify(hello)}\n\n${JSON.stringify(message)}`);
    expect((await heardUntilClosed(half)).at(-1)).toMatchObject({ id: 'm', result: { status: 'completed' } });

    const giant = await tcpSocket(tcp);
    giant.write(`${JSON.stringify(hello)}\n`);
    giant.write('x'.repeat(2 ** 20 + 1));
    expect(await heardUntilClosed(giant)).toHaveLength(1);
  });
});

/** What every front end does: it greets, has a tool allowed and denied, stops a turn, and says something wrong. */
async function workWith(client: PublicClient, greeting: Json): Promise<void> {
  const hello = { protocol_version: '1.0', capabilities: { streaming: true, permissions: true, progress: true } };
  expect(await client.call('initialize', { ...hello, ...greeting })).toMatchObject({
    protocol_version: '1.0',
    capabilities: { tools: [], mcp_servers: 0 },
  });
  const asked: Json[] = [];
  client.decide = (question) => {
    asked.push(question);
    return { decision: asked.length === 1 ? 'deny' : 'allow', scope: 'session' };
  };
  for (const run of [1, 2, 3]) {
    expect(await client.call('user_message', { content: 'run it' }), `${client.name} ${run}`).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 10, output_tokens: 20 },
    });
  }
  // The third needed no question: `scope: "session"` is a rule of the session.
  expect(asked).toMatchObject(Array(2).fill({ tool: 'Bash', command: 'npm install', risk_level: 'medium' }));
  const told = (method: string) => client.notices.filter((notice) => notice.method === method);
  expect(told('tool_use_start')).toHaveLength(3);
  expect(told('tool_result').map(({ params }) => params['is_error'])).toEqual([true, false, false]);
  expect(told('turn_complete')).toHaveLength(3);
  expect(told('assistant_token').length).toBeGreaterThan(0);

  const stopped = client.call('user_message', { content: 'think' });
  expect(await client.call('interrupt', {})).toMatchObject({ effect: 'interrupted' });
  expect(await stopped).toMatchObject({ status: 'interrupted' });
  client.notify('something_newer', { of: 'a later version' });
  const refusal = await client.call('no_such_method', {}).catch(codeOf);
  expect(refusal).toBe(-32_601);
}

function flags(): string[] {
  return ['--cli', fake.path, '--root', folder];
}

function env(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: folder };
}

async function serve() {
  const own = ['--json', '--port', '0', '--tcp', '0', '--token-file', join(folder, 'tokens')];
  const program = troupe(['serve', ...own, ...flags()], { env: env() });
  running.push(program);
  let stdout = '';
  program.child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  await program.saw('}\n');
  const { url, tcp } = JSON.parse(stdout) as { url: string; tcp: { port: number } };
  const [token = ''] = (await readFile(join(folder, 'tokens'), 'utf8')).split('\n')[1]?.split(' ') ?? [];
  return { url, tcp: tcp.port, token };
}

function serveStdio(...more: readonly string[]) {
  const child = troupe(['serve', '--stdio', ...flags(), ...more], { env: env(), keepsInput: true });
  running.push(child);
  const { stdin, stdout } = child.child;
  if (stdin === null || stdout === null) throw new Error('It has no pipes.');
  const texts: string[] = [];
  const pipe = streams(stdin, stdout);
  pipe.listen((text) => texts.push(text));
  return { program: child, pipe, texts };
}

async function webSocket(url: string, token: string): Promise<Pipe> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  open.push(socket);
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  return {
    send: (frame) => socket.send(frame),
    listen: (hear) => void socket.on('message', (data) => hear(String(data))),
  };
}

async function tcpSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  open.push(socket);
  await new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject));
  return socket;
}

function lines(socket: Socket): Pipe {
  return streams(socket, socket);
}

function streams(output: Writable, input: Readable): Pipe {
  const hearers = new Set<(frame: string) => void>();
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const found = `${rest}${chunk}`.split('\n');
    rest = found.pop() ?? '';
    for (const line of found) for (const hear of hearers) hear(line);
  });
  return { send: (frame) => void output.write(`${frame}\n`), listen: (hear) => void hearers.add(hear) };
}

async function heardUntilClosed(socket: Socket): Promise<Json[]> {
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  await new Promise<void>((resolve) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve());
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
