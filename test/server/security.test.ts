import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { ANSWERER, CONTROLLER, READER, serverStage, TOKEN } from './stage.ts';

const FOREIGN = { origin: 'http://evil.example' };

describe('who may ask (P11)', () => {
  it.each([
    '127.0.0.1.nip.io',
    'localhost.evil.example',
    'localhost:80@evil.example',
    'evil.example#localhost',
    'localhost.',
    '0.0.0.0',
    '::1',
  ])(
    'the host %s is none of its names: a page of somebody else that was given its address reads nothing',
    async (host) => {
      const { ask } = await serverStage();
      expect((await ask('GET', '/v1/sessions', undefined, { host })).status).toBe(421);
    },
  );

  it.each(['LOCALHOST', '[::1]', '[::1]:8787', '127.0.0.1:1', 'localhost:8787'])('the host %s is', async (host) => {
    const { ask } = await serverStage();
    expect((await ask('GET', '/v1/sessions', undefined, { host })).status).toBe(200);
  });

  it.each(['null', 'https://localhost', 'http://localhost:9999', 'http://localhost.evil.example'])(
    'the origin %s is another one',
    async (origin) => {
      const { ask } = await serverStage();
      expect((await ask('POST', '/v1/sessions', { id: 'a', autoStart: false }, { origin })).status).toBe(403);
    },
  );

  it.each([
    ['no token', { authorization: '' }],
    ['a wrong token', { authorization: `Bearer ${TOKEN}x` }],
    ['a token in another scheme', { authorization: `Basic ${TOKEN}` }],
    ['a cookie that nobody signed', { authorization: '', cookie: 'troupe-0=b3duZXI.99999999999999.AAAA' }],
  ])('%s is refused, and told nothing', async (_, headers) => {
    const { app } = await serverStage();
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));

    for (const url of ['/v1/sessions', '/v1/events', '/openapi.json', '/v1/nothing-here', '/v1/ws']) {
      const answer = await app.inject({ url, headers: { host: 'localhost', ...given } });
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 401, 'UNAUTHENTICATED']);
    }
  });

  it('each route takes only tokens with its scope', async () => {
    const { ask, supervisor } = await serverStage();
    await supervisor.start({ id: 'a', autoStart: false });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });

    expect((await ask('GET', '/v1/sessions/a', undefined, as(READER))).status).toBe(200);
    expect((await ask('POST', '/v1/sessions/a/prompts', { content: 'x' }, as(READER))).body).toMatchObject({
      code: 'SCOPE_MISSING',
      status: 403,
    });
    expect((await ask('POST', '/v1/permissions/a~x', { behavior: 'allow' }, as(CONTROLLER))).status).toBe(403);
    expect((await ask('POST', '/v1/permissions/a~x', { behavior: 'allow' }, as(ANSWERER))).status).toBe(404);
    expect((await ask('DELETE', '/v1/sessions/a', undefined, as(ANSWERER))).status).toBe(403);
  });

  it('who may not answer questions cannot have them answered in advance', async () => {
    const { ask } = await serverStage();
    const as = { authorization: `Bearer ${CONTROLLER}` };

    for (const more of [
      { allowedTools: ['Bash'] },
      { permissions: { rules: [{ tool: '*', behavior: 'allow' }] } },
      { permissionMode: 'acceptEdits' },
    ]) {
      const { body } = await ask('POST', '/v1/sessions', { autoStart: false, ...more }, as);
      expect(body).toMatchObject({ code: 'SCOPE_MISSING', details: { scope: 'answer' } });
    }
  });

  it('after too many refusals an address is told to wait, and a right token still gets in', async () => {
    const { app, ask } = await serverStage({ limits: { maxRefusalsPerMinute: 3 } });
    const guess = () =>
      app.inject({ url: '/v1/me', headers: { host: 'localhost', authorization: 'Bearer no-such-token' } });
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await guess()).statusCode);

    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(Number((await guess()).headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('GET', '/v1/me')).status).toBe(200);
  });

  it('a login address works once, and leaves nothing but a cookie that scripts cannot read', async () => {
    const { app, context } = await serverStage();
    const code = context.access.issueCode();
    const login = () => app.inject({ url: `/login?token=${code}`, headers: { host: 'localhost' } });
    const first = await login();

    expect([first.statusCode, first.headers['location']]).toEqual([303, '/']);
    expect(String(first.headers['set-cookie'])).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(String(first.headers['set-cookie'])).not.toContain(TOKEN);
    expect(first.headers['referrer-policy']).toBe('no-referrer');
    expect((await login()).statusCode).toBe(401);

    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    const me = await app.inject({ url: '/v1/me', headers: { host: 'localhost', cookie } });
    expect(me.json()).toMatchObject({ name: 'owner' });
  });

  it('a cookie alone changes nothing: other ports of this host are the same site', async () => {
    const { app, context } = await serverStage();
    const given = context.access.login(TOKEN)?.cookie ?? '';
    const post = (headers: Record<string, string>) =>
      app.inject({
        method: 'POST',
        url: '/v1/drain',
        headers: { host: 'localhost:8787', cookie: `troupe-0=${given}`, ...headers },
      });

    expect((await post({})).statusCode).toBe(403);
    expect((await post({ origin: 'http://localhost:9999' })).statusCode).toBe(403);
    expect((await post({ origin: 'http://localhost:8787', 'content-type': 'text/plain' })).statusCode).not.toBe(403);
    expect((await post({ origin: 'http://localhost:8787' })).statusCode).toBe(202);
  });

  it('a cookie that was logged out counts no more, and others still do', async () => {
    let now = 1_000_000;
    const { app, context } = await serverStage({ clock: { ...systemClock, now: () => now } });
    const [one, other] = [1, 2].map((later) => {
      now += later;
      return context.access.login(TOKEN)?.cookie ?? '';
    });
    const ask = (cookie = '', method: 'GET' | 'POST' = 'GET') =>
      app.inject({
        method,
        url: method === 'GET' ? '/v1/me' : '/logout',
        headers: { host: 'localhost', cookie: `troupe-0=${cookie}`, origin: 'http://localhost' },
      });

    expect((await ask(one, 'POST')).statusCode).toBe(204);
    expect((await ask(one)).statusCode).toBe(401);
    expect((await ask(other)).statusCode).toBe(200);
  });

  it('behind a proxy cookies go over TLS only', async () => {
    const { app, context } = await serverStage({ behindTlsProxy: true, allowedHosts: ['console.example'] });
    const headers = { host: 'console.example' };
    const answer = await app.inject({ url: `/login?token=${context.access.issueCode()}`, headers });

    expect(String(answer.headers['set-cookie'])).toContain('; Secure');
    expect(answer.headers['strict-transport-security']).toBeDefined();
  });
});

