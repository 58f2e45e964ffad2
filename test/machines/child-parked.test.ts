import { describe, expect, it } from 'vitest';
import { waitFor } from 'xstate';
import { openChild, readyChild } from './child-harness.ts';
import { BROKEN, CRASH } from './event-samples.ts';

const WALL = { reason: 'quota', until: 90_000, note: 'The account is at its limit.' } as const;

describe('a session that is parked', () => {
  it('has its process ended, and no restart is counted (R86)', async () => {
    const { child, state, told } = await readyChild();

    child.send({ type: 'child.park', ...WALL });
    expect(state()).toBe('pausing');
    expect(told()).toEqual(['incarnation.close']);

    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
    expect(state()).toBe('parked');
    expect(child.getSnapshot().context).toMatchObject({ parking: WALL, restarts: [], failures: 0 });
  });

  it('is not set aside by a cause that would be permanent: who parked it knows better (R89)', async () => {
    const { child, state } = await readyChild();

    child.send({ type: 'child.park', reason: 'auth', until: null, note: 'Nobody is logged in.' });
    child.send({ type: 'incarnation.ended', cause: BROKEN, at: 10, chance: 0.5 });

    expect(state()).toBe('parked');
  });

  it('is asked to be admitted again when it goes on', async () => {
    const { child, state, admission, incarnations } = await parked();

    child.send({ type: 'child.unpark' });
    expect(state()).toBe('waiting');
    expect(child.getSnapshot().context.parking).toBeNull();

    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    expect(incarnations().map(({ incarnation }) => incarnation)).toEqual([1, 2]);
  });

  it.each(['child.start', 'child.restart', 'child.hibernate'] as const)('is not moved by %s', async (type) => {
    const { child, state } = await parked();

    child.send({ type });

    expect(state()).toBe('parked');
  });

  it.each(['child.start', 'child.restart'] as const)('is not moved by %s while its process ends', async (type) => {
    const { child, state } = await readyChild();

    child.send({ type: 'child.park', ...WALL });
    child.send({ type });
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });

    expect(state()).toBe('parked');
  });

  it('goes on with a new process when the way is free before the old one has ended', async () => {
    const { child, state } = await readyChild();

    child.send({ type: 'child.park', ...WALL });
    child.send({ type: 'child.unpark' });
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });

    expect(state()).toBe('waiting');
    expect(child.getSnapshot().context.parking).toBeNull();
  });

  it('knows the newest end of its wait, and tells of each', async () => {
    const { child, announced } = await parked();

    child.send({ type: 'child.park', ...WALL, until: 180_000 });

    expect(child.getSnapshot().context.parking?.until).toBe(180_000);
    expect(announced().slice(-2)).toEqual(['parked', 'parked']);
  });

  it('sleeps on when it slept before', () => {
    const { child, state } = openChild({ autoStart: false });

    child.send({ type: 'child.park', ...WALL });
    expect(state()).toBe('parked');

    child.send({ type: 'child.unpark' });
    expect(state()).toBe('hibernated');
  });

  it('starts afterwards when a prompt woke it meanwhile', () => {
    const { child, state } = openChild({ autoStart: false });

    child.send({ type: 'child.park', ...WALL });
    child.send({ type: 'child.start' });
    expect(state()).toBe('parked');

    child.send({ type: 'child.unpark' });
    expect(state()).toBe('waiting');
  });

  it('leaves the line for a slot', () => {
    const { child, admission } = openChild();

    child.send({ type: 'child.park', ...WALL });

    expect(admission.signal()?.aborted).toBe(true);
  });

  it('waits for its wall, not for its backoff', async () => {
    const { child, clock, state } = await readyChild();
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
    expect(state()).toBe('backing-off');

    child.send({ type: 'child.park', ...WALL });
    clock.increment(60_000);

    expect(state()).toBe('parked');
  });

  it('is held when its group holds it, and starts with its group', async () => {
    const { child, state } = await readyChild({ isMember: true });
    child.send({ type: 'child.park', ...WALL });
    child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
    expect(state()).toBe('parked');

    child.send({ type: 'child.hold' });
    expect(state()).toBe('held');

    child.send({ type: 'child.start' });
    expect(state()).toBe('waiting');
  });

  it('ends at once when it is stopped', async () => {
    const { child, output } = await parked();

    child.send({ type: 'child.stop', mode: 'close' });

    expect(output()?.cause.code).toBe('closed');
  });
});

async function parked() {
  const opened = await readyChild();
  opened.child.send({ type: 'child.park', ...WALL });
  opened.child.send({ type: 'incarnation.ended', cause: CRASH, at: 10, chance: 0.5 });
  expect(opened.state()).toBe('parked');
  return opened;
}
