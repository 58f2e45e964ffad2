import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import type { SupervisorNotice, SupervisorPhase } from '../../machines/supervisor/supervisor.events.ts';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import type { PhaseInput, PhaseOutput } from '../../machines/supervisor/supervisor.ports.ts';
import { stateOf } from './state-name.ts';

const DEADLINES = {
  admissionMs: 1_000,
  turnsMs: 30_000,
  interruptMs: 2_000,
  closeMs: 8_000,
  killMs: 3_000,
  flushMs: 4_000,
};
const PORTS = {
  settleStarts: 'stopping-admission',
  finishTurns: 'finishing-turns',
  interruptTurns: 'interrupting',
  closeChildren: 'closing',
  killChildren: 'killing',
  flushChildren: 'flushing',
} as const;
const WAY_DOWN = ['stopping-admission', 'finishing-turns', 'interrupting', 'closing', 'flushing', 'stopped'] as const;

describe('draining', () => {
  it('passes every phase as soon as the one before has done its work', async () => {
    const { drain, finish, phases, state } = openSupervisor();

    drain();
    expect(state()).toBe('draining.stopping-admission');
    for (const phase of WAY_DOWN.slice(0, -1)) await finish(phase);

    expect(phases()).toEqual(WAY_DOWN);
    expect(state()).toBe('stopped');
  });

  it('passes every phase by its deadline alone, and what did not leave is killed (P5)', () => {
    const { drain, clock, notices, state } = openSupervisor();
    drain();

    for (const ms of [1_000, 29_000, 2_000, 8_000, 3_000, 4_000]) clock.increment(ms);

    expect(notices()).toEqual([
      { type: 'phase.entered', phase: 'stopping-admission', at: 0, deadlineAt: 1_000 },
      { type: 'phase.entered', phase: 'finishing-turns', at: 1_000, deadlineAt: 30_000 },
      { type: 'phase.entered', phase: 'interrupting', at: 30_000, deadlineAt: 32_000 },
      { type: 'phase.entered', phase: 'closing', at: 32_000, deadlineAt: 40_000 },
      { type: 'phase.entered', phase: 'killing', at: 40_000, deadlineAt: 43_000 },
      { type: 'phase.entered', phase: 'flushing', at: 43_000, deadlineAt: 47_000 },
      { type: 'phase.entered', phase: 'stopped', at: 47_000, deadlineAt: null },
    ]);
    expect(state()).toBe('stopped');
  });

  it('holds a phase until the last millisecond of its deadline', () => {
    const { drain, clock, state } = openSupervisor();
    drain();
    clock.increment(1_000);

    clock.increment(28_999);
    expect(state()).toBe('draining.finishing-turns');

    clock.increment(1);
    expect(state()).toBe('draining.interrupting');
  });

  it('waits for turns for ever when the deadline is Infinity (P5)', () => {
    const { drain, clock, state } = openSupervisor({ turnsMs: Number.POSITIVE_INFINITY });
    drain();
    clock.increment(1_000);

    clock.increment(Number.MAX_SAFE_INTEGER);

    expect(state()).toBe('draining.finishing-turns');
  });

  it('never restarts its deadline when it is asked twice', () => {
    const { drain, clock, state } = openSupervisor();
    drain();
    clock.increment(1_000);
    clock.increment(28_999);

    drain();
    drain(60_000);
    clock.increment(1);

    expect(state()).toBe('draining.interrupting');
  });

  it('takes a shorter time from whoever asks again', () => {
    const { drain, clock, state, deadlineAt } = openSupervisor();
    drain();
    clock.increment(1_000);

    drain(5_000);
    expect(deadlineAt()).toBe(6_000);
    clock.increment(4_999);
    expect(state()).toBe('draining.finishing-turns');

    clock.increment(1);
    expect(state()).toBe('draining.interrupting');
  });

  it('takes a shorter time also before it has come to the turns', () => {
    const { drain, clock, state } = openSupervisor();
    drain();

    drain(400);
    clock.increment(400);
    clock.increment(0);

    expect(state()).toBe('draining.interrupting');
  });

  it('interrupts at once when it is told to hurry, once', () => {
    const { supervisor, drain, calls, state } = openSupervisor();
    drain();

    supervisor.send({ type: 'supervisor.hurry', at: 0 });
    supervisor.send({ type: 'supervisor.hurry', at: 0 });

    expect(state()).toBe('draining.interrupting');
    expect(calls()).toEqual(['settleStarts', 'interruptTurns']);
  });

  it.each([0, 1, 2])('is cut short by a shutdown, after %i of its phases', async (passed) => {
    const { drain, shutdown, finish, calls, state } = openSupervisor();
    drain();
    for (const phase of WAY_DOWN.slice(0, passed)) await finish(phase);

    shutdown();

    expect(state()).toBe('stopping.closing');
    expect(calls().at(-1)).toBe('closeChildren');
  });

  it.each(WAY_DOWN.slice(0, -1))('goes on when the work of %s failed (P5)', async (broken) => {
    const { drain, finish, fail, state } = openSupervisor();
    drain();
    for (const phase of WAY_DOWN.slice(0, -1)) {
      if (phase !== broken) await finish(phase);
      else await fail(phase);
      // Who could not be asked to leave is killed.
      if (broken === 'closing' && phase === 'closing') await finish('killing');
    }

    expect(state()).toBe('stopped');
  });
});

