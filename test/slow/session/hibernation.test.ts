import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, expectNoViolations, isAlive, kept, reaches, stage } from './stage.ts';

describe('a session without anything to do', () => {
  it('has no process after the idle limit, and its next prompt resumes the conversation (P8, R64)', async () => {
    const { start, fake } = await stage({});
    const session = await start({ timeouts: { idleMs: 300 } });
    await session.prompt('hello').result;
    const { conversationId, pid } = session;
    await reaches(session, 'hibernated');

    expect(session.pid).toBeUndefined();
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(session.explain().waitingFor).toEqual(['a prompt']);
    const result = await session.prompt('again').result;

    expect([result.outcome, session.incarnation]).toEqual(['completed', 2]);
    const [, second] = await fake.starts();
    expect(second?.argv).toContain(`--resume=${conversationId}`);
    const types = (await kept(session)).map(({ type }) => type);
    expect(types).toContain('session.hibernated');
    expect(types).not.toContain('session.restarting');
    await expectNoViolations(fake);
  });
});

describe('hibernating by hand', () => {
  it('is refused while a turn runs, and ends nothing (SESSION_BUSY)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('long'), step.delay(60_000))] });
    const session = await start();
    session.prompt('long');
    await eventOf(session, 'turn.started');

    expect((await errorFrom(session.hibernate())).code).toBe('SESSION_BUSY');
    expect(session.incarnation).toBe(1);
    expect(session.pid).toBeDefined();
  });

  it('resolves when the process is gone, changes nothing the second time, and is refused after the end', async () => {
    const { start } = await stage({});
    const session = await start();
    const { pid } = session;
    await session.hibernate();

    expect([session.state, isAlive(pid ?? 0)]).toEqual(['hibernated', false]);
    await session.hibernate();
    await session.close();
    expect((await errorFrom(session.hibernate())).code).toBe('SESSION_CLOSED');
  });

  it('serves a prompt that comes while the process ends with the next process, exactly once (P2)', async () => {
    const { start, fake } = await stage({ rules: [on(when.eof(), step.delay(200), step.exit(0))] });
    const session = await start();
    await session.prompt('first').result;
    await session.settled();
    const asleep = session.hibernate();
    const turn = session.prompt('second');
    await asleep;
    const result = await turn.result;

    expect([result.outcome, result.text, session.incarnation]).toEqual(['completed', 'Echo: second', 2]);
    expect((await kept(session)).filter(({ type }) => type === 'prompt.ended')).toHaveLength(2);
    await expectNoViolations(fake);
  });
});
