import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { REDACTED } from '../../../src/redaction/secrets.ts';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { spellingsOf } from '../../redaction/spellings-of.ts';
import { tellingEverything } from '../../redaction/telling-everything.ts';
import { endStragglers, type Running, troupe } from '../cli/troupe-process.ts';
import { linesTo } from '../session/stage.ts';

/** One of each kind of place; none looks like a secret of a known service. */
const CANARIES = {
  account: 'canary-account-9a31d7',
  host: 'canary-host-e83b11',
  env: 'canary-env-"7d2a90"',
  address: 'canary-address-4b7e',
  header: 'canary-header-0f64c2',
  serverEnv: 'canary-server-env-93ad',
};
/** Is told wherever a secret is, and is none: where it can be read, a secret could be. */
const PLAIN = 'plain-word-5e0c44';
const ALL = [PLAIN, ...Object.values(CANARIES)].join(' and ');
/** What the server knows before any session. */
const KNOWN = `${PLAIN} and ${CANARIES.account} and ${CANARIES.host}`;

let home: RealCliHome | undefined;
let fake: FakeClaude | undefined;
let served: Running | undefined;
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  served?.child.kill('SIGKILL');
  await served?.finished;
  if (home !== undefined) endStragglers(dirname(home.home));
  await fake?.dispose();
  await home?.dispose();
});

describe('secrets seeded around `troupe serve`, which logs at trace level (P11)', () => {
  it('are nowhere: in no log, page, stream, file, answer of a command and no error', async () => {
    const { places, heard, token, isToken } = await playCanaries();

    // They were really there: the CLI had them, and was told them.
    expect(JSON.stringify(heard)).toContain(JSON.stringify(ALL).slice(1, -1));
    const silent = [...places].filter(([name, text]) => text.length === 0 && !isEmpty.test(name)).map(([name]) => name);
    expect(silent).toEqual([]);
    // A secret stood beside this word. Who does not quote it tells only facts, of the session by its name.
    const quoting = [...places].filter(([, text]) => text.includes(PLAIN)).map(([name]) => name);
    expect(quoting).toEqual(expect.arrayContaining(QUOTING));
    for (const name of QUOTING) expect(places.get(name)?.includes(REDACTED), name).toBe(true);
    for (const name of ABOUT) expect(places.get(name)?.includes('canary-session'), name).toBe(true);
    expect(places.get('/metrics')?.includes('troupe_')).toBe(true);

    const searched = [...places].filter(([name]) => !isForDecision.test(name));
    const found = searched.flatMap(([name, text]) => {
      const read = [text, Buffer.from(piecesIn(text.toString()))];
      const isIn = (secret: string) => spellingsOf(secret).some((one) => read.some((each) => each.includes(one)));
      const kinds = Object.entries(CANARIES)
        .filter(([, canary]) => isIn(canary))
        .map(([kind]) => kind);
      return [...kinds, ...(!isToken(name) && isIn(token) ? ['token of the server'] : [])].map(
        (kind) => `${kind} in ${name}`,
      );
    });
    expect(found).toEqual([]);
  }, 180_000);
});

/** By then nobody asks; a lock is a file without bytes. */
const isEmpty = /^troupe inbox --json$|-lock$/;
/** Places that quote what was said. */
const QUOTING = [
  ...['', '/explain', '/log', '/prompts/canary-prompt'].map((look) => `/v1/sessions/canary-session${look}`),
  ...['ps', 'explain canary-session', 'history canary-session', 'logs canary-session'].flatMap((line) => [
    `troupe ${line}`,
    `troupe ${line} --json`,
  ]),
  ...['export', 'refused option', 'open troupe.db-wal', 'closed troupe.db', 'log', 'events', 'fleet events', 'socket'],
];
/** Places that tell of the session. */
const ABOUT = [
  '/v1/sessions',
  '/v1/supervisor while asked',
  '/v1/stored',
  '/v1/permissions while asked',
  'troupe inbox while asked',
];
/** A question is shown as it is to whoever decides, and so is its answer to whoever gave it. */
const isForDecision = /^\/v1\/permissions|^troupe inbox|^POST permission$/;

