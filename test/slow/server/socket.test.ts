import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createServer } from '../../../src/server/server.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { stage } from '../session/stage.ts';

type Json = Readonly<Record<string, unknown>>;

const ADA = 'ada-token-that-nobody-can-guess-0123456789ab';
const BOB = 'bob-token-that-nobody-can-guess-0123456789ab';
const opened: WebSocket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.terminate();
});

describe('/v1/ws', () => {
  it('carries a turn to two front ends; the first answer decides and the other hears whose it was (P4)', async () => {
    const { url } = await served();
    const [ada, bob] = [await connect(`${url}?session=review`, ADA), await connect(`${url}?session=review`, BOB)];
    for (const one of [ada, bob]) await one.call('initialize', { protocol_version: '1.0' });

    const done = ada.call('user_message', { content: 'run it' });
    const asked = await bob.heard((frame) => frame['method'] === 'permission_request');
    expect(asked).toMatchObject({ params: { tool: 'Bash', command: 'echo hello', session_id: 'review' } });
    bob.say({ jsonrpc: '2.0', id: asked['id'], result: { decision: 'allow', scope: 'once' } });

    const resolved = await ada.heard((frame) => frame['method'] === 'permission_resolved');
    expect(resolved).toMatchObject({ params: { outcome: 'allowed', by: 'bob' } });
    expect(await done).toMatchObject({ result: { status: 'completed', session_id: 'review' } });
    expect(await bob.heard(({ method }) => method === 'tool_result')).toMatchObject({ params: { is_error: false } });
  });

  it('is refused before the upgrade: no token, a wrong one, a foreign page, another host (P11)', async () => {
    const { url } = await served();
    const auth = { authorization: `Bearer ${ADA}` };
    expect(await refusal(url, {})).toBe(401);
    expect(await refusal(url, { authorization: 'Bearer nonsense-nonsense-nonsense-nonsense' })).toBe(401);
    expect(await refusal(url, { ...auth, origin: 'http://evil.example' })).toBe(403);
    expect([400, 403, 421]).toContain(await refusal(url, { ...auth, host: 'evil.example' }));
  });

  it('closes with a reason: a frame that is too large, and the end of the server', async () => {
    const { url, server } = await served();
    const [large, other] = [await connect(url, ADA), await connect(url, BOB)];
    large.say({ jsonrpc: '2.0', method: 'x', params: 'x'.repeat(2 ** 20) });
    expect(await large.closed).toBe(1009);
    await other.call('initialize', { protocol_version: '1.0' });
    await server.close();
    expect(await other.closed).toBe(1001);
    expect(other.frames.at(-1)).toMatchObject({ method: 'server_closing' });
  });
});

async function served() {
  const toolTurn = step.toolTurn({ tool: 'Bash', input: { command: 'echo hello' }, output: 'hello' });
  const { supervisor, start } = await stage({ rules: [on(when.prompt('run it'), toolTurn)] });
  await start({ id: 'review' });
  const scopes = ['read', 'answer', 'control'] as const;
  const tokens = [
    { name: 'ada', token: ADA, scopes },
    { name: 'bob', token: BOB, scopes },
  ];
  const server = await createServer({ supervisor, tokens, dashboard: false });
  return { server, url: `${server.url.replace('http', 'ws')}/v1/ws` };
}

async function connect(url: string, token: string) {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  opened.push(socket);
  const frames: Json[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const heard = (fits: (frame: Json) => boolean) =>
    new Promise<Json>((resolve) => {
      const look = () => {
        const found = frames.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const say = (frame: unknown) => socket.send(JSON.stringify(frame));
  let nextId = 0;
  return {
    frames,
    closed,
    say,
    heard,
    call: (method: string, params: unknown) => {
      nextId += 1;
      const id = `call-${nextId}`;
      say({ jsonrpc: '2.0', id, method, params });
      return heard((frame) => frame['id'] === id && !('method' in frame));
    },
  };
}

/** The status with which it was refused. */
function refusal(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const socket = new WebSocket(url, { headers });
  opened.push(socket);
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('open', () => reject(new Error('It was let in.')));
    socket.on('error', () => {});
  });
}
