import { describe, expect, it } from 'vitest';
import { openAccount } from './account-harness.ts';

const RESET = 1_000_000;

describe('a wall (R86, SEMANTICS (c)5)', () => {
  it('is waited for until the reset that was told, and a little longer: clocks differ', () => {
    const { state, wall, context, moment } = openAccount();

    wall(RESET);

    expect(state()).toBe('walled');
    expect(context().resumeAt).toBe(RESET + 60_000 + 15_000);
    expect(moment()?.at).toBe(RESET + 75_000);
  });

  it('is told once, however many meet it', () => {
    const { wall, walls } = openAccount();

    for (let session = 0; session < 50; session += 1) wall(RESET, session);

    expect(walls()).toEqual([{ type: 'wall.changed', window: 'five_hour', resetsAt: RESET, resumeAt: RESET + 75_000 }]);
  });

  it('lets nobody go on before its moment, whatever sessions report', () => {
    const { wall, wait, send, released, state } = openAccount();
    wall(RESET);

    wait('one', 'two');
    send({ type: 'session.passed', id: 'one' }, { type: 'session.left', id: 'two', at: 5 });
    send({ type: 'login.renewed', at: 6 });

    expect(state()).toBe('walled');
    expect(released()).toEqual([]);
  });

  it('is met by one session alone, and the others follow one after the other', async () => {
    const { wall, wait, send, released, reachMoment, state, clock } = openAccount();
    wall(RESET);
    wait('one', 'two', 'three');

    await reachMoment();
    expect(state()).toBe('probing');
    expect(released()).toEqual([{ type: 'session.released', id: 'one', isProbe: true }]);

    send({ type: 'session.passed', id: 'two' });
    expect(state()).toBe('probing');

    send({ type: 'session.passed', id: 'one' });
    expect(state()).toBe('releasing');
    clock.increment(4_999);
    expect(released()).toHaveLength(1);
    clock.increment(1);
    expect(released().map(({ id }) => id)).toEqual(['one', 'two']);
    clock.increment(5_000);
    expect(released().map(({ id }) => id)).toEqual(['one', 'two', 'three']);
    expect(state()).toBe('open');
  });

  it('stands again when the one that tries meets it', async () => {
    const { wall, wait, reachMoment, released, state, context, walls } = openAccount();
    wall(RESET);
    wait('one', 'two');
    await reachMoment();

    wall(2 * RESET, RESET + 80_000);
    expect(state()).toBe('walled');
    expect(context()).toMatchObject({ probe: null, resumeAt: 2 * RESET + 75_000 });
    expect(walls()).toHaveLength(2);

    wait('one');
    await reachMoment();
    expect(released().map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('stands again when one of those that follow meets it', async () => {
    const { wall, wait, send, reachMoment, released, state, clock } = openAccount();
    wall(RESET);
    wait('one', 'two', 'three');
    await reachMoment();
    send({ type: 'session.passed', id: 'one' });
    clock.increment(5_000);

    wall(2 * RESET, RESET + 90_000);
    clock.increment(60_000);

    expect(state()).toBe('walled');
    expect(released().map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('is tried by the next one when the one that tries is over', async () => {
    const { wall, wait, send, reachMoment, released } = openAccount();
    wall(RESET);
    wait('one', 'two');
    await reachMoment();

    send({ type: 'session.left', id: 'one', at: RESET });

    expect(released()).toEqual([
      { type: 'session.released', id: 'one', isProbe: true },
      { type: 'session.released', id: 'two', isProbe: true },
    ]);
  });

  it('is tried by the first that comes when nobody waited', async () => {
    const { wall, wait, reachMoment, released, state } = openAccount();
    wall(RESET);
    await reachMoment();
    expect(state()).toBe('probing');

    wait('late', 'later');

    expect(released()).toEqual([{ type: 'session.released', id: 'late', isProbe: true }]);
  });

  it('is tried by one that has work; the others only start', async () => {
    const { wall, wait, send, reachMoment, released } = openAccount();
    wall(RESET);
    send({ type: 'session.waiting', id: 'idle', hasWork: false, at: 0 });
    wait('busy');

    await reachMoment();

    expect(released()).toEqual([
      { type: 'session.released', id: 'busy', isProbe: true },
      { type: 'session.released', id: 'idle', isProbe: false },
    ]);
  });

  it('is waited for anew when the one that tries has no answer at all (P5)', async () => {
    const { wall, wait, reachMoment, clock, state, context } = openAccount();
    wall(RESET);
    wait('one', 'two');
    await reachMoment();

    clock.increment(600_000);

    expect(state()).toBe('walled');
    expect(context()).toMatchObject({ probe: null, resumeAt: RESET + 75_000 + 600_000 + 60_000 });
  });

  it.each([
    ['is not told', null],
    ['has passed', 500],
  ])('whose reset %s is waited for with a growing, bounded delay', async (_, resetsAt) => {
    const { wall, wait, reachMoment, context } = openAccount();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      wall(resetsAt, 1_000);
      waits.push((context().resumeAt ?? 0) - 1_000);
      wait('one');
      await reachMoment();
    }

    const minutes = waits.map((wait) => wait / 60_000);
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('is not made shorter by one that tells no reset', () => {
    const { wall, context, walls } = openAccount();
    wall(RESET);

    wall(null, 10, 'unknown');

    expect(context().resumeAt).toBe(RESET + 75_000);
    expect(walls()).toHaveLength(1);
  });

  it('of several windows ends with the last of them', () => {
    const { wall, context, walls } = openAccount();
    wall(RESET);
    wall(5 * RESET, 10, 'seven_day');
    wall(RESET, 20);

    expect(context().resumeAt).toBe(5 * RESET + 75_000);
    expect(walls()).toHaveLength(2);
  });
});

describe('going on by itself', () => {
  it.each([
    ['it is switched off', { autoResume: false }],
    ['it would be after the time that was allowed', { resumeUntil: RESET }],
    ['it would take longer than was allowed', { maxWaitMs: RESET }],
  ])('does not happen when %s (SEMANTICS, claude-code#95803)', (_, policy) => {
    const { wall, state, moment, context, send, wait, released } = openAccount(policy);
    wall(RESET);
    wait('one');

    expect(context().resumeAt).toBeNull();
    expect(moment()?.at).toBeNull();

    send({ type: 'account.resume', at: 2 * RESET });
    expect(state()).toBe('probing');
    expect(released()).toHaveLength(1);
  });

  it('ends when many short waits have become a long one', async () => {
    const { wall, reachMoment, context, wait } = openAccount({ maxWaitMs: 3 * 60_000 });
    wall(null, 0);
    expect(context().resumeAt).toBe(60_000);
    wait('one');
    await reachMoment();

    wall(null, 61_000);
    expect(context().resumeAt).toBeNull();
  });
});

describe('a login that is gone (R89)', () => {
  it('locks the account, told once, until the credentials are other ones; then one tries first', () => {
    const { send, state, wait, released, notices } = openAccount();
    for (let session = 0; session < 20; session += 1) {
      send({ type: 'login.failed', message: 'Not logged in', at: session });
    }
    wait('one', 'two');

    expect(state()).toBe('locked');
    expect(released()).toEqual([]);
    expect(notices().filter((notice) => notice.type === 'state.entered' && notice.state === 'locked')).toHaveLength(1);

    send({ type: 'login.renewed', at: 100 });
    expect(state()).toBe('probing');
    expect(released()).toEqual([{ type: 'session.released', id: 'one', isProbe: true }]);
  });

  it('is noticed to be another one', async () => {
    const { send, state, newLogin } = openAccount();
    send({ type: 'login.failed', message: 'Not logged in', at: 0 });

    await newLogin(500);

    expect(state()).toBe('probing');
  });

  it('is locked again when the new ones do not help', () => {
    const { send, state, wait } = openAccount();
    send({ type: 'login.failed', message: 'Not logged in', at: 0 });
    wait('one');
    send({ type: 'login.renewed', at: 100 });

    send({ type: 'login.failed', message: 'Not logged in', at: 200 });

    expect(state()).toBe('locked');
  });

  it('leaves a wall standing that stood before', () => {
    const { send, state, wall } = openAccount();
    wall(RESET);
    send({ type: 'login.failed', message: 'Not logged in', at: 10 });
    send({ type: 'login.renewed', at: 100 });

    expect(state()).toBe('walled');
  });
});
