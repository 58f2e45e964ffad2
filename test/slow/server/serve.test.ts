import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { troupe } from '../cli/troupe-process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What a user of the generated types writes. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + token } });
const path = { id: 'a' };
const started = await client.POST('/v1/sessions', { body: { id: 'a', key: 'issue-7' } });
if (started.error !== undefined) throw new Error(started.error.detail);
const sent = await client.POST('/v1/sessions/{id}/prompts', { params: { path }, body: { content: 'Hello', onBusy: 'enqueue' } });
const promptId: string = sent.data?.promptId ?? '';
const ended = await client.GET('/v1/sessions/{id}/prompts/{promptId}', {
  params: { path: { id: 'a', promptId }, query: { waitMs: 30_000 } },
});
const listed = await client.GET('/v1/sessions', { params: { query: { key: 'issue-7' } } });
const refused = await client.GET('/v1/sessions/{id}', { params: { path: { id: 'nobody' } } });
const closed = await client.POST('/v1/sessions/{id}/close', { params: { path } });
// @ts-expect-error: no such state of a request.
await client.GET('/v1/sessions', { params: { query: { status: 'asleep' } } });
const outcome: 'completed' | 'failed' | 'interrupted' | 'cancelled' | 'lost' | undefined = ended.data?.outcome;
console.log(JSON.stringify({
  outcome,
  listed: listed.data?.sessions.map(({ id }) => id),
  refused: refused.error?.code,
  ended: (closed.data as { ended: { reason: string } }).ended.reason,
}));
`;

let folder: string;
let fake: FakeClaude;
const running: ReturnType<typeof troupe>[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-serve-'));
  fake = await fakeClaude();
});

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill('SIGKILL');
    await one.finished;
  }
  await fake.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('troupe serve', () => {
  it('prints a login that works once, keeps its token to its owner, and drains on SIGTERM (P11)', async () => {
    const server = await serve();
    const tokens = await readFile(join(folder, 'tokens'), 'utf8');
    const [token = ''] = tokens.split('\n')[1]?.split(' ') ?? [];

    expect((await stat(join(folder, 'tokens'))).mode & 0o777).toBe(0o600);
    expect(server.stdout).not.toContain(token);
    const login = await fetch(server.loginUrl, { redirect: 'manual' });
    expect([login.status, login.headers.get('location')]).toEqual([303, '/']);
    expect((await fetch(server.loginUrl, { redirect: 'manual' })).status).toBe(401);
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await fetch(`${server.url}/v1/me`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/me`)).status).toBe(401);

    server.program.child.kill('SIGTERM');
    expect((await server.program.finished).code).toBe(143);
  });

  it('a client that was generated from its OpenAPI document compiles, starts a session, prompts it and ends it', async () => {
    const server = await serve();
    const authorization = `Bearer ${server.token}`;
    const document = await fetch(`${server.url}/openapi.json`, { headers: { authorization } });
    // Below dist, which is kept by nobody, and where packages are found.
    const place = await mkdtemp(join(ROOT, 'dist', 'generated-client-'));
    try {
      await writeFile(join(place, 'api.ts'), astToString(await openapiTS(await document.text())));
      await writeFile(join(place, 'client.ts'), CLIENT);
      await writeFile(join(place, 'package.json'), '{"type":"module"}');
      const options = ['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
      const files = ['client.ts', 'api.ts'].map((name) => join(place, name));
      await execa(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...files]);
      const { stdout } = await execa(process.execPath, [join(place, 'client.js'), server.url, server.token]);

      expect(JSON.parse(stdout)).toEqual({
        outcome: 'completed',
        listed: ['a'],
        refused: 'SESSION_NOT_FOUND',
        ended: 'closed',
      });
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });

  it('does what docs/server.md shows with curl', async () => {
    const server = await serve();
    const page = await readFile(join(ROOT, 'docs/server.md'), 'utf8');
    const commands = page.split('\n').filter((line) => line.startsWith('curl '));
    const env = { URL: server.url, TOKEN: server.token };
    const answers: unknown[] = [];
    for (const command of commands) {
      // One after the other, as a person would.
      answers.push(JSON.parse((await execa('sh', ['-c', command], { env })).stdout));
    }

    expect(answers).toMatchObject([
      { id: 'review-1' },
      { promptId: 'order-7' },
      { outcome: 'completed' },
      { permissions: [] },
      { ended: { reason: 'closed' } },
    ]);
  });

  it('after SIGKILL it goes on with its store, and the cookie of a page still counts (P7)', async () => {
    const first = await serve();
    const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ id: 'a', autoStart: false });
    expect((await fetch(`${first.url}/v1/sessions`, { method: 'POST', headers, body })).status).toBe(201);
    const login = await fetch(first.loginUrl, { redirect: 'manual' });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    first.program.child.kill('SIGKILL');
    await first.program.finished;

    const second = await serve('--port', new URL(first.url).port);
    const shown = await fetch(`${second.url}/v1/sessions/a`, { headers: { cookie } });
    expect(await shown.json()).toMatchObject({ id: 'a' });
  });

  it('--takeover: a second process takes store and address over; sessions and the cookie of a page go on (P7)', async () => {
    const first = await serve();
    const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      fetch(`${first.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect((await post('/v1/sessions', { id: 'a' })).status).toBe(201);
    expect((await post('/v1/sessions/a/prompts', { id: 'p', content: 'hello' })).status).toBe(202);
    await fetch(`${first.url}/v1/sessions/a/prompts/p?waitMs=30000`, { headers });
    const login = await fetch(first.loginUrl, { redirect: 'manual' });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';

    const second = await serve('--takeover', '--port', new URL(first.url).port);
    expect((await first.program.finished).code).toBe(0);
    const shown = await fetch(`${second.url}/v1/sessions/a`, { headers: { cookie } });
    expect(await shown.json()).toMatchObject({ id: 'a', prompts: [{ id: 'p', state: 'ended', outcome: 'completed' }] });
  });
});

async function serve(...more: readonly string[]) {
  const port = more.includes('--port') ? [] : ['--port', '0'];
  const flags = ['--json', ...port, '--token-file', join(folder, 'tokens'), '--store', join(folder, 'store.db')];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const program = troupe(['serve', ...flags, '--root', folder, '--cli', fake.path, ...more], { env });
  running.push(program);
  let stdout = '';
  program.child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  await program.saw('}\n');
  const { url, loginUrl } = JSON.parse(stdout) as { url: string; loginUrl: string };
  const [token = ''] = (await readFile(join(folder, 'tokens'), 'utf8')).split('\n')[1]?.split(' ') ?? [];
  return { program, stdout, url, loginUrl, token };
}
