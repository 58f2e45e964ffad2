import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Session, TroupeError, tool } from '../../../src/index.ts';
import type { CliUnderTest } from './cli-under-test.ts';
import { eventOf, stage } from './stage.ts';

const UUID = '11111111-1111-4111-8111-111111111111';
const ALL = '1.0.0';
/** No release that was measured takes it without a terminal. */
const NEVER = '9.0.0';

/** Every typed method, the release that first knows its request, and what comes back. */
const METHODS: readonly [name: string, since: string, call: (session: Session) => Promise<unknown>, answer: unknown][] =
  [
    ['getSettings', ALL, (it) => it.getSettings(), { effective: {}, sources: [] }],
    ['mcpServerStatus', ALL, (it) => it.mcpServerStatus(), []],
    [
      'getContextUsage',
      ALL,
      (it) => it.getContextUsage(),
      { categories: expect.any(Array), totalTokens: expect.any(Number) },
    ],
    [
      'getUsage',
      ALL,
      (it) => it.getUsage({ skipBehaviors: true }),
      { session: { total_cost_usd: expect.any(Number) } },
    ],
    ['getSessionCost', ALL, (it) => it.getSessionCost(), expect.stringContaining('Total duration')],
    ['getBinaryVersion', ALL, (it) => it.getBinaryVersion(), { version: expect.stringMatching(/^2\./) }],
    [
      'listModels',
      '2.1.220',
      (it) => it.listModels(),
      expect.arrayContaining([expect.objectContaining({ value: 'default' })]),
    ],
    ['listPermissionRules', '2.1.220', (it) => it.listPermissionRules(), { rules: [] }],
    ['getHooksListing', '2.1.220', (it) => it.getHooksListing(), { events: [], hooks: [] }],
    ['fileSuggestions', ALL, (it) => it.fileSuggestions('a'), expect.any(Array)],
    ['readFile', ALL, (it) => it.readFile('a.txt'), { contents: 'hello' }],
    ['readFile, limited', ALL, (it) => it.readFile('a.txt', { maxBytes: 2 }), { contents: 'he', truncated: true }],
    ['readFile of nothing', ALL, (it) => it.readFile('none.txt'), null],
    ['reloadPlugins', ALL, (it) => it.reloadPlugins(), { plugins: expect.any(Array) }],
    ['reloadSkills', ALL, (it) => it.reloadSkills(), { skills: expect.any(Array) }],
    ['reloadOutputStyles', '2.1.220', (it) => it.reloadOutputStyles(), { available_output_styles: expect.any(Array) }],
    ['rename', ALL, (it) => it.rename('A title'), undefined],
    [
      'rewindFiles',
      ALL,
      (it) => it.rewindFiles(UUID, { dryRun: true }),
      { canRewind: false, error: expect.any(String) },
    ],
    ['seedReadState', ALL, (it) => it.seedReadState('a.txt', 1), undefined],
    ['setColor', NEVER, (it) => it.setColor('red'), undefined],
    ['stopTask', ALL, (it) => it.stopTask('gone'), undefined],
    ['backgroundTasks', ALL, (it) => it.backgroundTasks(), true],
    ['setHasSubscribers', '2.1.220', (it) => it.setHasSubscribers(true), undefined],
    [
      'setMcpPermissionModeOverride',
      ALL,
      (it) => it.setMcpPermissionModeOverride('x', null),
      { warning: expect.any(String) },
    ],
    ['applyFlagSettings', ALL, (it) => it.applyFlagSettings({ effortLevel: 'low' }), undefined],
    ['setMaxThinkingTokens', ALL, (it) => it.setMaxThinkingTokens(2_000), undefined],
    [
      'supportedCommands',
      ALL,
      (it) => it.supportedCommands(),
      expect.arrayContaining([expect.objectContaining({ name: 'compact' })]),
    ],
    [
      'supportedModels',
      ALL,
      (it) => it.supportedModels(),
      expect.arrayContaining([expect.objectContaining({ value: 'default' })]),
    ],
    ['supportedAgents', ALL, (it) => it.supportedAgents(), expect.any(Array)],
    ['accountInfo', ALL, (it) => it.accountInfo(), { apiProvider: 'firstParty' }],
  ];