describe('shutting down', () => {
  it('begins with the close, without waiting for turns', () => {
    const { shutdown, state, calls } = openSupervisor();

    shutdown();

    expect(state()).toBe('stopping.closing');
    expect(calls()).toEqual(['closeChildren']);
  });

  it('kills what has not left in the given time, but never later than its own deadline', () => {
    for (const [withinMs, killedAt] of [
      [500, 500],
      [60_000, 8_000],
      [null, 8_000],
    ] as const) {
      const { shutdown, clock, state } = openSupervisor();
      shutdown(withinMs);

      clock.increment(killedAt - 1);
      expect(state()).toBe('stopping.closing');
      clock.increment(1);
      expect(state()).toBe('stopping.killing');
    }
  });

  it('stops once, however often it is asked', () => {
    const { shutdown, drain, calls } = openSupervisor();

    shutdown();
    shutdown();
    drain();

    expect(calls()).toEqual(['closeChildren']);
  });

  it('takes a shorter time from whoever asks again, and never a longer one', () => {
    const { shutdown, clock, state } = openSupervisor();
    shutdown(5_000);
    clock.increment(1_000);

    shutdown(60_000);
    shutdown(2_000);
    clock.increment(1_999);
    expect(state()).toBe('stopping.closing');

    clock.increment(1);
    expect(state()).toBe('stopping.killing');
  });

  it('keeps a time that was given while it waited for turns', async () => {
    const { supervisor, drain, shutdown, clock, state } = openSupervisor();
    drain();
    supervisor.send({ type: 'supervisor.hurry', at: 0 });

    shutdown(700);
    clock.increment(700);

    expect(state()).toBe('stopping.killing');
  });

  it('is stopped only when the end of every child was seen (P1)', async () => {
    const { shutdown, finish, state } = openSupervisor();
    shutdown();

    await finish('closing');
    expect(state()).toBe('stopping.flushing');
    await finish('flushing');

    expect(state()).toBe('stopped');
  });
});

