import { describe, expect, it } from 'vitest';
import { createSupervisor, type Group } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { memoryFleet } from './memory-cli.ts';

describe('a member that is not wanted any more while it waits to be started again', () => {
  it('stays down when its owner took it down, whatever happens to the others (docs/groups.md)', async () => {
    const { supervisor, group, clock, states, crash } = await stage();
    await crash('writer');
    await group.terminateChild('writer');
    await clock.advance(5_000);

    expect(states()).toEqual(['writer terminated held', 'reviewer up ready']);
    await supervisor.shutdown();
  });

  it('stays ended when its owner closed it, and those behind it wait for nobody (P5)', async () => {
    const { supervisor, group, clock, states, crash } = await stage();
    await crash('writer');
    await group.session('writer')?.close();
    await clock.advance(5_000);

    expect(states()).toEqual(['writer ended stopped', 'reviewer up ready']);
    await supervisor.shutdown();
  });
});

describe('a group that starts', () => {
  it('does not start a member that its owner takes down before its turn comes (docs/groups.md)', async () => {
    const { supervisor, starting, states } = houseWithout('writer');
    await starting((group) => group.terminateChild('reviewer'));

    expect(states()).toEqual(['writer up ready', 'reviewer terminated stopped']);
    await supervisor.shutdown();
  });

  it('goes on behind a member that its owner sends to sleep before it is ready (P5)', async () => {
    const { supervisor, starting, states } = houseWithout('writer');
    await starting(() => supervisor.session('writer')?.hibernate());

    expect(states()).toEqual(['writer up hibernated', 'reviewer up ready']);
    await supervisor.shutdown();
  });
});

/** Two members that stand and fall together. */
async function stage() {
  const clock = simulatedClock();
  const fleet = memoryFleet();
  const supervisor = createSupervisor({ clock, spawn: fleet.open, pathToClaudeCodeExecutable: process.execPath });
  const children = [{ id: 'writer' }, { id: 'reviewer' }];
  const group = await supervisor.group({ id: 'team', strategy: 'one_for_all', children });
  return {
    supervisor,
    clock,
    group,
    states: () => group.children().map(({ id, status, state }) => `${id} ${status} ${state}`),
    /** Resolves when both wait for their start. */
    crash: async (id: string) => {
      fleet
        .running()
        .find((cli) => cli.sessionId === id)
        ?.exit(1);
      while (group.children().some(({ state }) => state !== 'held')) await new Promise((go) => setImmediate(go));
    },
  };
}

/** The first process of that one does not come before `starting` has asked something. */
function houseWithout(first: string) {
  const fleet = memoryFleet();
  let go = () => {};
  const asked = new Promise<void>((resolve) => {
    go = resolve;
  });
  const supervisor = createSupervisor({
    spawn: async (...plan) => {
      if (plan[0].mark.startsWith(`${first}:`)) await asked;
      return fleet.open(...plan);
    },
    pathToClaudeCodeExecutable: process.execPath,
  });
  const states = () =>
    supervisor.groups().flatMap((group) => group.children().map(({ id, status, state }) => `${id} ${status} ${state}`));
  const starting = async (ask: (group: Group) => unknown) => {
    const started = supervisor.group({ id: 'team', children: [{ id: 'writer' }, { id: 'reviewer' }] });
    while (supervisor.session(first)?.state !== 'spawning') await new Promise((next) => setImmediate(next));
    const [group] = supervisor.groups();
    const answered = group === undefined ? undefined : ask(group);
    go();
    await Promise.all([started, answered]);
  };
  return { supervisor, states, starting };
}
