import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newFake, newHost } from './fakes.ts';
import { type Frame, Host, shape, user } from './host.ts';

const U1 = '11111111-1111-4111-8111-111111111111';
const U2 = '22222222-1111-4111-8111-111111111111';
const SLOW = on(when.prompt('slow'), step.echoTurn({ text: 'word '.repeat(1_000), wordMs: 10 }));

describe('a fake without a scenario', () => {
  it('says nothing before the host does, and answers initialize as 2.1.332 (WIRE §1)', async () => {
    const { host } = await newHost();
    const response = await host.initialize();

    expect(host.frames).toHaveLength(1);
    expect(response.response).toMatchObject({
      pid: host.child.pid,
      claude_code_version: '2.1.332',
      session_state: 'idle',
    });
    expect(response.pending_permission_requests).toEqual([]);
    expect((response.response as Frame).capabilities).toContain('msg_lifecycle_v1');
  });

  it('answers a prompt with its text and a result that names it (WIRE §11)', async () => {
    const { host } = await newHost();
    host.prompt('hello', U1);
    const result = await host.result();

    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Echo: hello',
      user_message_uuids: [U1],
    });
    expect(Object.keys(result)[0]).not.toBe('type');
    host.prompt('again');
    expect((await host.result()).total_cost_usd).toBeCloseTo(0.00088);
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it('opens every turn with system/init that carries the changed model and mode (WIRE §9)', async () => {
    const { host } = await newHost({}, { args: ['--model', 'first', '--permission-mode=plan'] });
    host.prompt('a');
    const init = await host.next((frame) => shape(frame) === 'system/init');
    expect(init).toMatchObject({ model: 'first', permissionMode: 'plan' });
    await host.control({ subtype: 'set_model', model: 'second' });
    await host.control({ subtype: 'set_permission_mode', mode: 'acceptEdits' });
    host.prompt('b');

    const second = await host.next((frame) => shape(frame) === 'system/init');
    expect(second).toMatchObject({ model: 'second', permissionMode: 'acceptEdits', session_id: init.session_id });
  });

  it('swallows a uuid that waits, runs or is done (WIRE §11)', async () => {
    const { host } = await newHost();
    host.send(user('one', U1), user('one', U1));
    await host.next((frame) => shape(frame) === 'command_lifecycle/completed');
    host.prompt('one', U1);
    host.prompt('two', U2);
    await host.result();
    await host.end();

    expect(host.frames.filter((frame) => frame.type === 'result').map((frame) => frame.result)).toEqual([
      'Echo: one',
      'Echo: two',
    ]);
  });

  it('finds its session again and knows which prompts are done (WIRE §11)', async () => {
    const { host, fake } = await newHost();
    host.prompt('one', U1);
    const { session_id: id } = await host.result();
    await host.end();
    const next = new Host(fake, { args: ['--resume', String(id)] });
    next.prompt('one', U1);
    next.prompt('two', U2);
    const result = await next.result();
    await next.end();

    expect(next.frames.slice(0, 2).map(shape)).toEqual(['command_lifecycle/completed', 'command_lifecycle/queued']);
    expect(result).toMatchObject({ result: 'Echo: two', session_id: id });
  });

  it('runs a prompt again whose turn was killed (WIRE §11)', async () => {
    const fake = await newFake({ perStart: [{ rules: [on(when.prompt('one'), step.killSelf('SIGKILL'))] }, {}] });
    const host = new Host(fake);
    host.prompt('one', U1);
    const { session_id: id } = await host.next((frame) => shape(frame) === 'system/init');
    expect(await host.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const next = new Host(fake, { args: [`--resume=${String(id)}`] });
    next.prompt('one', U1);

    expect(await next.result()).toMatchObject({ result: 'Echo: one', user_message_uuids: [U1] });
  });

  it.each(['asking', 'running'] as const)(
    'calls a prompt done whose turn was killed after its tool call was recorded, when %s (WIRE §15)',
    async (recorded) => {
      const tool = step.toolTurn({ tool: 'Bash', input: { text: '<$prompt>' }, runMs: 60_000, recorded });
      const fake = await newFake({ rules: [on(when.prompt('one'), tool)] });
      const host = new Host(fake);
      host.prompt('one', U1);
      const question = await host.asked('can_use_tool');
      expect(question.request).toMatchObject({ input: { text: '<one>' } });
      if (recorded === 'running') {
        host.answer(question, { behavior: 'allow', updatedInput: {} });
        await expect.poll(async () => (await fake.journal()).at(-1)?.kind).toBe('tool');
      }
      const { session_id: id } = host.frames.find((frame) => shape(frame) === 'system/init') ?? {};
      host.child.kill('SIGKILL');
      await host.exited;
      const next = new Host(fake, { args: [`--resume=${String(id)}`] });
      next.prompt('one', U1);

      await next.next((frame) => shape(frame) === 'command_lifecycle/completed');
      expect(next.frames).toHaveLength(1);
    },
  );

  it('journals what became of prompts and tools, and that two processes had one session (WIRE §12)', async () => {
    const { host, fake } = await newHost();
    host.prompt('one', U1);
    const { session_id: id } = await host.result();
    const next = new Host(fake, { args: [`--resume=${String(id)}`] });
    next.prompt('two', U2);
    await next.result();
    await Promise.all([host.end(), next.end()]);

    const prompts = (await fake.journal()).filter((entry) => entry.kind === 'prompt' && entry.uuid === U1);
    expect(prompts).toMatchObject(['queued', 'started', 'completed'].map((state) => ({ state, text: 'one' })));
    expect((await fake.violations()).map(({ violation }) => violation)).toEqual(['shared-conversation']);
  });

  it('refuses an unknown session with a result and exit code 1, and never answers initialize (WIRE §12)', async () => {
    const { host } = await newHost({}, { args: ['--resume', U1] });
    host.send({ type: 'control_request', request_id: 'one', request: { subtype: 'initialize' } });
    const exit = await host.exited;

    expect(exit.code).toBe(1);
    expect(host.frames.map(shape)).toEqual(['result/error_during_execution']);
    expect(host.stderr).toContain('No conversation found with session ID');
  });

  it('refuses a session id that is taken (WIRE §12)', async () => {
    const { host, fake } = await newHost({}, { args: ['--session-id', U1] });
    host.prompt('one');
    expect((await host.result()).session_id).toBe(U1);
    await host.end();
    const next = new Host(fake, { args: ['--session-id', U1] });

    expect((await next.exited).code).toBe(1);
    expect(next.stderr).toContain('is already in use');
  });

  it('finishes what it has read after the end of stdin (WIRE §15)', async () => {
    const { host } = await newHost({ thinkMs: 50 });
    host.send(user('one', U1), user('two', U2));
    const exit = await host.end();

    expect(exit.code).toBe(0);
    expect(host.frames.filter((frame) => frame.type === 'result')).toHaveLength(2);
  });

  it.each([
    ['SIGTERM', { code: 143, signal: null }, 0],
    ['SIGHUP', { code: 129, signal: null }, 0],
    ['SIGINT', { code: 0, signal: null }, 1],
  ] as const)('ends on %s in the middle of a turn as measured (WIRE §15)', async (signal, exit, results) => {
    const { host } = await newHost({ rules: [SLOW] });
    host.prompt('slow');
    await host.next((frame) => shape(frame) === 'system/init');
    host.child.kill(signal);

    expect(await host.exited).toEqual(exit);
    expect(host.frames.filter((frame) => frame.type === 'result')).toHaveLength(results);
  });

  it('ends the session on request, with exit code 1 in the middle of a turn (WIRE §9)', async () => {
    const idle = (await newHost()).host;
    await idle.control({ subtype: 'end_session' });
    expect((await idle.exited).code).toBe(0);
    const busy = (await newHost({ rules: [SLOW] })).host;
    busy.prompt('slow');
    await busy.next((frame) => shape(frame) === 'system/init');
    await busy.control({ subtype: 'end_session' });

    expect((await busy.result()).terminal_reason).toBe('aborted_streaming');
    expect((await busy.exited).code).toBe(1);
  });

  it('answers an interrupt without a turn, and two interrupts with one result (WIRE §8)', async () => {
    const { host } = await newHost({ rules: [SLOW] });
    expect(await host.control({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: [] } });
    host.prompt('slow');
    await host.next((frame) => shape(frame) === 'system/init');
    const interrupt = { type: 'control_request', request: { subtype: 'interrupt' } };
    host.send({ ...interrupt, request_id: 'a' }, { ...interrupt, request_id: 'b' });
    await host.result();
    await host.end();

    expect(host.frames.map(shape)).toEqual([
      'control_response',
      'system/init',
      'control_response',
      'control_response',
      'assistant',
      'user',
      'result/error_during_execution',
    ]);
  });

  it('refuses unknown requests; the old releases never answer them (WIRE §9)', async () => {
    const { host } = await newHost();
    expect(await host.control({ subtype: 'nonsense' })).toMatchObject({
      subtype: 'error',
      error_code: 'unsupported_request',
    });
    const old = (await newHost({ flavor: { version: '2.1.19' } })).host;
    old.send({ type: 'control_request', request_id: 'x', request: { subtype: 'nonsense' } });
    await old.control({ subtype: 'set_permission_mode', mode: 'plan' });
    await old.end();

    expect(old.frames.map((frame) => (frame.response as Frame).request_id)).toEqual(['host-1', 'host-1']);
  });

  it('waits for a silent server twice MCP_TIMEOUT and then runs the turn without it (WIRE §4)', async () => {
    const args = ['--mcp-config', '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}'];
    const { host } = await newHost({}, { args, env: { MCP_TIMEOUT: '100' }, answersMcp: false });
    await host.initialize();
    host.prompt('hi');
    const init = await host.next((frame) => shape(frame) === 'system/init');

    expect(init.mcp_servers).toMatchObject([{ name: 'calc', status: 'failed' }]);
    expect(host.frames.map(shape).filter((one) => one.endsWith('mcp_message/initialize'))).toHaveLength(2);
  });

  it('runs one turn in print mode and exits (WIRE §16)', async () => {
    const { host } = await newHost({}, { args: ['--input-format=text', '--print', '--', '-hello'] });
    const exit = await host.exited;

    expect(exit.code).toBe(0);
    expect(host.frames.at(-1)).toMatchObject({ type: 'result', result: 'Echo: -hello' });
  });
});

describe('a permission question of the fake', () => {
  const rules = [on(when.prompt('tool'), step.toolTurn({ tool: 'Bash', input: { command: 'ls' }, output: 'files' }))];
  const allow = { behavior: 'allow', updatedInput: { command: 'ls' } };

  it.each([
    ['allow', allow, 'success', 'files'],
    ['deny', { behavior: 'deny', message: 'not now' }, 'success', 'not now'],
    ['deny and interrupt', { behavior: 'deny', message: 'stop', interrupt: true }, 'error_during_execution', undefined],
    ['garbage', { behavior: 'perhaps' }, 'success', 'invalid permission result'],
  ])('follows the answer: %s (WIRE §5)', async (_, answer, subtype, text) => {
    const { host } = await newHost({ rules });
    host.prompt('tool');
    host.answer(await host.asked('can_use_tool'), answer);
    const result = await host.result();

    expect(result.subtype).toBe(subtype);
    if (text !== undefined) expect(result.result).toContain(text);
    expect(result.permission_denials).toHaveLength(answer === allow ? 0 : 1);
  });

  it('refuses allow without updatedInput in the old releases (WIRE §5)', async () => {
    for (const [version, text] of [
      ['2.1.332', 'files'],
      ['2.1.197', 'Tool permission request failed'],
    ] as const) {
      const { host, fake } = await newHost({ flavor: { version }, rules });
      host.prompt('tool');
      host.answer(await host.asked('can_use_tool'), { behavior: 'allow' });
      expect((await host.result()).result).toContain(text);
      expect(await fake.violations()).toMatchObject([{ violation: 'allow-without-updated-input' }]);
    }
  });

  it('is withdrawn just before the interrupt is answered (WIRE §6)', async () => {
    const { host } = await newHost({ rules });
    host.prompt('tool');
    const question = await host.asked('can_use_tool');
    await host.control({ subtype: 'interrupt' });
    const result = await host.result();

    expect(result.terminal_reason).toBe('aborted_tools');
    const withdrawal = host.frames.findIndex((frame) => frame.type === 'control_cancel_request');
    expect(host.frames[withdrawal]?.request_id).toBe(question.request_id);
    expect(shape(host.frames[withdrawal + 1] ?? {})).toBe('control_response');
  });

  it('fails at the end of stdin and the turn goes on (WIRE §15)', async () => {
    const { host } = await newHost({ rules });
    host.prompt('tool');
    await host.asked('can_use_tool');
    const exit = await host.end();

    expect(exit.code).toBe(0);
    expect(host.frames.at(-1)?.result).toContain('stream closed before response received');
  });

  it('takes prompts into the turn while the tool runs (WIRE §11)', async () => {
    const long = step.toolTurn({ tool: 'Bash', input: {}, ask: false, runMs: 300 });
    const { host } = await newHost({ rules: [on(when.prompt('tool'), long)] });
    host.prompt('tool', U1);
    await host.next((frame) => frame.type === 'assistant');
    host.prompt('more', U2);
    const result = await host.result();
    await host.end();

    expect(result.user_message_uuids).toEqual([U1, U2]);
    expect(host.frames.map(shape).slice(-6)).toEqual([
      'user',
      'command_lifecycle/started',
      'assistant',
      'command_lifecycle/completed',
      'result/success',
      'command_lifecycle/completed',
    ]);
  });
});