describe('where a request comes from (P11)', () => {
  it.each(['evil.example', 'localhost.evil.example', 'localhost@evil.example', '127.0.0.1.nip.io'])(
    'a name that is not the server’s is refused, as after a DNS rebinding: %s',
    async (host) => {
      const { ask } = await serverStage();
      expect((await ask('GET', '/v1/me', undefined, { host })).body).toMatchObject({ code: 'HOST_REFUSED' });
      expect((await ask('GET', '/healthz', undefined, { host })).status).toBe(421);
    },
  );

  it.each(['/v1/sessions', '/v1/events', '/v1/sessions/a/events', '/v1/ws', '/login?token=x'])(
    'a page of another origin gets nothing from %s, whatever it holds',
    async (url) => {
      const { ask, supervisor } = await serverStage();
      await supervisor.start({ id: 'a', autoStart: false });
      expect((await ask('GET', url, undefined, FOREIGN)).body).toMatchObject({ code: 'ORIGIN_REFUSED' });
      expect((await ask('GET', url, undefined, { origin: 'null' })).body).toMatchObject({ code: 'ORIGIN_REFUSED' });
    },
  );

  it('what a foreign page embeds is refused even where no Origin is sent', async () => {
    const { ask } = await serverStage();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect((await ask('GET', '/v1/sessions', undefined, headers)).body).toMatchObject({ code: 'ORIGIN_REFUSED' });
  });

  it('a page of an origin that was named may ask', async () => {
    const { ask } = await serverStage({ allowedOrigins: ['https://console.example'] });
    expect((await ask('GET', '/v1/me', undefined, { origin: 'https://console.example' })).status).toBe(200);
  });

  it('other addresses than loopback need something that speaks TLS in front', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.4', 'host.example']) {
      await expect(serverStage({ host })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        details: { field: 'host' },
      });
    }
    await expect(serverStage({ host: '0.0.0.0', behindTlsProxy: true })).resolves.toBeDefined();
  });
});

