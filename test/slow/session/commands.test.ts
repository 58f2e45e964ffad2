import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/index.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, isAlive, QUICK_RESTART, reaches, stage } from './stage.ts';

const DIES = on(when.control('die'), step.killSelf('SIGKILL'));
/** Long enough that nothing but a command ends it. */
const LONG_BACKOFF = { ...QUICK_RESTART, backoff: { minMs: 60_000, maxMs: 60_000, jitter: 0 } } as const;

async function backingOff(scenario: Scenario = {}) {
  const { start, fake, supervisor } = await stage({ perStart: [{ rules: [DIES] }, scenario] });
  const session = await start({ restart: LONG_BACKOFF });
  await session.prompt('hello').result;
  await errorFrom(session.control('die'));
  await reaches(session, 'backing-off');
  return { session, fake, supervisor };
}

async function idle(session: Session): Promise<void> {
  expect((await session.prompt('usable').result).text).toBe('Echo: usable');
}

describe('while a session waits for its restart', () => {
  it('a prompt waits in line, control says that there is no process, and restart() goes on at once (P6)', async () => {
    const { session } = await backingOff();
    expect(session.pid).toBeUndefined();
    expect((await errorFrom(session.control('mcp_status'))).code).toBe('NO_PROCESS');
    // A setting needs no process: the next one starts with it (P8).
    await session.setModel('haiku');
    expect(session.snapshot().settings).toMatchObject({ model: 'haiku' });
    const waiting = session.prompt('waiting');
    expect(session.explain().queuedPrompts).toBe(1);
    session.restart();
    session.restart();
    expect((await waiting.result).text).toBe('Echo: waiting');
    expect(session.incarnation).toBe(2);
  });

  it('an interrupt takes the waiting prompt back, and close ends everything without a process (P5, P6)', async () => {
    const { session, fake, supervisor } = await backingOff();
    const first = session.prompt('first');
    const second = session.prompt('second');
    expect(await session.interrupt()).toEqual({ effect: 'cancelled', cancelled: [first.id], stillQueued: [second.id] });
    await session.close();
    expect((await first.result).outcome).toBe('cancelled');
    const given = await second.result;
    expect([given.outcome, given.error?.code]).toEqual(['cancelled', 'SESSION_CLOSED']);
    expect(await fake.starts()).toHaveLength(1);
    expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
    expect(session.state).toBe('stopped');
  });
});

describe('while a session starts', () => {
  it('close and kill end it, and its prompts are given back (P5)', async () => {
    for (const how of ['close', 'kill'] as const) {
      const { start, fake } = await stage({ rules: [on(when.initialize(), step.hang())] });
      const session = await start({ autoStart: false });
      const turn = session.prompt('hello');
      await reaches(session, 'initializing');
      await session[how]();
      expect((await turn.result).outcome).toBe('cancelled');
      expect((await session.ended).reason).toBe('closed');
      expect((await fake.pids()).filter(isAlive)).toEqual([]);
    }
  });

  it('close in the tick of the start leaves nothing (P1)', async () => {
    const { start, fake } = await stage();
    const session = await start({ autoStart: false });
    const turn = session.prompt('hello');
    await session.close();
    expect((await turn.result).outcome).toBe('cancelled');
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('a failed first start gives its prompt back with the reason (R62)', async () => {
    const { start, supervisor } = await stage({ atStart: [step.stderr('no such plan\n'), step.exit(2)] });
    const session = await start({ autoStart: false });
    const result = await session.prompt('hello').result;
    expect([result.outcome, result.error?.code]).toEqual(['cancelled', 'CLI_EXITED']);
    expect(result.error?.message).toContain('no such plan');
    expect((await session.ended).reason).toBe('failed');
    expect(supervisor.list()).toEqual([]);
  });
});

describe('when the process dies', () => {
  it('under an interrupt, everybody is answered and the session goes on (P5)', async () => {
    const { start } = await stage({
      perStart: [
        { rules: [on(when.control('interrupt'), step.killSelf('SIGKILL')), on(when.prompt('endless'), step.hang())] },
        {},
      ],
    });
    const session = await start();
    const turn = session.prompt('endless');
    const next = session.prompt('next');
    await eventOf(session, 'turn.started');
    const receipt = await session.interrupt();
    expect(receipt.effect).toBe('interrupted');
    expect((await turn.result).outcome).toBe('interrupted');
    expect((await next.result).text).toBe('Echo: next');
  });

  it('under a close, the close still resolves and nothing is restarted (P5, P8)', async () => {
    const { start, fake } = await stage({ rules: [on(when.eof(), step.exit(9))] });
    const session = await start();
    await session.close();
    expect(await session.ended).toEqual({ reason: 'closed', error: undefined });
    expect(await fake.starts()).toHaveLength(1);
  });

  it('with exit code 0 that nobody asked for, a transient session is restarted (R62)', async () => {
    const leaves = on(when.control('leave'), step.exit(0));
    const { start, fake } = await stage({ perStart: [{ rules: [leaves] }, {}] });
    const session = await start();
    await session.prompt('hello').result;
    await errorFrom(session.control('leave'));
    await reaches(session, 'ready', 2);
    await idle(session);
    expect(await fake.starts()).toHaveLength(2);
  });
});

describe('control requests', () => {
  it('are refused, time out, and are aborted one by one; the session stays usable (P5)', async () => {
    const { start } = await stage({ rules: [on(when.control('silent'), step.hang())] });
    const session = await start();
    const refused = await errorFrom(session.control('zzz_unknown'));
    expect([refused.code, refused.details['cliErrorCode']]).toEqual(['CONTROL_UNSUPPORTED', 'unsupported_request']);
    const late = await errorFrom(session.control('silent', {}, { timeoutMs: 100 }));
    expect(late.code).toBe('CONTROL_TIMEOUT');
    const controller = new AbortController();
    const aborted = errorFrom(session.control('silent', {}, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect(await aborted).toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } });
    expect((await errorFrom(session.setPermissionMode('nonsense'))).code).toBe('INVALID_OPTIONS');
    expect((await errorFrom(session.setPermissionMode('bypassPermissions'))).code).toBe('INVALID_OPTIONS');
    expect((await errorFrom(session.setModel('--evil'))).code).toBe('INVALID_OPTIONS');
    await idle(session);
  });
});