describe('handing over', () => {
  it('lets running turns end, and takes nothing back and interrupts nothing on the way', async () => {
    const { handover, finish, phases, calls, state } = openSupervisor();

    handover(10_000);
    expect(state()).toBe('draining.finishing-turns');
    for (const phase of ['finishing-turns', 'closing', 'flushing'] as const) await finish(phase);

    expect(phases()).toEqual(['finishing-turns', 'closing', 'flushing', 'stopped']);
    expect(calls()).toEqual(['finishTurns', 'closeChildren', 'flushChildren']);
    expect(state()).toBe('stopped');
  });

  it('passes every phase by its deadline alone (P5)', () => {
    const { handover, clock, notices } = openSupervisor();
    handover(10_000);

    for (const ms of [10_000, 8_000, 3_000, 4_000]) clock.increment(ms);

    expect(notices()).toEqual([
      { type: 'phase.entered', phase: 'finishing-turns', at: 0, deadlineAt: 10_000 },
      { type: 'phase.entered', phase: 'closing', at: 10_000, deadlineAt: 18_000 },
      { type: 'phase.entered', phase: 'killing', at: 18_000, deadlineAt: 21_000 },
      { type: 'phase.entered', phase: 'flushing', at: 21_000, deadlineAt: 25_000 },
      { type: 'phase.entered', phase: 'stopped', at: 25_000, deadlineAt: null },
    ]);
  });

  it('tells each phase that the sessions are kept, whatever it is asked for meanwhile', async () => {
    const { handover, drain, shutdown, finish, kept } = openSupervisor();
    handover(10_000);
    drain();
    shutdown();
    await finish('closing');

    expect(kept()).toEqual([true, true, true]);
  });

  it('takes a shorter time from whoever asks again, and never a longer one', () => {
    const { handover, drain, deadlineAt } = openSupervisor();
    handover(10_000);

    handover(20_000);
    expect(deadlineAt()).toBe(10_000);
    handover(4_000);
    expect(deadlineAt()).toBe(4_000);
    drain(1_000);
    expect(deadlineAt()).toBe(1_000);
  });

  it('goes on to the end of the processes at once when it is told to hurry', () => {
    const { supervisor, handover, state } = openSupervisor();
    handover(10_000);

    supervisor.send({ type: 'supervisor.hurry', at: 0 });

    expect(state()).toBe('stopping.closing');
  });

  it.each(['drain', 'shutdown'] as const)('is none any more after a %s: what was said holds', async (first) => {
    const opened = openSupervisor();
    opened[first]();
    const before = opened.state();

    opened.handover(10_000);

    expect(opened.state()).toBe(before);
    expect(opened.kept()).toEqual([false]);
  });
});

it('does not hurry where nothing drains', () => {
  const { supervisor, state } = openSupervisor();

  supervisor.send({ type: 'supervisor.hurry', at: 0 });

  expect(state()).toBe('running');
});

it.each(['running', 'draining', 'stopping'] as const)('counts its children while it is %s', (phase) => {
  const { supervisor, drain, shutdown } = openSupervisor();
  if (phase === 'draining') drain();
  if (phase === 'stopping') shutdown();

  supervisor.send({ type: 'child.started' });
  supervisor.send({ type: 'child.started' });
  supervisor.send({ type: 'child.stopped' });

  expect(supervisor.getSnapshot().context.children).toBe(1);
});

function openSupervisor(deadlines: Partial<typeof DEADLINES> = {}) {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const kept: boolean[] = [];
  const notices: SupervisorNotice[] = [];
  const work = new Map<SupervisorPhase, ReturnType<typeof settleable>>();
  const port = (name: keyof typeof PORTS) => {
    const one = settleable();
    work.set(PORTS[name], one);
    return fromPromise<PhaseOutput, PhaseInput>(({ input }) => {
      calls.push(name);
      kept.push(input.isHandover);
      return one.promise;
    });
  };
  const machine = supervisorMachine.provide({
    actors: {
      settleStarts: port('settleStarts'),
      finishTurns: port('finishTurns'),
      interruptTurns: port('interruptTurns'),
      closeChildren: port('closeChildren'),
      killChildren: port('killChildren'),
      flushChildren: port('flushChildren'),
    },
  });
  const supervisor = createActor(machine, { clock, input: { deadlines: { ...DEADLINES, ...deadlines } } });
  supervisor.on('phase.entered', (notice) => void notices.push(notice));
  supervisor.start();
  const at = () => clock.now();
  const settled = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return {
    supervisor,
    clock,
    drain: (withinMs: number | null = null) => supervisor.send({ type: 'supervisor.drain', at: at(), withinMs }),
    shutdown: (withinMs: number | null = null) => supervisor.send({ type: 'supervisor.shutdown', at: at(), withinMs }),
    handover: (withinMs: number) => supervisor.send({ type: 'supervisor.handover', at: at(), withinMs }),
    finish: (phase: SupervisorPhase) => {
      work.get(phase)?.resolve({ at: at() });
      return settled();
    },
    fail: (phase: SupervisorPhase) => {
      work.get(phase)?.reject(new Error('broken'));
      return settled();
    },
    calls: () => calls,
    kept: () => kept,
    notices: () => notices,
    phases: () => notices.map(({ phase }) => phase),
    deadlineAt: () => supervisor.getSnapshot().context.deadlineAt,
    state: () => stateOf(supervisor.getSnapshot()),
  };
}

function settleable() {
  let resolve: (output: PhaseOutput) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<PhaseOutput>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve: (output: PhaseOutput) => resolve(output), reject: (error: unknown) => reject(error) };
}
