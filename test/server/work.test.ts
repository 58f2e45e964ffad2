import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SupervisorOptions } from '../../src/index.ts';
import { type MemoryPrompt, memoryFleet } from '../supervision/memory-cli.ts';
import { ANSWERER, serverStage, TOKEN } from './stage.ts';

describe('prompts', () => {
  it('are accepted with 202, run once for their Idempotency-Key, and tell what became of them (P2)', async () => {
    const { ask, prompts } = await withFleet((prompt) => prompt.complete(`answer to ${prompt.text}`));
    await ask('POST', '/v1/sessions', { id: 'a' });
    const send = (content: string) =>
      ask('POST', '/v1/sessions/a/prompts', { content }, { 'idempotency-key': 'order-7' });

    expect(await send('hello')).toMatchObject({ status: 202, body: { promptId: 'order-7' } });
    expect(await send('hello')).toMatchObject({ status: 202, body: { promptId: 'order-7' } });
    expect(await send('other')).toMatchObject({ status: 409, body: { code: 'PROMPT_ID_USED' } });
    const { body } = await ask('GET', '/v1/sessions/a/prompts/order-7?waitMs=10000');
    expect(body).toMatchObject({ promptId: 'order-7', outcome: 'completed', text: 'answer to hello' });
    expect(prompts).toHaveLength(1);
    expect((await ask('GET', '/v1/sessions/a/prompts/nothing')).body).toMatchObject({ code: 'PROMPT_NOT_FOUND' });
  });

  it('name in the log who sent them (P11)', async () => {
    const { ask, supervisor } = await withFleet();
    await ask('POST', '/v1/sessions', { id: 'a' });
    await ask('POST', '/v1/sessions/a/prompts', { content: 'hello' });

    const { body } = await ask('GET', '/v1/sessions/a/log?limit=500');
    const events = body['events'] as readonly Record<string, unknown>[];
    expect(events.find(({ type }) => type === 'prompt.accepted')).toMatchObject({ from: 'owner' });
    expect(supervisor.session('a')).toBeDefined();
  });

  it('a queue that is full says when to come again (P9)', async () => {
    const { ask } = await withFleet(() => {}, { limits: { maxPromptQueue: 1 } });
    await ask('POST', '/v1/sessions', { id: 'a' });
    const answers = [];
    for (const content of ['one', 'two', 'three', 'four'])
      answers.push(await ask('POST', '/v1/sessions/a/prompts', { content }));

    const last = answers.at(-1);
    expect(last?.body).toMatchObject({ code: 'PROMPT_QUEUE_FULL', status: 429 });
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('starting sessions', () => {
  it('one Idempotency-Key starts one session, and another request with it is refused', async () => {
    const { ask, supervisor } = await withFleet();
    const start = (key: string) =>
      ask('POST', '/v1/sessions', { key, autoStart: false }, { 'idempotency-key': 'start-1' });
    const [one, other] = await Promise.all([start('k'), start('k')]);

    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body['id']).toBe(other.body['id']);
    expect(supervisor.list()).toHaveLength(1);
    expect((await start('another')).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_USED', status: 409 });
  });

  it('does not wait for the process where it is asked not to', async () => {
    const { ask } = await withFleet();
    const { status, body, headers } = await ask('POST', '/v1/sessions?wait=false', { id: 'a' });
    expect([status, body['id'], headers['location']]).toEqual([202, 'a', '/v1/sessions/a']);
  });

  it('is refused with a time to come again while the supervisor drains (P9)', async () => {
    const { ask } = await withFleet();
    expect((await ask('POST', '/v1/drain')).status).toBe(202);
    const { body, headers } = await ask('POST', '/v1/sessions', {});

    expect(body).toMatchObject({ code: 'SUPERVISOR_STOPPED', status: 503 });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(await ask('GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'SUPERVISOR_STOPPED' } });
    expect(await ask('GET', '/healthz')).toMatchObject({ status: 200 });
  });
});

describe('forking a session', () => {
  it('starts one that goes on with a copy, once for its key, and opens no more than a start (P11)', async () => {
    const { ask, supervisor } = await withFleet();
    await ask('POST', '/v1/sessions', { id: 'a', key: 'k' });
    expect((await ask('POST', '/v1/sessions/a/fork')).body).toMatchObject({ code: 'FORK_REFUSED', status: 409 });
    await ask('POST', '/v1/sessions/a/prompts', { content: 'hello', id: 'p' });
    await ask('GET', '/v1/sessions/a/prompts/p?waitMs=10000');
    const fork = (body: unknown) => ask('POST', '/v1/sessions/a/fork', body, { 'idempotency-key': 'once' });
    const first = await fork({ id: 'b', model: 'haiku' });

    expect([first.status, first.headers['location']]).toEqual([201, '/v1/sessions/b']);
    expect(first.body).toMatchObject({ id: 'b', key: 'k' });
    expect((await fork({ id: 'b', model: 'haiku' })).status).toBe(201);
    expect((await fork({ id: 'c' })).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_USED' });
    expect((await ask('POST', '/v1/sessions/a/fork', { env: {} })).body).toMatchObject({ code: 'OPTION_NOT_OPEN' });
    expect((await ask('POST', '/v1/sessions/a/fork', { cwd: '/etc' })).body).toMatchObject({
      code: 'PATH_OUTSIDE_ROOTS',
    });
    expect((await ask('POST', '/v1/sessions/a/fork', { resume: 'x' })).body).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await ask('POST', '/v1/sessions/nobody/fork')).body).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(supervisor.list()).toHaveLength(2);
  });
});

describe('lists', () => {
  it('come in pages that neither repeat nor skip a session, and are searched', async () => {
    const { ask, supervisor } = await withFleet();
    for (let number = 1; number <= 7; number += 1)
      await supervisor.start({ id: `s${number}`, key: number % 2 === 0 ? 'even' : 'odd', autoStart: false });
    const seen: unknown[] = [];
    for (let url: string | undefined = '/v1/sessions?limit=3'; url !== undefined; ) {
      const { body } = await ask('GET', url);
      seen.push(...(body['sessions'] as { id: string }[]).map(({ id }) => id));
      url = body['next'] === undefined ? undefined : `/v1/sessions?limit=3&cursor=${body['next']}`;
    }

    expect(seen).toEqual(['s1', 's2', 's3', 's4', 's5', 's6', 's7']);
    expect((await ask('GET', '/v1/sessions?search=EVE')).body['sessions']).toHaveLength(3);
    expect((await ask('GET', '/v1/sessions?key=odd&state=hibernated')).body['sessions']).toHaveLength(4);
    expect((await ask('GET', '/v1/sessions?status=running')).body['sessions']).toEqual([]);
  });

  it('a session that is over is still shown, with its log', async () => {
    const { ask, supervisor } = await withFleet();
    await ask('POST', '/v1/sessions', { id: 'a' });
    expect(await ask('POST', '/v1/sessions/a/close')).toMatchObject({
      status: 200,
      body: { ended: { reason: 'closed' } },
    });

    expect(supervisor.list()).toEqual([]);
    expect((await ask('GET', '/v1/sessions/a')).body).toMatchObject({ id: 'a', ended: { cause: { code: 'closed' } } });
    const { body } = await ask('GET', '/v1/sessions/a/log?limit=500');
    expect((body['events'] as readonly { type: string }[]).at(-1)?.type).toBe('session.ended');
    expect((await ask('POST', '/v1/sessions/a/prompts', { content: 'x' })).body).toMatchObject({
      code: 'SESSION_CLOSED',
    });
  });

  it('a log is read in pages, to its end (P7)', async () => {
    const { ask, supervisor } = await withFleet();
    await ask('POST', '/v1/sessions', { id: 'a' });
    await supervisor.session('a')?.prompt('hello').result;
    const seqs: unknown[] = [];
    for (let after: unknown = 0; after !== undefined; ) {
      const { body } = await ask('GET', `/v1/sessions/a/log?after=${after}&limit=2`);
      seqs.push(...(body['events'] as { seq: number }[]).map(({ seq }) => seq));
      after = body['next'];
    }

    expect(seqs.length).toBeGreaterThan(5);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });
});

describe('questions', () => {
  it('the first answer wins, the log names who gave it, and a later one is told (P4)', async () => {
    const { ask, supervisor } = await withFleet(askBash);
    await ask('POST', '/v1/sessions', { id: 'a' });
    await ask('POST', '/v1/sessions/a/prompts', { content: 'run it' });
    await expect.poll(async () => supervisor.inbox().length).toBe(1);
    const { body: open } = await ask('GET', '/v1/permissions');
    const [question] = open['permissions'] as readonly { globalId: string; toolName: string }[];

    expect(question).toMatchObject({ globalId: 'a~q1', toolName: 'Bash', input: { command: 'ls' } });
    const as = { authorization: `Bearer ${ANSWERER}` };
    const first = await ask('POST', `/v1/permissions/${question?.globalId}`, { behavior: 'allow' }, as);
    expect(first).toMatchObject({ status: 200, body: { settlement: { outcome: 'allowed', by: 'ann' } } });
    const second = await ask('POST', '/v1/permissions/q1?session=a', { behavior: 'deny' });
    expect(second).toMatchObject({ status: 409, body: { code: 'PERMISSION_SETTLED', details: { by: 'ann' } } });
    const { body: log } = await ask('GET', '/v1/sessions/a/log?limit=500');
    const settled = (log['events'] as readonly Record<string, unknown>[]).find(
      ({ type }) => type === 'permission.settled',
    );
    expect(settled).toMatchObject({ requestId: 'q1', outcome: 'allowed', by: 'ann' });
  });

  it('an answer that is none is refused, and the question stays open (P4)', async () => {
    const { ask, supervisor } = await withFleet(askBash);
    await ask('POST', '/v1/sessions', { id: 'a' });
    await ask('POST', '/v1/sessions/a/prompts', { content: 'run it' });
    await expect.poll(async () => supervisor.inbox().length).toBe(1);

    for (const answer of [{}, { behavior: 'maybe' }, { behavior: 'allow', updatedInput: 5 }, { action: 'accept' }])
      expect((await ask('POST', '/v1/permissions/a~q1', answer)).status).toBe(400);
    expect(supervisor.inbox()).toHaveLength(1);
  });
});

describe('whatever is asked', () => {
  const Path = fc.stringMatching(/^[ -~]{0,60}$/);
  const Body = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string({ maxLength: 200 }),
    fc.record({ id: fc.string(), cwd: fc.string(), content: fc.anything(), behavior: fc.string() }).map(jsonOf),
  );
  const ROUTES = [
    '/v1/sessions',
    '/v1/sessions/a/prompts',
    '/v1/sessions/a/steer',
    '/v1/sessions/a/control',
    '/v1/sessions/a/model',
    '/v1/sessions/a/budget',
    '/v1/sessions/a/interrupt',
    '/v1/permissions/a~q1',
    '/v1/permissions/',
  ];

  it('the server answers with a code of its own, never with 500', async () => {
    const { app, ask } = await withFleet(() => {});
    await ask('POST', '/v1/sessions', { id: 'a', autoStart: false });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTES), Path, Body, async (route, suffix, payload) => {
        const url = `${route}${encodeURIComponent(suffix)}`;
        for (const method of ['GET', 'POST'] as const) {
          if (method === 'GET' && /events/.test(url)) return;
          const answer = await app.inject({
            method,
            url: method === 'POST' && suffix.length % 2 === 0 ? route : url,
            headers: { host: 'localhost', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
            ...(method === 'POST' ? { payload } : {}),
          });
          expect([url, payload, answer.statusCode < 500 || answer.statusCode === 503]).toEqual([url, payload, true]);
        }
      }),
      { numRuns: 150 },
    );
  });
});

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '{';
  }
}

/** A CLI whose turn asks before it runs Bash. */
function askBash({ cli }: MemoryPrompt): void {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };
  cli.say({ type: 'control_request', request_id: 'q1', request });
}

async function withFleet(answer?: (prompt: MemoryPrompt) => void, options: SupervisorOptions = {}) {
  const fleet = memoryFleet(answer);
  const stage = await serverStage({}, { spawn: fleet.open, pathToClaudeCodeExecutable: process.execPath, ...options });
  return { ...stage, prompts: fleet.prompts };
}
