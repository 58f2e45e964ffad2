import { describe, expect, it } from 'vitest';
import { waitFor } from 'xstate';
import type { RestartType } from '../../machines/child/child-spec.ts';
import { openChild, readyChild } from './child-harness.ts';
import { ASKED, BROKEN, CRASH } from './event-samples.ts';

describe('starting', () => {
  it('runs the first incarnation when it is admitted', async () => {
    const { child, state, admission, incarnations } = openChild();
    expect(state()).toBe('waiting');

    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));

    expect(incarnations()).toEqual([{ id: 'review', incarnation: 1 }]);
  });

  it('waits hibernated, without a process, when nobody started it', async () => {
    const { child, state, admission, incarnations } = openChild({ autoStart: false });
    expect(state()).toBe('hibernated');
    expect(incarnations()).toEqual([]);

    child.send({ type: 'child.start' });
    expect(state()).toBe('waiting');

    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
  });

  it('stops with the cause of an admission that was refused', async () => {
    const { child, admission, output } = openChild();

    admission.refuse({ code: 'AT_CAPACITY', reason: 'No slot became free.' });
    await waitFor(child, ({ status }) => status === 'done');

    expect(output()?.cause).toEqual({ code: 'AT_CAPACITY', message: 'No slot became free.', ending: 'no-room' });
  });

  it('stops when its first start fails: that is for the caller to repair', async () => {
    const { child, state, output } = await startedChild('permanent');

    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });

    expect(state()).toBe('stopped');
    expect(output()?.cause).toEqual(CRASH);
  });
});

describe('the end of an incarnation that had been ready', () => {
  const table: [RestartType, string, string][] = [
    ['permanent', 'crash', 'backing-off'],
    ['permanent', 'close', 'backing-off'],
    ['permanent', 'permanent cause', 'quarantined'],
    ['transient', 'crash', 'backing-off'],
    ['transient', 'close', 'stopped'],
    ['transient', 'permanent cause', 'quarantined'],
    ['temporary', 'crash', 'stopped'],
    ['temporary', 'close', 'stopped'],
    ['temporary', 'permanent cause', 'stopped'],
  ];
  const causes = new Map([
    ['crash', CRASH],
    ['close', ASKED],
    ['permanent cause', BROKEN],
  ]);

  it.each(table)('leads a %s session after a %s to %s (P8)', async (type, end, consequence) => {
    const { child, state } = await readyChild({ type });

    child.send({ type: 'incarnation.ended', cause: causes.get(end) ?? CRASH, at: 10, chance: 0.5 });

    expect(state()).toBe(consequence);
    expect(child.getSnapshot().context.cause).toEqual(causes.get(end));
  });

  it('burns no restart when the cause is permanent (P8, R62)', async () => {
    const { child } = await readyChild();

    child.send({ type: 'incarnation.ended', cause: BROKEN, at: 10, chance: 0.5 });

    expect(child.getSnapshot().context).toMatchObject({ restarts: [], failures: 0 });
  });

  it('is followed by a new incarnation after the backoff, with the next number', async () => {
    const { child, clock, admission, incarnations } = await readyChild();

    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
    clock.increment(1_000);
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));

    expect(incarnations()).toEqual([
      { id: 'review', incarnation: 1 },
      { id: 'review', incarnation: 2 },
    ]);
  });

  it('leads to quarantine when there were more restarts than the intensity allows (P9)', async () => {
    const { child, state, restartAt } = await readyChild({ intensity: 2, periodMs: 60_000 });

    await restartAt(1_000);
    await restartAt(2_000);
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 3_000, chance: 0.5 });

    expect(state()).toBe('quarantined');
  });

  it('is forgiven when the earlier restarts are older than the period', async () => {
    const { child, state, restartAt } = await readyChild({ intensity: 2, periodMs: 60_000 });

    await restartAt(1_000);
    await restartAt(2_000);
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 61_001, chance: 0.5 });

    expect(state()).toBe('backing-off');
  });

  it('keeps a session whose restart was not admitted: asleep until the next prompt, never lost (P8)', async () => {
    const { child, clock, admission, state } = await readyChild();

    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
    clock.increment(1_000);
    admission.refuse({ code: 'AT_CAPACITY', reason: 'No slot became free.' });
    await waitFor(child, (snapshot) => !snapshot.matches('waiting'));

    expect(state()).toBe('hibernated');
    expect(child.getSnapshot().context.cause?.code).toBe('AT_CAPACITY');
  });
});

