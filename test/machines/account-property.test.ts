import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openAccount } from './account-harness.ts';

const SESSIONS = ['a', 'b', 'c', 'd'];
const MINUTE = 60_000;

type Step =
  | { readonly kind: 'wall'; readonly window: string; readonly inMinutes: number | null }
  | { readonly kind: 'wait'; readonly session: number; readonly hasWork: boolean }
  | { readonly kind: 'pass' | 'leave'; readonly session: number | 'probe' }
  | { readonly kind: 'silence'; readonly minutes: number }
  | { readonly kind: 'moment' | 'resume' | 'lock' | 'login' };

describe('any order of walls, logins, sessions and time (R86, R89, SEMANTICS (c)5)', () => {
  it('has one session try at a time, none before the reset, and in the end lets everybody go on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps(), { maxLength: 60, size: 'max' }), async (order) => {
        const world = openWorld();
        for (const step of order) await world.play(step);
        await world.recover();

        expect(world.violations).toEqual([]);
        expect(world.stuck()).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

function steps(): fc.Arbitrary<Step> {
  const session = fc.nat({ max: SESSIONS.length - 1 });
  const one = fc.oneof(session, fc.constant('probe' as const));
  const inMinutes = fc.option(fc.integer({ min: -5, max: 120 }));
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wall' as const),
        window: fc.constantFrom('five_hour', 'seven_day'),
        inMinutes,
      }),
    },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('wait' as const), session, hasWork: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('pass' as const, 'leave' as const), session: one }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('silence' as const), minutes: fc.integer({ min: 0, max: 15 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('moment' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('resume' as const, 'lock' as const, 'login' as const, 'login' as const),
      }),
    },
  );
}

/** Keeps, beside the machine, what was told of resets, who tries, and who waits. */
function openWorld() {
  const { account, clock, send, wall, state, context, reachMoment, moment, newLogin } = openAccount();
  const violations: string[] = [];
  const waiting = new Map<string, boolean>();
  const resets = new Map<string, number>();
  let now = 0;
  let probe: string | null = null;
  account.on('state.entered', ({ state: entered }) => {
    if (entered === 'walled' || entered === 'locked') probe = null;
    if (entered === 'open') resets.clear();
  });
  account.on('session.released', ({ id, isProbe }) => {
    const closedUntil = Math.max(0, ...resets.values());
    if (now < closedUntil) violations.push(`${id} at ${now}, before ${closedUntil}`);
    if (account.getSnapshot().context.lock !== null) violations.push(`${id} without a login`);
    if (isProbe && probe !== null) violations.push(`${id} tries beside ${probe}`);
    if (!isProbe && probe !== null && waiting.get(id) === true) violations.push(`${id} works beside ${probe}`);
    if (isProbe) probe = id;
    waiting.delete(id);
  });

  const told = (window: string, resetsAt: number | null) => {
    const stands = state() === 'walled' || state() === 'locked';
    if (!stands) resets.clear();
    if (resetsAt !== null && resetsAt > now) resets.set(window, resetsAt);
    wall(resetsAt, now, window);
  };
  const after = (event: 'session.passed' | 'session.left', id: string) => {
    if (id === probe) probe = null;
    if (event === 'session.passed') return send({ type: event, id });
    waiting.delete(id);
    send({ type: event, id, at: now });
  };
  const becomesDue = async () => {
    const at = moment()?.at;
    if (at === undefined || at === null || state() !== 'walled') return;
    now = Math.max(now, at);
    await reachMoment();
  };

  const play = async (step: Step) => {
    const id = 'session' in step && step.session !== 'probe' ? (SESSIONS[step.session] ?? '') : probe;
    switch (step.kind) {
      case 'wall':
        return told(step.window, step.inMinutes === null ? null : now + step.inMinutes * MINUTE);
      case 'wait':
        if (id === null || id === probe) return;
        waiting.set(id, step.hasWork);
        return send({ type: 'session.waiting', id, hasWork: step.hasWork, at: now });
      case 'pass':
        return id === null ? undefined : after('session.passed', id);
      case 'leave':
        return id === null ? undefined : after('session.left', id);
      case 'silence':
        now += step.minutes * MINUTE;
        clock.increment(step.minutes * MINUTE);
        return;
      case 'moment':
        return becomesDue();
      case 'resume':
        if (state() === 'walled' || state() === 'locked') resets.clear();
        return send({ type: 'account.resume', at: now });
      case 'lock':
        return send({ type: 'login.failed', message: '401', at: now });
      case 'login':
        if (state() === 'locked') await newLogin(now);
    }
  };
  return {
    violations,
    play,
    /** The API answers again, and somebody logs in. */
    recover: async () => {
      for (let round = 0; round < 4 && state() !== 'open'; round += 1) {
        await play({ kind: 'login' });
        await becomesDue();
        if (probe === null && state() === 'probing') await play({ kind: 'wait', session: 0, hasWork: true });
        if (probe !== null) after('session.passed', probe);
        // The clock fires what is due once; each of those that wait arms the next.
        for (let turn = 0; turn < SESSIONS.length; turn += 1) await play({ kind: 'silence', minutes: 0.1 });
      }
    },
    stuck: () => [
      ...waiting.keys(),
      ...context().waiting.map(({ id }) => id),
      ...(state() === 'open' ? [] : [state()]),
    ],
  };
}
