import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import {
  ANSWER_INITIALIZE,
  errorFrom,
  eventOf,
  isAlive,
  newSupervisor,
  script,
  stage,
  timed,
} from '../session/stage.ts';

const quickCli = () => script(...ANSWER_INITIALIZE, 'cat >/dev/null');

describe('admission', () => {
  it('refuses with AT_CAPACITY after its deadline, and a slot that is given back is taken (R64)', async () => {
    const supervisor = newSupervisor({
      pathToClaudeCodeExecutable: await quickCli(),
      limits: { maxSessions: 2 },
      timeouts: { admissionMs: 1_000 },
    });
    const [first] = await Promise.all([supervisor.start(), supervisor.start()]);
    let error: unknown;
    const ms = await timed(async () => {
      error = await errorFrom(supervisor.start());
    });
    expect(error).toMatchObject({ code: 'AT_CAPACITY', details: { limit: 2, waitedMs: 1_000 } });
    expect(ms).toBeGreaterThanOrEqual(990);
    expect(supervisor.load()).toEqual({ sessions: 2, waiting: 0, starting: 0 });
    const waiting = supervisor.start();
    await Promise.all([first?.kill(), waiting]);
    expect((await waiting).state).toBe('ready');
    expect(supervisor.list()).toHaveLength(2);
  });

  it('leaks no slot to starts that fail, are refused, or are aborted while they wait or start (R64)', async () => {
    const healthy = await quickCli();
    const silent = await script('sleep 60');
    const supervisor = newSupervisor({
      pathToClaudeCodeExecutable: healthy,
      limits: { maxSessions: 3, maxStarting: 1 },
      timeouts: { admissionMs: 20_000 },
    });
    const failing = [
      { pathToClaudeCodeExecutable: '/bin/false' },
      { pathToClaudeCodeExecutable: '/nowhere/claude' },
      { pathToClaudeCodeExecutable: silent, timeouts: { initializeMs: 100 } },
      { cwd: '/nowhere/at/all' },
      { pathToClaudeCodeExecutable: silent, signal: AbortSignal.timeout(200) },
      { signal: AbortSignal.timeout(1) },
    ];
    const outcomes = await Promise.allSettled([...failing, ...failing].map((options) => supervisor.start(options)));
    for (const outcome of outcomes.slice(0, 5)) expect(outcome.status).toBe('rejected');
    await Promise.all(supervisor.list().map((session) => session.close()));
    expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
    const sessions = await Promise.all([supervisor.start(), supervisor.start(), supervisor.start()]);
    expect(sessions.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  });

  it('lets aborted waiters go at once, with their reason, and serves the others in order (R65)', async () => {
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: await quickCli(), limits: { maxSessions: 1 } });
    const running = await supervisor.start({ id: 'running' });
    const controllers = Array.from({ length: 5 }, () => new AbortController());
    controllers[0]?.abort(new Error('before it was added'));
    const order: string[] = [];
    const waiting = controllers.map(async ({ signal }, index) => {
      const session = await supervisor.start({ id: `waiting-${index}`, signal });
      order.push(session.id);
      await session.close();
    });
    const settled = Promise.allSettled(waiting);
    await expect.poll(() => supervisor.load().waiting).toBe(4);
    controllers[2]?.abort(new Error('while it waited'));
    const aborted = await errorFrom(waiting[2] ?? Promise.resolve());
    expect(aborted).toMatchObject({ code: 'ABORTED', cause: { message: 'while it waited' } });
    // A waiter and the running one in the same tick.
    controllers[3]?.abort(new Error('together'));
    await running.kill();
    const outcomes = await settled;
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(order).toEqual(['waiting-1', 'waiting-4']);
    expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
  });

  it('starts no more at a time than it may (R89)', async () => {
    const { supervisor, start, fake } = await stage({}, { limits: { maxSessions: 12, maxStarting: 2 } });
    let most = 0;
    supervisor.on('event', () => {
      most = Math.max(most, supervisor.load().starting);
    });
    await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(most).toBe(2);
    expect(await fake.starts()).toHaveLength(8);
    expect(supervisor.load()).toEqual({ sessions: 8, waiting: 0, starting: 0 });
  });

  it('is closed after shutdown and drain, also for waiters (R64)', async () => {
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: await quickCli(), limits: { maxSessions: 1 } });
    await supervisor.start();
    const waiting = errorFrom(supervisor.start());
    await supervisor.shutdown();
    expect(['SESSION_CLOSED', 'SUPERVISOR_STOPPED']).toContain((await waiting).code);
    expect((await errorFrom(supervisor.start())).code).toBe('SUPERVISOR_STOPPED');
    await supervisor.shutdown();
    await supervisor.drain();
    expect(supervisor.list()).toEqual([]);
  });
});

describe('drain', () => {
  it('lets running and queued prompts end and then stops every session (P2)', async () => {
    const { start, supervisor, fake } = await stage({ rules: [on(when.prompt(), step.delay(100), step.echoTurn())] });
    const sessions = await Promise.all([start(), start()]);
    const turns = sessions.flatMap((session) => ['a', 'b', 'c'].map((text) => session.prompt(text)));
    await supervisor.drain();
    const results = await Promise.all(turns.map(({ result }) => result));
    expect(results.map(({ outcome }) => outcome)).toEqual(turns.map(() => 'completed'));
    expect(supervisor.state).toBe('stopped');
    expect(await fake.violations()).toEqual([]);
  });

  it('ends at its deadline although a turn does not, and at once when a shutdown is asked for (P5)', async () => {
    for (const how of ['deadline', 'shutdown'] as const) {
      const { start, supervisor, fake } = await stage(
        { rules: [on(when.prompt('endless'), step.delay(60_000))] },
        { timeouts: { drainMs: how === 'deadline' ? 300 : 60_000 } },
      );
      const session = await start();
      const turn = session.prompt('endless');
      const waiting = session.prompt('waiting');
      await eventOf(session, 'turn.started');
      const drained = supervisor.drain();
      expect((await errorFrom(start())).code).toBe('SUPERVISOR_STOPPED');
      if (how === 'shutdown') await supervisor.shutdown();
      await drained;
      expect((await turn.result).outcome).toBe('interrupted');
      expect((await waiting.result).outcome).toBe('cancelled');
      expect((await fake.pids()).filter(isAlive)).toEqual([]);
    }
  });
});
