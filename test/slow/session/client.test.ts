import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import {
  errorFrom,
  eventOf,
  expectNoViolations,
  isAlive,
  linesTo,
  newFake,
  newSupervisor,
  stage,
  tick,
} from './stage.ts';

/** Everything a client can ask a process for. */
const CALLS: readonly [name: string, call: (session: Session) => unknown][] = [
  ['prompt', (session) => session.prompt('hello')],
  ['setModel', (session) => session.setModel('m')],
  ['setPermissionMode', (session) => session.setPermissionMode('plan')],
  ['setMaxThinkingTokens', (session) => session.setMaxThinkingTokens(1)],
  ['reconnectMcpServer', (session) => session.reconnectMcpServer('s')],
  ['toggleMcpServer', (session) => session.toggleMcpServer('s', true)],
  ['setMcpServers', (session) => session.setMcpServers({})],
  ['mcpServerStatus', (session) => session.mcpServerStatus()],
  ['stopTask', (session) => session.stopTask('t')],
  ['getContextUsage', (session) => session.getContextUsage()],
  ['rewindFiles', (session) => session.rewindFiles('11111111-1111-4111-8111-111111111111')],
  ['control', (session) => session.control('anything')],
  ['initializationResult', (session) => session.initializationResult()],
];

describe('a client (PEER test_streaming_client)', () => {
  it('has a process from its start to the end of its block, also when an error leaves the block', async () => {
    const fake = await newFake();
    const pids: (number | undefined)[] = [];
    const block = async () => {
      await using supervisor = newSupervisor({ pathToClaudeCodeExecutable: fake.path });
      await using session = await supervisor.start();
      pids.push(session.pid);
      expect(isAlive(session.pid ?? 0)).toBe(true);
      await session.prompt('hello').result;
      throw new Error('my own');
    };

    await expect(block()).rejects.toThrow('my own');
    expect(pids).toEqual([expect.any(Number)]);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('stays open without a prompt, and writes one user line for each that it is given', async () => {
    const { start, fake } = await stage();
    const session = await start();
    const users = async () => (await linesTo(fake)).filter(({ type }) => type === 'user');
    expect(await users()).toEqual([]);
    expect(session.state).toBe('ready');

    await session.prompt('first').result;
    await session.prompt([{ type: 'text', text: 'second' }]).result;
    const contents = (await users()).map((line) => (line['message'] as { content: unknown }).content);
    expect(contents).toEqual(['first', [{ type: 'text', text: 'second' }]]);
    // One process has one conversation; the line need not name it (WIRE §11).
    expect((await users()).map((line) => line['session_id'])).toEqual(['', '']);
    expect(await fake.starts()).toHaveLength(1);
  });

  it('reads of a turn everything up to its result, and the next turn after that', async () => {
    const { start } = await stage();
    const session = await start();
    for (const text of ['one', 'two']) {
      const types: string[] = [];
      for await (const message of session.prompt(text)) types.push(message.type);
      expect(types).toContain('assistant');
      expect(types.filter((type) => type === 'result')).toHaveLength(1);
      // What follows the result tells only that the prompt is done (WIRE §0.8).
      expect(types.slice(types.indexOf('result') + 1).filter((type) => type !== 'command_lifecycle')).toEqual([]);
    }
  });

  it('sends long lines of every kind at once, and each arrives whole', async () => {
    const { start, fake } = await stage({
      rules: [on(when.prompt({ contains: 'long' }), step.delay(5), step.echoTurn({ text: 'done' }))],
    });
    const session = await start({ limits: { maxPromptQueue: 1_000 } });
    const long = 'x'.repeat(60_000);
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const [turns] = await Promise.all([
      Promise.all(numbers.map((number) => session.prompt(`long ${number} ${long}`, { onBusy: 'steer' }).result)),
      ...numbers.map((number) => session.control('set_model', { model: `m${number}`, long })),
    ]);

    expect(turns.map(({ outcome }) => outcome)).toEqual(numbers.map(() => 'completed'));
    const lines = await linesTo(fake);
    const prompts = lines.filter(({ type }) => type === 'user').map((line) => JSON.stringify(line['message']));
    expect(prompts.map((text) => Number(/long (\d+)/.exec(text)?.[1]))).toEqual(numbers);
    expect(prompts.every((text) => text.includes(long))).toBe(true);
    expect(lines.filter((line) => JSON.stringify(line['request'] ?? '').includes(long))).toHaveLength(30);
    await expectNoViolations(fake);
  });

  it('answers the CLI and reads on while somebody waits for a result', async () => {
    const call = (name: string) =>
      step.request({ name, subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: `toolu_${name}` });
    const { start } = await stage({
      rules: [
        on(when.prompt('go'), call('a'), step.awaitResponse('a'), call('b'), step.awaitResponse('b'), step.echoTurn()),
      ],
    });
    const session = await start({ canUseTool: () => tick(20).then(() => ({ behavior: 'allow' as const })) });

    expect((await session.prompt('go').result).outcome).toBe('completed');
  });

  it('that is registered only, or was never connected, can be closed without a process', async () => {
    const { start, fake } = await stage();
    const session = await start({ autoStart: false });
    await session.close();
    await session.close();

    expect(await session.ended).toEqual({ reason: 'closed', error: undefined });
    expect(await session.interrupt()).toMatchObject({ effect: 'nothing' });
    expect(await fake.starts()).toEqual([]);
  });

  it.each(CALLS)('that is closed refuses %s with a typed error', async (_, call) => {
    const { start } = await stage();
    const session = await start({ autoStart: false });
    await session.close();

    expect((await errorFrom((async () => call(session))())).code).toBe('SESSION_CLOSED');
  });
});

describe('what a process is started with', () => {
  it('is the folder that was asked for, and the span that is active there (PEER test_transport)', async () => {
    const NAME = Symbol.for('opentelemetry.js.api.1');
    const inject = (_: unknown, carrier: object, setter: { set(carrier: object, name: string, value: string): void }) =>
      setter.set(carrier, 'traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    Object.assign(globalThis, { [NAME]: { context: { active: () => ({}) }, propagation: { inject } } });
    onTestFinished(() => void Reflect.deleteProperty(globalThis, NAME));
    const { start } = await stage({ rules: [on(when.prompt('env'), step.printEnvironment(), step.echoTurn())] });
    const session = await start({ cwd: tmpdir() });
    await session.prompt('env').result;

    const init = await eventOf(session, 'message', ({ message }) => message.subtype === 'init');
    expect(init.message.value?.['cwd']).toBe(realpathSync(tmpdir()));
    const told = await eventOf(session, 'message', ({ message }) => message.subtype === 'fake_environment');
    expect(told.message.value?.['environment']).toMatchObject({
      TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
  });
});