describe('what a browser may do with an answer (P11)', () => {
  it('it runs no inline script, loads nothing from elsewhere, and is framed by nobody', async () => {
    const { ask } = await serverStage();
    const { headers } = await ask('GET', '/');
    const policy = String(headers['content-security-policy']);

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect((await ask('GET', '/v1/sessions')).headers['cache-control']).toBe('no-store');
  });
});

describe('hostile requests (P9, P11)', () => {
  it('a body that is too large, too deep, reaches into prototypes or is no JSON is refused', async () => {
    const { ask, app } = await serverStage({ limits: { maxBodyBytes: 5_000 } });
    const send = (payload: string, type = 'application/json') =>
      app.inject({
        method: 'POST',
        url: '/v1/sessions',
        headers: { host: 'localhost', authorization: `Bearer ${TOKEN}`, 'content-type': type },
        payload,
      });

    expect((await send(`"${'x'.repeat(6_000)}"`)).json()).toMatchObject({ code: 'REQUEST_TOO_LARGE', status: 413 });
    expect((await send('['.repeat(2_000))).json()).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await send('{"__proto__":{"autoStart":false}}')).json()).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await send('{"constructor":{"prototype":{"x":1}}}')).json()).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await send('{"id":')).json()).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await send('id=x', 'application/x-www-form-urlencoded')).json()).toMatchObject({
      code: 'MEDIA_TYPE_UNSUPPORTED',
      status: 415,
    });
    expect((await ask('GET', '/v1/sessions')).body).toEqual({ sessions: [] });
  });

  it.each(['..%2f..%2fetc%2fpasswd', '%00', 'a%0d%0aset-cookie:x=y', 'a'.repeat(600), '%ff', '<img>'])(
    'an id that is none is refused: %s',
    async (id) => {
      const { ask } = await serverStage();
      for (const path of ['', '/events', '/log', '/explain']) {
        const { status, headers } = await ask('GET', `/v1/sessions/${id}${path}`);
        expect([400, 404, 413]).toContain(status);
        expect(headers['set-cookie']).toBeUndefined();
      }
    },
  );

  it('no header of an answer takes a line break from an id', async () => {
    const { ask } = await serverStage();
    const { status } = await ask('POST', '/v1/sessions', { id: 'a\r\nset-cookie: x=y', autoStart: false });
    expect(status).toBe(400);
  });
});

