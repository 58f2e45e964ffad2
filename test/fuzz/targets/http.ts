import { connect } from 'node:net';
import { ERROR_CODES } from '../../../src/errors.ts';
import { createServer, type Server } from '../../../src/server/server.ts';
import { createSupervisor, type Supervisor } from '../../../src/supervision/supervisor.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { memoryFleet } from '../../supervision/memory-cli.ts';
import { jsonOf, jsonSeeds } from '../json-input.ts';
import { type FuzzRunner, type FuzzTarget, holds, IN_MEMORY, shortened } from '../target.ts';

const TOKEN = 'owner-token-that-nobody-can-guess-0123456789';
/** A new server after so many requests: they start and drain what they like. */
const REQUESTS_PER_SERVER = 150;

interface Stage {
  readonly supervisor: Supervisor;
  readonly server: Server;
}

export const target: FuzzTarget = {
  name: 'http',
  promise:
    'P9, P10, P11 Whatever is asked over HTTP is answered, never as a fault of the server, and the next one too.',
  format: 'json',
  seeds: () => jsonSeeds(...REQUESTS),
  open,
};

async function open(): Promise<FuzzRunner> {
  let stage = await openStage();
  let asked = 0;
  return {
    run: async (input) => {
      asked += 1;
      if (asked % REQUESTS_PER_SERVER === 0) {
        await closeStage(stage);
        stage = await openStage();
      }
      const request = bytesOf(input);
      for (const answer of await answersTo(stage.server, request)) check(answer, request);
      const [alive] = await answersTo(stage.server, plain('GET', '/healthz'));
      holds(alive?.startsWith('HTTP/1.1 200') === true, () => `It lives no more: ${shortened(alive)}`);
    },
    close: () => closeStage(stage),
  };
}

async function openStage(): Promise<Stage> {
  const supervisor = createSupervisor({ spawn: memoryFleet().open, ...IN_MEMORY, limits: { maxSessions: 20 } });
  const session = await supervisor.start({ id: 'known' });
  await session.prompt('Hello', { id: 'p1' }).result;
  const tokens = [{ name: 'owner', token: TOKEN, scopes: ['read', 'answer', 'control'] as const }];
  const timeouts = { requestMs: 500, heartbeatMs: 1_000, closeMs: 100 };
  return { supervisor, server: await createServer({ supervisor, tokens, dashboard: false, port: 0, timeouts }) };
}

async function closeStage({ supervisor, server }: Stage): Promise<void> {
  await server.close();
  await supervisor.shutdown({ timeoutMs: 1_000 });
}

/** A request as it goes over the wire, well made or not. */
function bytesOf(input: Buffer): Buffer {
  const request = jsonOf(input);
  if (!isRecord(request)) return input;
  const { method = '', url = '', headers, body } = request;
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const own = isRecord(headers)
    ? Object.entries(headers).map(
        ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`,
      )
    : [];
  return plain(JSON.stringify(method).replaceAll('"', ''), JSON.stringify(url).replaceAll('"', ''), own.join(''), text);
}

function plain(method: string, url: string, headers = '', body = ''): Buffer {
  const length = Buffer.byteLength(body);
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
  const own = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n`;
  return Buffer.from(`${method} ${url} HTTP/1.1\r\n${own}${type}${headers}\r\n${body}`);
}

/** What comes back until the end; of a stream only its beginning. */
function answersTo(server: Server, bytes: Buffer): Promise<string[]> {
  const socket = connect({ port: server.address.port, host: '127.0.0.1' });
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      // Such an answer has no end.
      if (/^HTTP\/1\.1 (101|200)[\s\S]*?(event-stream|upgrade)[\s\S]*?\r\n\r\n/i.test(text)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text.split(/(?=HTTP\/1\.1 \d{3} )/)));
    socket.end(bytes);
  });
}

function check(answer: string, request: Buffer): void {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  const to = () => `${shortened(answer, 500)} to ${shortened(request.toString())}`;
  // What cannot be done now is no fault: nothing more is taken while it drains.
  holds(status < 500 || status === 503 || status === 507, to);
  if (status < 400) return;
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  // What is no upgrade is refused by who makes connections of it.
  if (!/^content-type:/im.test(head) || /^content-type: text\/html/im.test(head)) return;
  if (body === '') return;
  holds(/^content-type: application\/problem\+json/im.test(head), to);
  const code = /"code":"([A-Z_]+)"/.exec(body)?.[1] ?? '';
  holds(Object.hasOwn(ERROR_CODES, code), to);
}

const SESSION = '/v1/sessions/known';
const REQUESTS: readonly unknown[] = [
  { method: 'POST', url: '/v1/sessions', body: { id: 'one', model: 'opus', permissionMode: 'plan', autoStart: false } },
  {
    method: 'POST',
    url: '/v1/sessions',
    body: { id: 'two', prompt: 'Hello', allowedTools: ['Read'], env: { A: 'b' } },
  },
  { method: 'GET', url: '/v1/sessions?limit=2&state=ready&cursor=a' },
  { method: 'GET', url: SESSION },
  {
    method: 'POST',
    url: `${SESSION}/prompts`,
    body: { text: 'Hello', id: 'p2', onBusy: 'enqueue' },
    headers: { 'Idempotency-Key': 'k' },
  },
  { method: 'POST', url: `${SESSION}/prompts`, body: { content: [{ type: 'text', text: 'Hello' }] } },
  { method: 'GET', url: `${SESSION}/prompts/p1` },
  { method: 'POST', url: `${SESSION}/interrupt`, body: {} },
  { method: 'POST', url: `${SESSION}/steer`, body: { text: 'Left' } },
  { method: 'POST', url: `${SESSION}/fork`, body: { id: 'three' } },
  { method: 'POST', url: `${SESSION}/control`, body: { subtype: 'set_model', model: 'haiku' } },
  { method: 'POST', url: `${SESSION}/hibernate`, body: {} },
  { method: 'POST', url: `${SESSION}/close`, body: {} },
  { method: 'DELETE', url: '/v1/sessions/one' },
  {
    method: 'GET',
    url: `${SESSION}/events?from=0&types=message`,
    headers: { 'Last-Event-ID': '1:3', Accept: 'text/event-stream' },
  },
  { method: 'GET', url: `${SESSION}/events/page?after=0&limit=10` },
  { method: 'GET', url: `${SESSION}/log?after=0&limit=10` },
  { method: 'GET', url: `${SESSION}/explain` },
  { method: 'GET', url: `${SESSION}/history?limit=3` },
  { method: 'GET', url: `${SESSION}/turns` },
  { method: 'GET', url: '/v1/events', headers: { 'Last-Event-ID': '1.k.AAAAAAAAAQ' } },
  { method: 'GET', url: '/v1/permissions?sessionId=known' },
  { method: 'POST', url: '/v1/permissions/known:q1', body: { behavior: 'allow', updatedInput: {} } },
  {
    method: 'GET',
    url: '/v1/ws',
    headers: {
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
    },
  },
  { method: 'GET', url: '/metrics' },
  { method: 'GET', url: '/openapi.json' },
  { method: 'GET', url: '/readyz' },
  { method: 'GET', url: '/login?token=abc', headers: { Cookie: 'troupe=a; b="c' } },
  { method: 'GET', url: '/v1/supervisor' },
  { method: 'POST', url: '/v1/supervisor/drain', body: { deadlineMs: 10 } },
];
