import { describe, expect, it } from 'vitest';
import { query, type TroupeError } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { answersTo, errorFrom, eventOf, expectNoViolations, linesTo, newFake, stage } from './stage.ts';

const asks = on(when.prompt('ask'), step.toolTurn({ tool: 'Bash', input: { command: 'ls' } }));
const ask = (name: string, more: Record<string, unknown> = {}) =>
  step.request({ name, subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `toolu_${name}`, ...more });

describe('a permission request', () => {
  it('waits for its owner without a deadline, and expires into a denial when there is one (R31, P4)', async () => {
    const { start } = await stage({ rules: [asks] });
    const [patient, hasty] = await Promise.all([start(), start({ timeouts: { permissionMs: 200 } })]);
    const waiting = patient.prompt('ask');
    const result = await hasty.prompt('ask').result;
    expect(result).toMatchObject({ outcome: 'completed', permissionDenials: 1 });
    const { requestId, outcome } = await eventOf(hasty, 'permission.settled');
    expect(outcome).toBe('expired');
    expect(hasty.permissions.get(requestId)?.settlement?.outcome).toBe('expired');
    const open = await eventOf(patient, 'permission.requested');
    expect(patient.state).toBe('awaiting-permission');
    expect(patient.explain().openPermissions[0]?.ageMs).toBeGreaterThanOrEqual(0);
    await patient.permissions.answer(open.requestId, { behavior: 'allow' });
    expect((await waiting.result).permissionDenials).toBe(0);
  });

  it('is answered in the shape every release takes (R32)', async () => {
    const version = '2.1.197' as const;
    const { start, fake } = await stage({
      flavor: { version },
      rules: [asks, on(when.prompt('no input'), ask('bare'), step.awaitResponse('bare'), step.echoTurn())],
    });
    const updates = [{ type: 'nonsense' }, { type: 'setMode', mode: 'plan', destination: 'session' }];
    const session = await start({ canUseTool: async () => ({ behavior: 'allow', updatedPermissions: updates }) });
    expect((await session.prompt('ask').result).text).toContain('completed with no output');
    await session.prompt('no input').result;
    const payloads = (await answersTo(fake)).map((answer) => answer['response']);
    expect(payloads).toContainEqual({
      behavior: 'allow',
      updatedInput: { command: 'ls' },
      updatedPermissions: [updates[1]],
    });
    expect(payloads).toContainEqual({ behavior: 'allow', updatedInput: {}, updatedPermissions: [updates[1]] });
    await eventOf(session, 'diagnostic', ({ reason }) => reason === 'malformed-permission-update');
    const other = await start({ canUseTool: async () => ({ behavior: 'deny' }) });
    expect((await other.prompt('ask').result).permissionDenials).toBe(1);
    await expectNoViolations(fake);
  });

  it('stays open when a prompt is sent meanwhile, queued or steered (R33)', async () => {
    const { start } = await stage({ rules: [asks] });
    const session = await start();
    const turn = session.prompt('ask');
    const { requestId } = await eventOf(session, 'permission.requested');
    const queued = session.prompt('later');
    const steered = session.prompt('now', { onBusy: 'steer' });
    await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === steered.id);
    expect(session.permissions.pending().map(({ id }) => id)).toEqual([requestId]);
    await session.permissions.answer(requestId, { behavior: 'allow' }, { by: 'alice' });
    const results = await Promise.all([turn, steered, queued].map(({ result }) => result));
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(session.permissions.get(requestId)?.settlement).toMatchObject({ outcome: 'allowed', by: 'alice' });
  });

  it('answered twice has one winner, and the other learns who it was (R34, P4)', async () => {
    const { start, fake, supervisor } = await stage({ rules: [asks] });
    const session = await start();
    const turn = session.prompt('ask');
    const { requestId } = await eventOf(session, 'permission.requested');
    expect(supervisor.inbox().map(({ id, sessionId }) => [id, sessionId])).toEqual([[requestId, session.id]]);
    const [first, second] = await Promise.allSettled([
      session.permissions.answer(requestId, { behavior: 'allow' }, { by: 'alice' }),
      session.permissions.answer(requestId, { behavior: 'deny' }, { by: 'bob' }),
    ]);
    expect(first.status).toBe('fulfilled');
    const loser = second.status === 'rejected' ? (second.reason as TroupeError) : undefined;
    expect(loser?.code).toBe('PERMISSION_SETTLED');
    expect(loser?.details).toMatchObject({ by: 'alice', outcome: 'allowed' });
    expect((await turn.result).permissionDenials).toBe(0);
    expect(supervisor.inbox()).toEqual([]);
    expect((await errorFrom(session.permissions.answer('nobody', { behavior: 'allow' }))).code).toBe(
      'PERMISSION_NOT_FOUND',
    );
    await expectNoViolations(fake);
  });

  it('tells who answers too late that the session is gone (R34)', async () => {
    const { start } = await stage({ rules: [asks] });
    const session = await start();
    session.prompt('ask');
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.kill();
    const error = await errorFrom(session.permissions.answer(requestId, { behavior: 'allow' }));
    expect(error.code).toBe('PERMISSION_SETTLED');
    expect(session.permissions.pending()).toEqual([]);
  });

  it('is answered only when the pipe took the answer: a process that stopped reading is told to the answerer (R34)', async () => {
    const { start } = await stage({
      rules: [on(when.prompt('ask'), ask('q', { input: {} }), step.closeStdin(), step.stderr('deaf\n'), step.hang())],
    });
    const session = await start({ restart: { type: 'temporary' } });
    const turn = session.prompt('ask');
    const { requestId } = await eventOf(session, 'permission.requested');
    await eventOf(session, 'stderr');
    const error = await errorFrom(session.permissions.answer(requestId, { behavior: 'allow' }));
    expect(error.code).toBe('CLI_INPUT_CLOSED');
    expect((await turn.result).error?.code).toBe('CLI_INPUT_CLOSED');
  });

  it('is one of many, each answered on its own, in any order, equal or not (R36)', async () => {
    const input = { input: { command: 'ls' } };
    const { start, fake } = await stage({
      rules: [
        on(
          when.prompt('go'),
          ...['1', '2', '3'].map((name) => ask(name, { ...input, agent_id: `agent-${name}` })),
          ...['1', '2', '3'].map((name) => step.awaitResponse(name)),
          step.echoTurn(),
        ),
      ],
    });
    const session = await start();
    const turn = session.prompt('go');
    await expect.poll(() => session.permissions.pending().length, { timeout: 10_000 }).toBe(3);
    const [one, two, three] = session.permissions.pending();
    expect([one?.agentId, two?.agentId, three?.agentId]).toEqual(['agent-1', 'agent-2', 'agent-3']);
    await session.permissions.answer(two?.id ?? '', { behavior: 'allow' });
    expect(session.permissions.pending().map(({ id }) => id)).toEqual([one?.id, three?.id]);
    await session.permissions.answer(one?.id ?? '', { behavior: 'deny', message: 'not this one' });
    await session.permissions.answer(three?.id ?? '', { behavior: 'allow' });
    expect((await turn.result).outcome).toBe('completed');
    const answers = (await answersTo(fake)).map((answer) => (answer['response'] as { behavior?: string }).behavior);
    expect(answers).toEqual(['allow', 'deny', 'allow']);
    await expectNoViolations(fake);
  });

  it('that nobody can answer is denied at once with an explanation, and counted (R37)', async () => {
    const { start, fake } = await stage({ rules: [asks] });
    const session = await start({ permissionPrompts: 'none' });
    expect((await session.prompt('ask').result).permissionDenials).toBe(1);
    expect(JSON.stringify(await linesTo(fake))).toContain('Nobody can answer permission questions');
    const alone = await newFake({ rules: [asks] });
    const denials: unknown[] = [];
    for await (const message of query({ prompt: 'ask', options: { pathToClaudeCodeExecutable: alone.path } })) {
      if (message.type === 'result') denials.push(message['permission_denials']);
    }
    expect(denials).toEqual([[expect.objectContaining({ tool_name: 'Bash' })]]);
  });
});
