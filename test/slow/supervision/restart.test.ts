import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, isAlive, kept, reaches, stage } from '../session/stage.ts';

const bigLine = on(when.prompt('big'), step.bigLine({ bytes: 200_000 }), step.echoTurn());

describe('a permanent failure', () => {
  it('does not burn restarts: a conversation that is gone sets the session aside at once (P8, R62)', async () => {
    const gone = [step.stderr('No conversation found with session ID: x\n'), step.exit(1)];
    const { start, fake, supervisor } = await stage({
      perStart: [{ rules: [on(when.control('die'), step.exit(1))] }, { atStart: gone }],
    });
    const session = await start();
    await session.prompt('hello').result;
    await errorFrom(session.control('die'));
    await reaches(session, 'quarantined');
    expect(await fake.starts()).toHaveLength(2);
    expect(session.explain().lastFailure?.code).toBe('CONVERSATION_NOT_FOUND');
    expect(supervisor.list()).toEqual([session]);
    await session.close();
    expect(supervisor.list()).toEqual([]);
    expect(supervisor.load().sessions).toBe(0);
  });

  it('of the framing names size and limit and is not repeated (R07, R62)', async () => {
    const { start, fake } = await stage({ rules: [bigLine] });
    const session = await start({ limits: { maxLineBytes: 100_000 } });
    const result = await session.prompt('big').result;
    expect(result.outcome).toBe('failed');
    expect(result.error?.code).toBe('LINE_TOO_LONG');
    expect(result.error?.details).toMatchObject({ limit: 100_000 });
    await reaches(session, 'quarantined');
    expect(await fake.starts()).toHaveLength(1);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });
});

describe('a crash loop', () => {
  it('ends in quarantine, which refuses prompts and says how to go on; restart() starts again (R62, P8)', async () => {
    const crash = { rules: [on(when.initialize(), step.fallThrough(), step.delay(30), step.exit(9))] };
    const { start, fake } = await stage({
      perStart: [{ rules: [on(when.control('die'), step.exit(1))] }, crash, crash, crash, {}],
    });
    const session = await start();
    await session.prompt('hello').result;
    await errorFrom(session.control('die'));
    await reaches(session, 'quarantined');
    expect(await fake.starts()).toHaveLength(4);
    const restarts = (await kept(session)).filter(({ type }) => type === 'session.restarting');
    expect(restarts).toHaveLength(3);
    const refusal = await errorFrom((async () => session.prompt('more'))());
    expect(refusal.code).toBe('SESSION_QUARANTINED');
    expect(refusal.message).toContain('restart()');
    expect((await errorFrom(session.control('x'))).code).toBe('NO_PROCESS');
    expect(session.explain().waitingFor).toEqual(['restart() by its owner']);
    session.restart();
    await reaches(session, 'ready', 5);
    expect((await session.prompt('more').result).outcome).toBe('completed');
    const [first, , , , last] = await fake.starts();
    expect(first?.argv.some((flag) => flag.startsWith('--resume'))).toBe(false);
    expect(last?.argv).toContain(`--resume=${session.conversationId}`);
  });

  it('keeps a prompt that waited through the crashes, and gives it back when it is over (P2)', async () => {
    const crash = { rules: [on(when.prompt('deadly'), step.exit(9))] };
    const { start } = await stage(crash);
    const session = await start({ restart: { intensity: 2 } });
    const deadly = session.prompt('deadly');
    const waiting = session.prompt('waiting');
    expect((await deadly.result).outcome).toBe('failed');
    const returned = await waiting.result;
    expect(returned.outcome).toBe('cancelled');
    expect(returned.error?.code).toBe('CLI_EXITED');
    await eventOf(session, 'session.quarantined');
  });

  it('is no crash when a temporary session ends: it is over and removable (R62)', async () => {
    const { start, supervisor } = await stage({ rules: [on(when.prompt('die'), step.exit(0))] });
    const session = await start({ restart: { type: 'temporary' } });
    const result = await session.prompt('die').result;
    expect([result.outcome, result.error?.code]).toEqual(['failed', 'CLI_EXITED']);
    expect((await session.ended).reason).toBe('failed');
    expect(supervisor.list()).toEqual([]);
  });
});

describe('the deadline of a turn', () => {
  it('stops a silent turn, names itself, and leaves the session usable (R61)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('silent'), step.delay(30_000))] });
    const session = await start({ timeouts: { turnMs: 300 } });
    const result = await session.prompt('silent').result;
    expect(result.outcome).toBe('interrupted');
    await eventOf(session, 'diagnostic', ({ reason }) => reason === 'turn-overdue');
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect(session.incarnation).toBe(1);
  });

  it('ends a process that closed its output and does not even obey the interrupt (R61)', async () => {
    const { start, fake } = await stage({
      perStart: [{ rules: [on(when.prompt('mute'), step.closeStdout(), step.hang())] }, {}],
    });
    const session = await start({ timeouts: { turnMs: 300, interruptMs: 300 } });
    const turn = session.prompt('mute');
    await reaches(session, 'ready', 2);
    await turn.result;
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect((await fake.pids()).filter(isAlive)).toHaveLength(1);
  });

  it('does not run while a person is asked (P5)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('ask'), step.toolTurn({ tool: 'Bash', input: {} }))] });
    const session = await start({
      timeouts: { turnMs: 400 },
      canUseTool: () => new Promise((resolve) => setTimeout(() => resolve({ behavior: 'allow' }), 1_000)),
    });
    expect((await session.prompt('ask').result).outcome).toBe('completed');
  });
});
