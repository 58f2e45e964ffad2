import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import { stateOf } from './state-name.ts';

describe('draining', () => {
  it('lets the running turns end before it stops anybody', async () => {
    const { supervisor, turns, state, calls } = openSupervisor();

    supervisor.send({ type: 'supervisor.drain' });
    expect(state()).toBe('draining');
    expect(calls()).toEqual(['finishTurns']);

    turns.resolve();
    await waitFor(supervisor, (snapshot) => snapshot.matches('stopping'));
    expect(calls()).toEqual(['finishTurns', 'stopChildren']);
  });

  it('stops waiting at its deadline (P5)', () => {
    const { supervisor, clock, state } = openSupervisor({ drainMs: 30_000 });

    supervisor.send({ type: 'supervisor.drain' });
    clock.increment(29_999);
    expect(state()).toBe('draining');

    clock.increment(1);
    expect(state()).toBe('stopping');
  });

  it('waits for ever when the deadline is Infinity (P5)', () => {
    const { supervisor, clock, state } = openSupervisor({ drainMs: Number.POSITIVE_INFINITY });

    supervisor.send({ type: 'supervisor.drain' });
    clock.increment(Number.MAX_SAFE_INTEGER);

    expect(state()).toBe('draining');
  });

  it('never restarts its deadline when it is asked twice', () => {
    const { supervisor, clock, state, calls } = openSupervisor({ drainMs: 30_000 });

    supervisor.send({ type: 'supervisor.drain' });
    clock.increment(29_999);
    supervisor.send({ type: 'supervisor.drain' });
    clock.increment(1);

    expect(state()).toBe('stopping');
    expect(calls()).toEqual(['finishTurns', 'stopChildren']);
  });

  it('is cut short by a shutdown', () => {
    const { supervisor, state } = openSupervisor();

    supervisor.send({ type: 'supervisor.drain' });
    supervisor.send({ type: 'supervisor.shutdown' });

    expect(state()).toBe('stopping');
  });

  it('goes on to stop when waiting for the turns failed', async () => {
    const { supervisor, turns } = openSupervisor();

    supervisor.send({ type: 'supervisor.drain' });
    turns.reject(new Error('the ledger is broken'));

    await waitFor(supervisor, (snapshot) => snapshot.matches('stopping'));
  });
});

describe('stopping', () => {
  it('begins at once with a shutdown, without waiting for turns', () => {
    const { supervisor, state, calls } = openSupervisor();

    supervisor.send({ type: 'supervisor.shutdown' });

    expect(state()).toBe('stopping');
    expect(calls()).toEqual(['stopChildren']);
  });

  it('stops once, however often it is asked', () => {
    const { supervisor, calls } = openSupervisor();

    supervisor.send({ type: 'supervisor.shutdown' });
    supervisor.send({ type: 'supervisor.shutdown' });
    supervisor.send({ type: 'supervisor.drain' });

    expect(calls()).toEqual(['stopChildren']);
  });

  it('is stopped only when the end of every child was seen (P1)', async () => {
    const { supervisor, children, state } = openSupervisor();

    supervisor.send({ type: 'supervisor.shutdown' });
    expect(state()).toBe('stopping');

    children.resolve();
    await waitFor(supervisor, ({ status }) => status === 'done');
    expect(state()).toBe('stopped');
  });

  it('ends even when stopping the children failed (P5)', async () => {
    const { supervisor, children } = openSupervisor();

    supervisor.send({ type: 'supervisor.shutdown' });
    children.reject(new Error('one of them would not go'));

    await waitFor(supervisor, ({ status }) => status === 'done');
  });
});

it.each(['running', 'draining', 'stopping'] as const)('counts its children while it is %s', (phase) => {
  const { supervisor } = openSupervisor();
  if (phase === 'draining') supervisor.send({ type: 'supervisor.drain' });
  if (phase === 'stopping') supervisor.send({ type: 'supervisor.shutdown' });

  supervisor.send({ type: 'child.started' });
  supervisor.send({ type: 'child.started' });
  supervisor.send({ type: 'child.stopped' });

  expect(supervisor.getSnapshot().context.children).toBe(1);
});

function openSupervisor({ drainMs = 30_000 } = {}) {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const turns = settleable();
  const children = settleable();
  const port = (name: string, promise: Promise<void>) =>
    fromPromise<void>(() => {
      calls.push(name);
      return promise;
    });
  const machine = supervisorMachine.provide({
    actors: {
      finishTurns: port('finishTurns', turns.promise),
      stopChildren: port('stopChildren', children.promise),
    },
  });
  const supervisor = createActor(machine, { clock, input: { drainMs } });
  supervisor.start();
  return {
    supervisor,
    clock,
    turns,
    children,
    calls: () => calls,
    state: () => stateOf(supervisor.getSnapshot()),
  };
}

function settleable() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve: () => resolve(), reject: (error: unknown) => reject(error) };
}
