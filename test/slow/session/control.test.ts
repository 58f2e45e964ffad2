import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { answersTo, eventOf, expectNoViolations, kept, stage, tick } from './stage.ts';

const ask = (name: string, more = {}) =>
  step.request({
    name,
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { name },
    tool_use_id: `toolu_${name}`,
    ...more,
  });
const call = (name: string, message: Record<string, unknown>, server = 'host') =>
  step.request({ name, subtype: 'mcp_message', server_name: server, message: { jsonrpc: '2.0', ...message } });

describe('requests of the CLI', () => {
  it('run at the same time: the first may wait for the last (R25)', async () => {
    let release: () => void = () => {};
    const last = new Promise<void>((resolve) => {
      release = resolve;
    });
    const free = tool('free', 'Frees.', {}, async () => {
      release();
      return { content: [] };
    });
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          ask('one'),
          ask('two'),
          call('three', { id: 3, method: 'tools/call', params: { name: 'free', arguments: {} } }),
          ...['one', 'two', 'three'].map((name) => step.awaitResponse(name)),
          step.echoTurn(),
        ),
      ],
    });
    const session = await start({
      mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [free] }) },
      canUseTool: async (_, input) => {
        await last;
        return { behavior: 'allow', updatedInput: input };
      },
    });
    expect((await session.prompt('go').result).outcome).toBe('completed');
    await expectNoViolations(fake);
  });

  it('get an error answer at once when the callback throws, rejects, or returns nonsense (R25)', async () => {
    const names = ['throws', 'rejects', 'nothing', 'nonsense', 'fine'];
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          ...names.map((name) => ask(name)),
          ...names.map((name) => step.awaitResponse(name)),
          step.echoTurn(),
        ),
      ],
    });
    const answers: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('thrown');
      },
      rejects: () => Promise.reject(new Error('rejected')),
      nothing: () => undefined,
      nonsense: () => ({ behavior: 'perhaps' }),
      fine: () => ({ behavior: 'allow' }),
    };
    const session = await start({ canUseTool: (_, input) => answers[String(input['name'])]?.() as never });
    expect((await session.prompt('go').result).outcome).toBe('completed');
    expect(session.permissions.pending()).toEqual([]);
    const allowed = (await answersTo(fake)).filter((answer) => JSON.stringify(answer).includes('"allow"'));
    expect(allowed).toHaveLength(1);
    await expectNoViolations(fake);
  });

  it('that are taken back get no answer ever; odd cancels change nothing (R26)', async () => {
    const cancel = (id: string) => step.emit({ type: 'control_cancel_request', request_id: id });
    let wasAborted = false;
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          cancel('never-asked'),
          ask('r1'),
          step.delay(50),
          step.cancelRequest('r1'),
          ask('r2'),
          step.awaitResponse('r2'),
          step.delay(200),
          step.echoTurn(),
        ),
      ],
    });
    const session = await start({
      canUseTool: async (_, input, { signal }) => {
        if (input['name'] === 'r1') {
          signal.addEventListener('abort', () => {
            wasAborted = true;
          });
          await tick(150);
        }
        return { behavior: 'allow' };
      },
    });
    const turn = session.prompt('go');
    const settled = await eventOf(session, 'permission.settled', ({ outcome }) => outcome === 'cancelled');
    expect((await turn.result).outcome).toBe('completed');
    expect(wasAborted).toBe(true);
    expect(session.permissions.get(settled.requestId)?.settlement?.outcome).toBe('cancelled');
    expect(session.permissions.pending()).toEqual([]);
    const reasons = (await kept(session)).flatMap((event) => (event.type === 'diagnostic' ? [event.reason] : []));
    expect(reasons).toEqual(['unknown-cancel']);
    await expectNoViolations(fake);
  });

  it('reach in-process tools with every edge of JSON-RPC and get exactly one answer each (R97, R98, R99)', async () => {
    const edges: [string, Record<string, unknown>, string?][] = [
      ['notification', { method: 'notifications/initialized' }],
      ['nowhere', { id: 1, method: 'tools/list' }, 'nope'],
      [
        'again',
        {
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        },
      ],
      ['constructor', { id: 2, method: 'tools/call', params: { name: 'constructor', arguments: {} } }],
      ['proto', { id: 3, method: 'tools/call', params: { name: '__proto__', arguments: {} } }],
      ['ping', { id: 4, method: 'ping' }],
      ['unknown', { id: 5, method: 'zzz/unknown' }],
      ['malformed', { id: 6, method: 7 }],
      ['invalid', { id: 7, method: 'tools/call', params: { name: 'echo', arguments: { text: 9 } } }],
      ['throwing', { id: 8, method: 'tools/call', params: { name: 'throw', arguments: {} } }],
    ];
    const many = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    const names = [...edges.map(([name]) => name), ...many];
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          ...edges.map(([name, message, server]) => call(name, message, server)),
          ...many.map((name) => call(name, { id: name, method: 'tools/call', params: { name: 'big', arguments: {} } })),
          ...names.map((name) => step.awaitResponse(name)),
          step.echoTurn(),
        ),
      ],
    });
    let running = 0;
    let most = 0;
    const big = tool('big', 'Large and slow.', {}, async () => {
      running += 1;
      most = Math.max(most, running);
      await tick(200);
      running -= 1;
      return { content: [{ type: 'text', text: 'b'.repeat(100_000) }] };
    });
    const broken = tool('throw', 'Throws.', {}, async () => {
      throw new Error('thrown by the tool');
    });
    const session = await start({ mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [big, broken] }) } });
    expect((await session.prompt('go').result).outcome).toBe('completed');
    expect(most).toBe(20);
    const answers = (await answersTo(fake)).map((answer) => JSON.stringify(answer));
    expect(answers.filter((text) => text.includes('thrown by the tool'))).toHaveLength(1);
    expect(answers.filter((text) => text.includes('-32601')).length).toBeGreaterThanOrEqual(2);
    await expectNoViolations(fake);
  });

  it('abort the handler of a tool when the call is cancelled, interrupted, or the session closes (R97)', async () => {
    const reasons: string[] = [];
    let started = 0;
    const stubborn = tool('wait', 'Waits.', {}, (_, { signal }) => {
      started += 1;
      if (signal.aborted) reasons.push('aborted');
      signal.addEventListener('abort', () => reasons.push('aborted'));
      return new Promise(() => {});
    });
    const wait = (id: number) => call(`w${id}`, { id, method: 'tools/call', params: { name: 'wait', arguments: {} } });
    const cancelled = call('c', { method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } });
    const { start, fake } = await stage({
      rules: [
        on(when.prompt('cancel'), wait(7), cancelled, step.awaitResponse('w7'), step.echoTurn()),
        on(when.prompt('interrupt'), step.toolTurn({ tool: 'mcp__host__wait', input: {}, ask: false })),
        on(when.prompt('close'), wait(8), step.hang()),
      ],
    });
    const session = await start({ mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [stubborn] }) } });
    expect((await session.prompt('cancel').result).outcome).toBe('completed');
    expect(reasons).toHaveLength(1);
    const turn = session.prompt('interrupt');
    await expect.poll(() => started, { timeout: 10_000 }).toBe(2);
    await session.interrupt();
    expect((await turn.result).outcome).toBe('interrupted');
    await expect.poll(() => reasons.length, { timeout: 10_000 }).toBe(2);
    session.prompt('close');
    await expect.poll(() => started, { timeout: 10_000 }).toBe(3);
    await session.close();
    expect(reasons).toHaveLength(3);
    await expectNoViolations(fake);
  });

  it('of a slow tool have no hidden limit of ours (R96)', async () => {
    const slow = tool('slow', 'Takes its time.', {}, async () => {
      await tick(1_500);
      return { content: [{ type: 'text', text: 'done' }] };
    });
    const { start } = await stage({
      rules: [on(when.prompt('go'), step.toolTurn({ tool: 'mcp__host__slow', input: {}, ask: false }))],
    });
    const session = await start({
      mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [slow] }) },
      timeouts: { controlMs: 300, mcpServerMs: 300 },
    });
    expect((await session.prompt('go').result).text).toContain('done');
  });
});