async function playCanaries() {
  home = await realCliHome();
  fake = await fakeClaude({ rules: [on(when.prompt(), ...tellingEverything(ALL, `mcp__${ALL}`))] });
  const { env: base, home: folder, cwd } = home;
  const env = {
    ...base,
    ANTHROPIC_AUTH_TOKEN: CANARIES.account,
    TROUPE_CANARY_TOKEN: CANARIES.host,
    TROUPE_LOG_LEVEL: 'trace',
    XDG_RUNTIME_DIR: join(folder, 'runtime'),
  };
  const [store, tokens] = [join(folder, 'troupe.db'), join(folder, 'tokens')];
  const opened = ['env', 'mcpServers'].flatMap((name) => ['--open-option', name]);
  const files = ['--store', store, '--root', cwd, '--token-file', tokens];
  const server = troupe(['serve', '--json', '--port', '0', '--cli', fake.path, ...files, ...opened], {
    env,
    keepsInput: true,
  });
  served = server;
  await server.saw('}\n');
  const { url } = JSON.parse(server.said());
  const [token = ''] = readFileSync(tokens, 'utf8').split('\n')[1]?.split(' ') ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const places = new Map<string, Buffer>();
  const keep = (name: string, text: string | Buffer) => places.set(name, Buffer.from(text));

  const get = async (when: string, ...paths: string[]) => {
    for (const path of paths) keep(`${path}${when}`, await (await fetch(`${url}${path}`, { headers })).text());
  };
  const post = async (path: string, body: unknown) => {
    const json = { ...headers, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const commands = async (when: string, ...lines: string[]) => {
    const asked = lines.flatMap((line) => [line.split(' '), [...line.split(' '), '--json']]);
    const told = asked.map(async (args) => {
      const { stdout, stderr } = await troupe(args, { env }).finished;
      keep(`troupe ${args.join(' ')}${when}`, stdout + stderr);
    });
    await Promise.all(told);
  };

  const options = {
    id: 'canary-session',
    restart: { type: 'temporary' },
    env: { DIFY_KEY: CANARIES.env, DATABASE_URL: `postgres://user:${CANARIES.address}@host/db`, WORD: PLAIN },
    includePartialMessages: true,
    mcpServers: {
      remote: { type: 'http', url: 'https://host/mcp', headers: { 'X-Client': CANARIES.header } },
      local: { command: 'server', env: { API_TOKEN: CANARIES.serverEnv } },
    },
  };
  const started = await post('/v1/sessions', options);
  expect(started.status, started.text).toBe(201);
  keep('POST /v1/sessions', started.text);
  const streams = [
    stream(`${url}/v1/sessions/canary-session/events?replay=all`, headers),
    stream(`${url}/v1/events`, headers),
  ];
  const socket = await webSocket(`${url.replace('http', 'ws')}/v1/ws?session=canary-session`, headers);

  const id = 'canary-prompt';
  keep('POST prompts', (await post('/v1/sessions/canary-session/prompts', { content: `use ${ALL}`, id })).text);
  const inbox = async () => {
    const answer = await fetch(`${url}/v1/permissions`, { headers });
    return z.object({ permissions: z.array(z.object({ globalId: z.string() })) }).parse(await answer.json())
      .permissions;
  };
  await expect.poll(inbox, { timeout: 60_000 }).toHaveLength(1);
  const question = (await inbox())[0]?.globalId;
  const looks = ['', '/explain', '/history', '/turns', '/snapshot', '/log', `/prompts/${id}`].map(
    (look) => `/v1/sessions/canary-session${look}`,
  );
  const pages = ['/v1/sessions', '/v1/supervisor', '/v1/stored', '/metrics', '/v1/machines', '/v1/me', '/openapi.json'];
  await get(' while asked', '/v1/permissions', `/v1/permissions/${question}`, ...looks, ...pages, '/');
  await commands(' while asked', 'ps', 'explain canary-session', 'inbox');
  keep(
    'POST permission',
    (await post(`/v1/permissions/${question}`, { behavior: 'deny', message: `not ${ALL}` })).text,
  );
  await expect
    .poll(async () => (await fetch(`${url}${looks[0]}`, { headers })).text(), { timeout: 60_000 })
    .toMatch(/"state":"(ended|closed|failed)"/);

  await get('', `/v1/permissions/${question}`, ...looks, ...pages);
  await commands('', 'ps', 'explain canary-session', 'history canary-session', 'logs canary-session', 'inbox');
  await commands('', `doctor --store ${store} --cli ${fake.path}`);
  keep('export', (await troupe(['export', 'canary-session', '--store', store], { env }).finished).stdout);
  // It quotes what it refuses.
  keep('refused option', (await post('/v1/sessions', { id: 'two', resume: KNOWN })).text);

  for (const [name, bytes] of filesBelow(folder)) keep(`open ${name}`, bytes);
  server.child.kill('SIGTERM');
  const { stdout, stderr } = await server.finished;
  keep('stdout', stdout);
  keep('log', stderr);
  for (const [name, bytes] of filesBelow(folder)) keep(`closed ${name}`, bytes);
  keep('events', (await streams[0]) ?? '');
  keep('fleet events', (await streams[1]) ?? '');
  keep('socket', socket.filter((frame) => !frame.includes('"permission_request"')).join('\n'));
  keep('arguments', JSON.stringify((await fake.starts())[0]?.argv ?? []));
  const isToken = (name: string) => /tokens$|serve-\d+\.json$/.test(name);
  return { places, heard: await linesTo(fake), token, isToken };
}

/** Everything the server writes, until it leaves. */
async function stream(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { body } = await fetch(url, { headers });
  let told = '';
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) told += chunk;
  } catch {
    // It was cut off at the end of the server.
  }
  return told;
}

async function webSocket(url: string, headers: Readonly<Record<string, string>>): Promise<string[]> {
  const socket = new WebSocket(url, { headers });
  sockets.push(socket);
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(String(data)));
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'one', method: 'initialize', params: { protocol_version: '1.0' } }));
  await expect.poll(() => frames.length).toBeGreaterThan(0);
  return frames;
}

function filesBelow(folder: string): [string, Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1), readFileSync(path)]);
}

/** What a reader of the pieces of an answer puts together. */
function piecesIn(text: string): string {
  return [...text.matchAll(/"(?:text|delta|content)":"((?:[^"\\]|\\.)*)"/g)].map(([, piece = '']) => piece).join('');
}