describe('the backoff', () => {
  it('grows from one failure to the next up to the longest wait', async () => {
    const { child, restartAt } = await readyChild({ intensity: 100 });
    const waits: number[] = [];

    for (const at of [1, 2, 3, 4, 5, 6, 7]) waits.push(await restartAt(at));

    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(child.getSnapshot().context.failures).toBe(7);
  });

  it('is the shortest again after an incarnation that was healthy long enough (R62)', async () => {
    const { child, restartAt } = await readyChild({ intensity: 100 });
    await restartAt(1);
    await restartAt(2);
    child.send({ type: 'incarnation.ready', at: 100_000 });

    expect(await restartAt(100_000 + 15_500)).toBe(1_000);
  });

  it('is not forgiven by an incarnation that was ready only for a moment', async () => {
    const { child, restartAt } = await readyChild({ intensity: 100 });
    await restartAt(1);
    child.send({ type: 'incarnation.ready', at: 100_000 });

    expect(await restartAt(100_000 + 15_499)).toBe(2_000);
  });

  it('waits exactly as long as it says', async () => {
    const { child, clock, state } = await readyChild();

    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
    clock.increment(999);
    expect(state()).toBe('backing-off');

    clock.increment(1);
    expect(state()).toBe('waiting');
  });

  it.each(['child.start', 'child.stop'] as const)('serves %s at once, between two attempts', async (type) => {
    const { child, state } = await readyChild();
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });

    child.send(type === 'child.start' ? { type } : { type, mode: 'close' });

    expect(state()).toBe(type === 'child.start' ? 'waiting' : 'stopped');
  });
});

describe('quarantine', () => {
  it('lasts until somebody starts the session by hand, with a clean record (P8)', async () => {
    const { child, clock, state, restartAt } = await readyChild({ intensity: 1 });
    await restartAt(1_000);
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 2_000, chance: 0.5 });
    clock.increment(3_600_000);
    expect(state()).toBe('quarantined');

    child.send({ type: 'child.start' });

    expect(state()).toBe('waiting');
    expect(child.getSnapshot().context).toMatchObject({ restarts: [], failures: 0 });
  });

  it('can be ended for good, and keeps its reason', async () => {
    const { child, output } = await readyChild();

    child.send({ type: 'incarnation.ended', cause: BROKEN, at: 10, chance: 0.5 });
    child.send({ type: 'child.stop', mode: 'close' });

    expect(output()?.cause).toEqual(BROKEN);
  });
});

describe('stopping', () => {
  it('waits until the end of the process tree was seen (P1)', async () => {
    const { child, state, told, output } = await readyChild();

    child.send({ type: 'child.stop', mode: 'close' });
    expect(state()).toBe('stopping');
    expect(told()).toEqual(['incarnation.close']);

    child.send({ type: 'incarnation.ended', cause: ASKED, at: 10, chance: 0.5 });
    expect(state()).toBe('stopped');
    expect(output()?.cause).toEqual(ASKED);
  });

  it('passes a kill on, also after a close', async () => {
    const { child, told } = await readyChild();

    child.send({ type: 'child.stop', mode: 'close' });
    child.send({ type: 'child.stop', mode: 'kill' });

    expect(told()).toEqual(['incarnation.close', 'incarnation.kill']);
  });

  it('restarts nothing, whatever the cause of the end was', async () => {
    const { child, state } = await readyChild({ type: 'permanent' });

    child.send({ type: 'child.stop', mode: 'close' });
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });

    expect(state()).toBe('stopped');
  });

  it.each([
    ['hibernated', async () => openChild({ autoStart: false })],
    ['waiting', async () => openChild()],
  ] as const)('is immediate without a process: %s', async (before, open) => {
    const { child, state, output } = await open();
    expect(state()).toBe(before);

    child.send({ type: 'child.stop', mode: 'close' });

    expect(state()).toBe('stopped');
    expect(output()?.cause.code).toBe('closed');
  });

  it('withdraws a request for admission (P9)', () => {
    const { child, admission } = openChild();

    child.send({ type: 'child.stop', mode: 'close' });

    expect(admission.signal()?.aborted).toBe(true);
  });
});

