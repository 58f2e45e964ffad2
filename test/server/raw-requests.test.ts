import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createServer, type Server } from '../../src/server/server.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { TOKEN, TOKENS } from './stage.ts';

const struck: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const strike of struck.splice(0).reverse()) await strike();
});

describe('bytes that no client sends (P9, P11)', () => {
  const authorized = `Authorization: Bearer ${TOKEN}\r\n`;
  const body = '{"id":"smuggled","autoStart":false}';

  it.each([
    [
      'headers that are too large',
      `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1.1 431/,
    ],
    ['no host', `GET /v1/me HTTP/1.1\r\n${authorized}\r\n`, /^HTTP\/1.1 4/],
    ['two hosts', `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${authorized}\r\n`, /^HTTP\/1.1 4/],
    ['a name that leads here', `GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1.nip.io\r\n${authorized}\r\n`, /^HTTP\/1.1 421/],
    [
      'a name with another behind it',
      `GET /v1/me HTTP/1.1\r\nHost: localhost@evil.example\r\n${authorized}\r\n`,
      /^HTTP\/1.1 4/,
    ],
    [
      'a path that climbs',
      `GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n${authorized}\r\n`,
      /^HTTP\/1.1 40[04]/,
    ],
    [
      'the address of another server',
      `GET http://evil.example/v1/me HTTP/1.1\r\nHost: evil.example\r\n${authorized}\r\n`,
      /^HTTP\/1.1 4/,
    ],
    ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', /^(HTTP\/1.1 4|$)/],
    [
      'an upgrade of an address that cannot be read',
      `GET /v1/ws% HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      /^HTTP\/1.1 400/,
    ],
    [
      'a header with a bare line end',
      `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX: a\nY: b\r\n${authorized}\r\n`,
      /^HTTP\/1.1 400/,
    ],
    [
      'a length and pieces at once',
      `POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n${authorized}Content-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      /^HTTP\/1.1 400/,
    ],
    [
      'two lengths',
      `POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n${authorized}Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      /^HTTP\/1.1 400/,
    ],
  ])('%s: refused, nothing starts, and the server lives', async (_, bytes, wanted) => {
    const { server, supervisor } = await listening();
    expect(await raw(server, bytes)).toMatch(wanted);

    expect(supervisor.list()).toEqual([]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('what never was a request is refused as everything else is: with a problem and its code (P6)', async () => {
    const { server } = await listening();
    const cases = [
      [`GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'REQUEST_TOO_LARGE'],
      ['{"no":"request"}\r\n\r\n', 400, 'REQUEST_INVALID'],
    ] as const;
    for (const [bytes, status, code] of cases) {
      const answer = await raw(server, bytes);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain('Content-Type: application/problem+json');
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code, status });
    }
  });

  it('requests behind each other on one connection are answered one by one, each by its own token', async () => {
    const { server } = await listening();
    const me = (more: string) => `GET /v1/me HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const answer = await raw(server, me(authorized) + me('') + me(`${authorized}Connection: close\r\n`), false);
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200']);
  });

  it('a request that never arrives whole is ended, and others are answered meanwhile', async () => {
    const { server } = await listening({ timeouts: { requestMs: 300 } });
    const slow = raw(server, 'GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX: ', false);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await slow).toMatch(/^(HTTP\/1.1 408|$)/);
  }, 60_000);

  it('more connections than allowed are closed, and those that are there go on', async () => {
    const { server } = await listening({ limits: { maxConnections: 1 } });
    const kept = connect(server.address.port, '127.0.0.1');
    await new Promise((resolve) => kept.once('connect', resolve));
    expect(await raw(server, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toBe('');
    const answer = textOf(kept);
    kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1.1 200/);
  });
});

async function listening(options: Partial<ServerOptions> = {}) {
  const supervisor = createSupervisor({ reap: 'off' });
  const server = await createServer({ supervisor, tokens: TOKENS, dashboard: false, ...options });
  struck.push(
    () => supervisor.shutdown(),
    () => server.close(),
  );
  return { server, supervisor };
}

/** Everything that comes back until the server ends the connection. */
async function raw(server: Server, bytes: string, isWhole = true): Promise<string> {
  const socket = connect({ port: server.address.port, host: '127.0.0.1', allowHalfOpen: !isWhole });
  const text = textOf(socket);
  if (isWhole) socket.end(bytes);
  else socket.write(bytes);
  return text;
}

function textOf(socket: ReturnType<typeof connect>): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(text));
  });
}
