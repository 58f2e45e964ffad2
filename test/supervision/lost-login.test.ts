import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import type { MemoryPrompt } from './memory-cli.ts';
import { answerWell, HOUR, quotaFleet, STAGGER, START } from './quota-fleet.ts';

describe('a login that is gone (R89)', () => {
  const NOT_LOGGED_IN = 'Not logged in · Please run /login';
  const failLogin = (prompt: MemoryPrompt) => {
    const content = [{ type: 'text', text: NOT_LOGGED_IN }];
    prompt.cli.say({ type: 'assistant', message: { content }, error: 'authentication_failed' });
    prompt.fail(NOT_LOGGED_IN);
  };

  it('is told once, burns no restart, holds new starts back, and ends when somebody has logged in', async () => {
    let isLoggedIn = false;
    const { clock, fleet, supervisor, start, told, account, sentSince } = quotaFleet((prompt) =>
      isLoggedIn ? answerWell(prompt) : failLogin(prompt),
    );
    const sessions: Session[] = [];
    for (let index = 0; index < 20; index += 1) sessions.push(await start(`worker-${index}`));
    for (const session of sessions) session.prompt('work');
    const turns = sessions.map((session) => session.prompt('more'));
    await clock.advance(1_000);

    expect(told('account.locked')).toEqual([
      { type: 'account.locked', account: 'shared', at: START, message: NOT_LOGGED_IN },
    ]);
    expect(sessions.map(({ state }) => state)).toEqual(sessions.map(() => 'parked'));
    expect(sessions[3]?.explain()).toMatchObject({
      parked: { reason: 'auth', until: null },
      waitingFor: ['a login of its account'],
    });
    const late = await start('late');
    await clock.advance(24 * HOUR);
    expect(late.state).toBe('parked');
    expect(fleet.started).toHaveLength(20);
    expect(told('session.restarting')).toEqual([]);
    expect(account()).toMatchObject({ state: 'locked', lock: NOT_LOGGED_IN });

    isLoggedIn = true;
    const loggedInAt = clock.now();
    supervisor.resumeAccount('shared');
    await clock.advance(1);
    expect(sentSince(loggedInAt)).toHaveLength(1);
    await clock.advance(25 * STAGGER);
    expect(new Set((await Promise.all(turns.map(({ result }) => result))).map(({ outcome }) => outcome))).toEqual(
      new Set(['completed']),
    );
    expect(told('account.unlocked')).toHaveLength(1);
    await supervisor.shutdown();
  }, 60_000);

  it('that shows only by the end of a process parks the session like any wall: prompts are kept, no restart is spent (P8)', async () => {
    let isLoggedIn = false;
    const { clock, fleet, supervisor, start, told, account } = quotaFleet((prompt) => {
      if (isLoggedIn) answerWell(prompt);
      else {
        // The result alone: no message of the model's said so before.
        prompt.fail(NOT_LOGGED_IN);
        prompt.cli.exit(1);
      }
    });
    const session = await start('one');
    const turns = [session.prompt('work'), session.prompt('more')];
    await clock.advance(1_000);

    expect((await turns[0]?.result)?.outcome).toBe('failed');
    expect(session.explain()).toMatchObject({ state: 'parked', parked: { reason: 'auth' }, queuedPrompts: 1 });
    expect(account()).toMatchObject({ state: 'locked', lock: expect.stringContaining(NOT_LOGGED_IN) });
    expect(told('session.quarantined')).toEqual([]);

    isLoggedIn = true;
    supervisor.resumeAccount('shared');
    await clock.advance(60_000);
    expect((await turns[1]?.result)?.outcome).toBe('completed');
    expect(told('session.restarting')).toEqual([]);
    expect(fleet.started).toHaveLength(2);
    await supervisor.shutdown();
  });

  it('of a member parks the member, and its group does not give up (P8)', async () => {
    const { clock, supervisor } = quotaFleet((prompt) => {
      prompt.fail(NOT_LOGGED_IN);
      prompt.cli.exit(1);
    });
    const group = await supervisor.group({ id: 'team', children: [{ id: 'one', account: 'shared' }] });
    group.session('one')?.prompt('work');
    await clock.advance(1_000);

    expect([group.state, group.session('one')?.state]).toEqual(['running', 'parked']);
    await supervisor.shutdown();
  });

  it('is believed at the second refusal that is tried again, not after the tenth (WIRE §25.22)', async () => {
    const { clock, fleet, supervisor, start, account } = quotaFleet(() => {});
    const session = await start('one');
    session.prompt('work');
    await clock.advance(0);
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      max_retries: 10,
      error_status: 401,
      error: 'authentication_failed',
    };
    const [cli] = fleet.started;
    cli?.say({ ...retry, attempt: 1 });
    await clock.advance(0);
    expect(account()?.state).toBe('open');

    cli?.say({ ...retry, attempt: 2 });
    await clock.advance(0);
    expect(account()?.state).toBe('locked');
    session.kill();
    await clock.advance(1_000);
    await supervisor.shutdown();
  });
});