it('announces each state it enters, once and in order', async () => {
  const { child, clock, admission, announced } = await readyChild();

  child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
  clock.increment(1_000);
  admission.grant();
  await waitFor(child, (snapshot) => snapshot.matches('running'));
  child.send({ type: 'child.stop', mode: 'close' });
  child.send({ type: 'incarnation.ended', cause: ASKED, at: 20, chance: 0.5 });

  expect(announced()).toEqual(['waiting', 'running', 'backing-off', 'waiting', 'running', 'stopping', 'stopped']);
});

async function startedChild(type: RestartType) {
  const opened = openChild({ type });
  opened.admission.grant();
  await waitFor(opened.child, (snapshot) => snapshot.matches('running'));
  return opened;
}

describe('a pause', () => {
  it('ends the process, keeps the session, and goes on with the next start', async () => {
    const { child, state, told, admission, incarnations } = await readyChild();

    child.send({ type: 'child.hibernate' });
    expect([state(), told()]).toEqual(['pausing', ['incarnation.close']]);
    child.send({ type: 'incarnation.ended', cause: ASKED, at: 5, chance: 0.5 });
    expect(state()).toBe('hibernated');
    child.send({ type: 'child.start' });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));

    expect(incarnations().map(({ incarnation }) => incarnation)).toEqual([1, 2]);
    expect(child.getSnapshot().context.restarts).toEqual([]);
  });

  it.each([
    ['child.hibernate', 'child.start', 'waiting'],
    ['child.hold', 'child.start', 'held'],
    ['child.hold', 'child.restart', 'waiting'],
    ['child.restart', 'child.hold', 'held'],
    ['child.restart', 'child.restart', 'waiting'],
  ] as const)('for %s that hears %s meanwhile leads to %s', async (first, second, last) => {
    const { child, state } = await readyChild();

    child.send({ type: first });
    child.send({ type: second });
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 5, chance: 0.5 });

    expect(state()).toBe(last);
  });

  it('starts no process beside survivors of the old one (WIRE §25.14)', async () => {
    const { child, state } = await readyChild();
    const cause = { code: 'TREE_SURVIVED', message: 'still there', ending: 'survivors' } as const;

    child.send({ type: 'child.restart' });
    child.send({ type: 'incarnation.ended', cause, at: 5, chance: 0.5 });

    expect(state()).toBe('quarantined');
  });
});

describe('a member of a group', () => {
  it.each([
    ['a crash', CRASH],
    ['a cause that would only repeat itself', BROKEN],
    ['an end that somebody asked for', ASKED],
  ])('is held after %s, whatever its own restart says: the group decides', async (_, cause) => {
    const { child, state } = await readyChild({ isMember: true, type: 'temporary' });

    child.send({ type: 'incarnation.ended', cause, at: 5, chance: 0.5 });

    expect(state()).toBe('held');
    expect(child.getSnapshot().context.restarts).toEqual([]);
  });

  it('is held when its start is refused, and set aside when the group gives up', async () => {
    const { child, state, admission } = openChild({ isMember: true });

    admission.refuse({ code: 'AT_CAPACITY', reason: 'full' });
    await waitFor(child, (snapshot) => snapshot.matches('held'));
    expect(child.getSnapshot().context.cause).toMatchObject({ code: 'AT_CAPACITY' });
    child.send({ type: 'child.quarantine' });

    expect(state()).toBe('quarantined');
  });
});