/** What the CLI refuses with its own words, so that the request is known to have arrived as it must be spelled. */
const REFUSALS: readonly [name: string, since: string, call: (session: Session) => Promise<unknown>, words: RegExp][] =
  [
    ['getTaskOutput', '2.1.220', (it) => it.getTaskOutput('x'), /task_id/],
    ['registerRepoRoot', ALL, (it) => it.registerRepoRoot('/nowhere'), /register_repo_root|ENOENT/],
    ['reconnectMcpServer', ALL, (it) => it.reconnectMcpServer('x'), /Server not found: x/],
    ['toggleMcpServer', ALL, (it) => it.toggleMcpServer('x', false), /Server not found: x/],
    ['readMcpResource', '2.1.220', (it) => it.readMcpResource('x', 'file://x'), /ui:\/\//],
    ['mcpCall', ALL, (it) => it.mcpCall('x', {}), /fully-qualified/],
    [
      'updateSettings',
      '2.1.220',
      (it) => it.updateSettings('localSettings', { model: 'x' }),
      /localSettings source is disabled/,
    ],
  ];

describe('typed control requests on the real CLI (WIRE §9)', () => {
  it('answers each one, idle; what the release does not know is told apart from what it refuses', async () => {
    const { start, cwd, cli } = await stage();
    writeFileSync(join(cwd, 'a.txt'), 'hello');
    const session = await start();
    await session.prompt('hello').result;

    for (const [name, since, call, answer] of METHODS)
      expectAnswer(name, since, await settle(call(session)), answer, cli);
    for (const [name, since, call, words] of REFUSALS) {
      const error = await call(session).catch((reason: unknown) => reason);
      expect(TroupeError.is(error) && error.code, name).toBe(
        cli.since(since) ? 'CONTROL_REFUSED' : 'CONTROL_UNSUPPORTED',
      );
      if (cli.since(since)) expect(String(error), name).toMatch(words);
    }
    expect(session.state).toBe('ready');
  });

  it('answers each one in the middle of a turn, which goes on (WIRE §9)', async () => {
    const { start, cwd, cli } = await stage();
    writeFileSync(join(cwd, 'a.txt'), 'hello');
    const session = await start({ includePartialMessages: true });
    const turn = session.prompt('SLOW 200');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');

    for (const [name, since, call, answer] of METHODS)
      expectAnswer(name, since, await settle(call(session)), answer, cli);
    expect(await session.setPermissionMode('acceptEdits')).toEqual({ mode: 'acceptEdits' });
    expect(session.status).toBe('running');
    expect((await turn.result).outcome).toBe('completed');
    expect(session.facts.permissionMode).toBe('acceptEdits');
  });

  it('refuses wrong arguments before anything is written, naming the field', async () => {
    const { start } = await stage();
    const session = await start();
    const wrong: [Promise<unknown>, string][] = [
      [session.setMaxThinkingTokens(-1), 'maxThinkingTokens'],
      [session.setMaxThinkingTokens(1, 'loud' as 'omitted'), 'thinkingDisplay'],
      [session.rename(''), 'title'],
      [session.readFile('a', { maxBytes: 0 }), 'options.maxBytes'],
      [session.updateSettings('elsewhere' as 'userSettings', {}), 'source'],
      [session.applyFlagSettings([] as unknown as Record<string, unknown>), 'settings'],
    ];
    const fields = await Promise.all(
      wrong.map(([call]) => call.catch((error: unknown) => TroupeError.is(error) && error.details['field'])),
    );

    expect(fields).toEqual(wrong.map(([, field]) => field));
  });

  it('changes the model and the thinking of the next request (WIRE §9)', async () => {
    const { start, model } = await stage();
    const session = await start();
    await session.setMaxThinkingTokens(3_000);
    await session.setModel('claude-sonnet-4-5');
    await session.prompt('hello').result;

    expect(model.requests.at(-1)?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      thinking: { type: 'enabled', budget_tokens: 3_000 },
    });
  });

  it('starts the next process with every setting that was changed, before its first prompt (P8)', async () => {
    const { start, model } = await stage();
    const session = await start({ restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } } });
    await session.setModel('claude-sonnet-4-5');
    await session.setMaxThinkingTokens(3_000);
    await session.setPermissionMode('plan');
    await session.applyFlagSettings({ effortLevel: 'low' });
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');
    await session.prompt('after the crash').result;

    expect(session.incarnation).toBe(2);
    expect(model.requests.at(-1)?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      thinking: { type: 'enabled', budget_tokens: 3_000 },
    });
    expect(session.facts.permissionMode).toBe('plan');
    expect((await session.getSettings()).applied).toMatchObject({ model: 'claude-sonnet-4-5' });
    expect(session.snapshot().settings).toEqual({
      model: 'claude-sonnet-4-5',
      permissionMode: 'plan',
      thinking: { maxThinkingTokens: 3_000 },
      flagSettings: ['effortLevel'],
      toggledServers: {},
      serverModes: {},
    });
  });

  it('switches MCP servers off and overrides their mode in the next process too (P8)', async () => {
    const { start, cli } = await stage();
    const answer = tool('answer', 'Answers.', {}, async () => ({ content: [{ type: 'text', text: '42' }] }));
    const session = await start({
      restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } },
      mcpServers: {
        calc: createSdkMcpServer({ name: 'calc', tools: [answer] }),
        rest: createSdkMcpServer({ name: 'rest', tools: [answer] }),
      },
    });
    const statuses = async () => {
      const servers = (await session.mcpServerStatus()).map(({ name, status }) => [name, status]);
      return Object.fromEntries(servers) as Record<string, string>;
    };
    // 2.1.197 says yes and leaves an in-process server on; newer releases switch it off.
    const off = cli.since('2.1.220') ? 'disabled' : 'connected';
    await expect.poll(statuses).toEqual({ calc: 'connected', rest: 'connected' });
    await session.toggleMcpServer('calc', false);
    expect(await session.setMcpPermissionModeOverride('rest', 'default')).toEqual({});
    expect(await statuses()).toEqual({ calc: off, rest: 'connected' });
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');
    await session.prompt('after the crash').result;

    expect(await statuses()).toEqual({ calc: off, rest: 'connected' });
    expect(session.snapshot().settings).toMatchObject({
      toggledServers: { calc: false },
      serverModes: { rest: 'default' },
    });
    const isBack = await settle(session.toggleMcpServer('calc', true));
    if (cli.since('2.1.220')) expect(isBack).toBeUndefined();
    else expect(isBack).toMatchObject({ code: 'CONTROL_REFUSED' });
    await expect.poll(statuses).toEqual({ calc: 'connected', rest: 'connected' });
  });

  it('goes over to what was changed while no process ran (P8)', async () => {
    const { start, model } = await stage();
    const session = await start({ autoStart: false });
    await session.setModel('claude-sonnet-4-5');
    await session.setPermissionMode('plan');
    await session.setMaxThinkingTokens(3_000);
    expect(session.pid).toBeUndefined();
    await session.prompt('hello').result;

    expect(model.requests.at(-1)?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      thinking: { type: 'enabled', budget_tokens: 3_000 },
    });
    expect(session.facts.permissionMode).toBe('plan');
  });

  it('lets the last word on the model count, live and in the next process (P8)', async () => {
    const { start, model } = await stage();
    const bySetModel = (session: Session) => session.setModel('claude-sonnet-4-5');
    const byFlags = (session: Session) => session.applyFlagSettings({ model: 'claude-haiku-4-5' });
    for (const [first, last, wanted] of [
      [bySetModel, byFlags, 'claude-haiku-4-5'],
      [byFlags, bySetModel, 'claude-sonnet-4-5'],
    ] as const) {
      for (const isKilled of [false, true]) {
        const session = await start({ restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } } });
        await first(session);
        await last(session);
        if (isKilled) process.kill(session.pid ?? 0, 'SIGKILL');
        if (isKilled) await eventOf(session, 'session.restarting');
        await session.prompt('hello').result;
        expect(model.requests.at(-1)?.body, `${wanted}, ${isKilled ? 'killed' : 'live'}`).toMatchObject({
          model: wanted,
        });
        await session.close();
      }
    }
  });

  it('takes a written prompt back from the CLI, and says when it is too late (WIRE §9, P2)', async () => {
    const { start } = await stage();
    const session = await start({ includePartialMessages: true });
    const first = session.prompt('SLOW 40');
    await eventOf(session, 'message', ({ message }) => message.type === 'stream_event');
    const second = session.prompt('never', { onBusy: 'steer' });

    expect(await session.cancelPrompt(second.id)).toBe(true);
    expect((await second.result).outcome).toBe('cancelled');
    expect(await session.cancelPrompt(first.id)).toBe(false);
    expect((await first.result).outcome).toBe('completed');
    expect(await session.cancelPrompt(second.id)).toBe(false);
  });

  it('says initialize once more and asks an open question again, once (WIRE §1, P4)', async () => {
    const { start, cli } = await stage();
    const session = await start();
    const turn = session.prompt(`CALL Bash ${JSON.stringify({ command: 'echo hi > out.txt' })}`);
    const { requestId } = await eventOf(session, 'permission.requested');
    const answer = await session.reinitialize();

    expect(answer.commands.length).toBeGreaterThan(0);
    expect(session.permissions.pending().map(({ id }) => id)).toEqual([requestId]);
    await session.permissions.answer(requestId, { behavior: 'allow' });
    expect((await turn.result).outcome).toBe('completed');
    expect(cli.since('2.1.197')).toBe(true);
  });
});

function settle(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}

function expectAnswer(name: string, since: string, outcome: unknown, answer: unknown, cli: CliUnderTest): void {
  if (cli.since(since) && isPlain(answer)) expect(outcome, name).toMatchObject(answer);
  else if (cli.since(since)) expect(outcome, name).toEqual(answer);
  else expect(outcome, name).toMatchObject({ code: 'CONTROL_UNSUPPORTED', details: { cliVersion: cli.version } });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