describe('where sessions may work (P11)', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-roots-'));
    await mkdir(join(folder, 'root', 'inside'), { recursive: true });
    await mkdir(join(folder, 'root-of-others'));
    await symlink(join(folder, 'root-of-others'), join(folder, 'root', 'link'));
    await symlink(join(folder, 'root', 'inside'), join(folder, 'root', 'fine'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(['/etc', '..', '../root-of-others', 'inside/../../root-of-others', 'link', 'inside/\0'])(
    'a folder outside the roots is refused, also behind a link: %s',
    async (cwd) => {
      const { ask, supervisor } = await serverStage({ roots: [join(folder, 'root')] });
      const { body } = await ask('POST', '/v1/sessions', { cwd, autoStart: false });
      const { body: beside } = await ask('POST', '/v1/sessions', { additionalDirectories: [cwd], autoStart: false });

      expect([body['code'], beside['code']]).toEqual(['PATH_OUTSIDE_ROOTS', 'PATH_OUTSIDE_ROOTS']);
      expect(supervisor.list()).toEqual([]);
    },
  );

  it.each(['.', 'inside', 'fine'])('a folder inside is taken: %s', async (cwd) => {
    const { ask } = await serverStage({ roots: [join(folder, 'root')] });
    expect((await ask('POST', '/v1/sessions', { cwd, autoStart: false })).status).toBe(201);
  });

  it('a folder that is not there is told as such only inside the roots', async () => {
    const { ask } = await serverStage({ roots: [join(folder, 'root')] });
    expect((await ask('POST', '/v1/sessions', { cwd: 'nowhere' })).body).toMatchObject({ code: 'CWD_NOT_FOUND' });
    expect((await ask('POST', '/v1/sessions', { cwd: '/nowhere' })).body).toMatchObject({ code: 'PATH_OUTSIDE_ROOTS' });
  });
});

describe('what a session may be started with (P11)', () => {
  it.each([
    ['pathToClaudeCodeExecutable', '/bin/sh'],
    ['executable', '/bin/sh'],
    ['executableArgs', ['-c', 'id']],
    ['env', { PATH: '/tmp' }],
    ['envMode', 'exact'],
    ['configDir', '/tmp'],
    ['settings', { hooks: {} }],
    ['managedSettings', {}],
    ['settingSources', ['project']],
    ['mcpServers', { evil: { command: 'id' } }],
    ['plugins', [{ type: 'local', path: '/tmp' }]],
    ['extraArgs', { 'mcp-config': '/tmp/x' }],
    ['debugFile', '/tmp/x'],
    ['permissionPromptToolName', 'mcp__x__y'],
    ['allowDangerouslySkipPermissions', true],
    ['sandbox', { enabled: false }],
    ['hooks', {}],
    ['skills', 'all'],
    ['limits', { maxLogBytes: 1e10 }],
  ])('%s is refused, and nothing starts', async (name, value) => {
    const { ask, supervisor } = await serverStage();
    const { body } = await ask('POST', '/v1/sessions', { autoStart: false, [name]: value });

    expect(body).toMatchObject({ code: 'OPTION_NOT_OPEN', status: 403, field: name });
    expect(supervisor.list()).toEqual([]);
  });

  it('the mode that lifts all questions is refused at the start and later', async () => {
    const { ask } = await serverStage();
    const start = await ask('POST', '/v1/sessions', { permissionMode: 'bypassPermissions' });
    expect(start.body).toMatchObject({ code: 'OPTION_NOT_OPEN' });

    await ask('POST', '/v1/sessions', { id: 'a', autoStart: false });
    const later = await ask('POST', '/v1/sessions/a/permission-mode', { mode: 'bypassPermissions' });
    expect(later.status).toBe(400);
    const answer = { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'bypassPermissions' }] };
    expect((await ask('POST', '/v1/permissions/a~x', answer)).body).toMatchObject({ code: 'OPTION_NOT_OPEN' });
  });

  it.each(['mcp_set_servers', 'apply_flag_settings', 'update_settings', 'read_file', 'initialize', 'mcp_call'])(
    'the control request %s is refused unless it is opened',
    async (subtype) => {
      const { ask } = await serverStage();
      await ask('POST', '/v1/sessions', { id: 'a', autoStart: false });
      expect((await ask('POST', '/v1/sessions/a/control', { subtype })).body).toMatchObject({
        code: 'OPTION_NOT_OPEN',
      });

      const open = await serverStage({ openControls: [subtype] });
      await open.ask('POST', '/v1/sessions', { id: 'a', autoStart: false });
      expect((await open.ask('POST', '/v1/sessions/a/control', { subtype })).body).toMatchObject({
        code: 'NO_PROCESS',
      });
    },
  );

  it('a server opens an option by name, and the library still checks it', async () => {
    const { ask } = await serverStage({ openOptions: ['env'] });
    expect((await ask('POST', '/v1/sessions', { autoStart: false, env: { A: 'b' } })).status).toBe(201);
    expect((await ask('POST', '/v1/sessions', { autoStart: false, env: 5 })).body).toMatchObject({
      code: 'INVALID_OPTIONS',
      field: 'env',
    });
  });
});
