import { describe, expect, it } from 'vitest';
import { waitFor } from 'xstate';
import { CHILD_STATES, type ChildStateName } from '../../machines/child/child.events.ts';
import { type PersistedChild, persistedChild, restoredChild } from '../../machines/child/restored-child.ts';
import { openChild, readyChild } from './child-harness.ts';
import { ASKED, BROKEN, CRASH } from './event-samples.ts';
import { stateOf } from './state-name.ts';

const QUOTA = { reason: 'quota', until: 90_000, note: 'The account is at its limit.' } as const;

describe('a child that another host left', () => {
  it('has a state to come back in for each of its states, with work and without', () => {
    const table = CHILD_STATES.map((state) => [state, comebackOf({ state }, true), comebackOf({ state }, false)]);

    expect(table).toEqual([
      ['hibernated', 'waiting', 'hibernated'],
      ['waiting', 'waiting', 'hibernated'],
      ['running', 'waiting', 'hibernated'],
      ['pausing', 'waiting', 'hibernated'],
      ['held', 'held', 'held'],
      ['parked', 'waiting', 'hibernated'],
      ['backing-off', 'backing-off', 'backing-off'],
      ['quarantined', 'quarantined', 'quarantined'],
      ['stopping', 'stopped', 'stopped'],
      ['stopped', 'stopped', 'stopped'],
    ]);
  });

  it('that was pausing is where its pause was to lead', () => {
    expect(comebackOf({ state: 'pausing', pausedFor: 'hold' }, true)).toBe('held');
    expect(comebackOf({ state: 'pausing', pausedFor: 'park', parking: QUOTA }, true)).toBe('parked');
    expect(comebackOf({ state: 'pausing', pausedFor: 'restart' }, true)).toBe('waiting');
    expect(comebackOf({ state: 'pausing', pausedFor: 'hibernate' }, false)).toBe('hibernated');
  });

  it('waits what is left of its backoff, to the absolute moment (P5)', async () => {
    const { child } = await readyChild();
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 5_000, chance: 0.5 });
    const kept = persisted(child);
    expect(kept.backoffUntil).toBe(6_000);

    const { state, clock } = openChild({ restored: restoredChild(kept, { now: 5_400, hasWork: false }) });
    clock.increment(599);
    expect(state()).toBe('backing-off');
    clock.increment(1);
    expect(state()).toBe('waiting');
  });

  it('goes on at once when its backoff ended while no host was there, and never waits longer than it was to', () => {
    const kept = keptIn('backing-off', { backoffMs: 1_000, backoffUntil: 6_000 });

    const late = openChild({ restored: restoredChild(kept, { now: 60_000, hasWork: true }) });
    late.clock.increment(0);
    expect(late.state()).toBe('waiting');
    expect(restoredChild(kept, { now: -500_000, hasWork: true }).backoffMs).toBe(1_000);
  });

  it('counts the restarts of the former host: one more than the intensity sets it aside (P8)', async () => {
    const former = await readyChild({ intensity: 2 });
    await former.restartAt(10_000);
    await former.restartAt(20_000);
    const restored = restoredChild(persisted(former.child), { now: 30_000, hasWork: true });
    const { child, admission, state } = openChild({ intensity: 2, restored });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 31_000, chance: 0.5 });

    expect(state()).toBe('quarantined');
    expect(child.getSnapshot().context.failed.map(({ at }) => at)).toEqual([10_000, 20_000, 31_000]);
  });

  it('does not count restarts that a clock dates into the future', () => {
    const kept = keptIn('running', { restarts: [1_000, 9_000_000] });

    expect(restoredChild(kept, { now: 2_000, hasWork: true }).restarts).toEqual([1_000]);
  });

  it('numbers its next process after the last one, and remembers that it was ready', async () => {
    const former = await readyChild();
    await former.restartAt(10_000);
    const restored = restoredChild(persisted(former.child), { now: 20_000, hasWork: true });
    const { child, admission, incarnations } = openChild({ restored });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));

    expect(incarnations()).toEqual([{ id: 'review', incarnation: 3 }]);
    expect(child.getSnapshot().context).toMatchObject({ wasEverReady: true, readyAt: null });
  });

  it('that somebody was ending has ended, for the reason that was given, or because it was asked to', () => {
    const why = { ...ASKED, message: 'The review is over.' };
    const told = openChild({ restored: restoredChild(keptIn('stopping', { stoppedFor: why, cause: CRASH }), NOW) });
    const plain = openChild({ restored: restoredChild(keptIn('stopping', { cause: CRASH }), NOW) });

    expect(told.output()).toEqual({ cause: why });
    expect(plain.output()).toMatchObject({ cause: { code: 'closed' } });
    expect(told.announced()).toEqual(['stopped']);
    expect(told.incarnations()).toEqual([]);
  });

  it('is parked for the same reason and until the same moment, and goes on as it would have', () => {
    const asleep = keptIn('parked', { parking: QUOTA, wasAsleep: true });
    const sleeper = openChild({ restored: restoredChild(asleep, { now: 0, hasWork: false }) });
    const worker = openChild({ restored: restoredChild(asleep, { now: 0, hasWork: true }) });
    expect(sleeper.child.getSnapshot().context.parking).toEqual(QUOTA);

    sleeper.child.send({ type: 'child.unpark' });
    worker.child.send({ type: 'child.unpark' });
    expect([sleeper.state(), worker.state()]).toEqual(['hibernated', 'waiting']);
  });

  it('stays quarantined with cause and failures, and can be started by hand', () => {
    const failed = [{ at: 1, incarnation: 1, cause: BROKEN }];
    const kept = keptIn('quarantined', { cause: BROKEN, failed, incarnation: 1 });
    const { child, state } = openChild({ restored: restoredChild(kept, { now: 0, hasWork: true }) });
    expect(child.getSnapshot().context).toMatchObject({ cause: BROKEN, failed });

    child.send({ type: 'child.start' });
    expect(state()).toBe('waiting');
  });

  it('is not lost when there is no room for its start, though it never was ready (P8)', async () => {
    const { child, admission, state } = openChild({ restored: restoredChild(keptIn('waiting'), NOW) });
    admission.refuse({ code: 'AT_CAPACITY' });
    await waitFor(child, (snapshot) => !snapshot.matches('waiting'));

    expect(state()).toBe('hibernated');
  });

  it('is restarted when its next start fails, though it never was ready: nobody waits for that start (P8)', async () => {
    const { child, admission, state } = openChild({ restored: restoredChild(keptIn('waiting'), NOW) });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    child.send({ type: 'incarnation.ended', cause: CRASH, at: NOW.now, chance: 0 });

    expect(state()).toBe('backing-off');
  });

  it('that has its one restart behind it has no second one for the same end (R62)', async () => {
    const memory = { ...CRASH, code: 'OUT_OF_MEMORY', ending: 'out-of-memory' } as const;
    const former = await readyChild();
    await former.again(memory, 1_000);
    const restored = restoredChild(persisted(former.child), { now: 2_000, hasWork: true });
    const { child, admission, state } = openChild({ restored });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    child.send({ type: 'incarnation.ended', cause: memory, at: 3_000, chance: 0.5 });

    expect(state()).toBe('quarantined');
  });
});

const NOW = { now: 0, hasWork: true };

function persisted(child: ReturnType<typeof openChild>['child']): PersistedChild {
  const snapshot = child.getSnapshot();
  return overJson(persistedChild(snapshot.context, stateOf(snapshot) as ChildStateName));
}

function keptIn(state: ChildStateName, changes: Partial<PersistedChild> = {}): PersistedChild {
  const { context } = openChild({ autoStart: false }).child.getSnapshot();
  return { ...persistedChild(context, state), ...changes };
}

function comebackOf({ state, ...changes }: { state: ChildStateName } & Partial<PersistedChild>, hasWork: boolean) {
  return restoredChild(keptIn(state, changes), { now: 0, hasWork }).state;
}

/** What does not survive JSON would not survive a host. */
function overJson<T>(value: T): T {
  const copy: T = JSON.parse(JSON.stringify(value));
  expect(copy).toStrictEqual(value);
  return copy;
}
