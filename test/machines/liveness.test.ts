import { describe, expect, it } from 'vitest';
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, transition } from 'xstate';
import { permissionMachine } from '../../machines/permission/permission.machine.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { SESSION_EVENTS } from './event-samples.ts';
import { inputOf } from './session-harness.ts';
import { atomicStatesOf } from './state-name.ts';
import { deadEnds, type Place, timersOf, type WalkOptions, walk } from './state-walk.ts';
import { SUBJECTS } from './walk-subjects.ts';

describe.each(Object.entries(SUBJECTS))('the %s machine', (_, { machine, options, transient, goals }) => {
  const places = walk(machine, options);

  it('has no state that cannot be reached', () => {
    const reached = new Set([...places.values()].map(({ state }) => state));

    expect(atomicStatesOf(machine).filter((state) => !reached.has(state))).toEqual(transient);
  });

  it(`can reach ${goals.join(' or ')} from every place`, () => {
    expect(deadEnds(places, goals)).toEqual([]);
  });
});

describe('a session', () => {
  const places = activePlacesOf('session');

  it.each(['session.close', 'session.kill'])(
    'ends by its deadlines alone after %s, even with a mute CLI (P5)',
    (type) => {
      const stuck = places.filter(
        ({ snapshot }) => !endsByItself(sessionMachine, next(sessionMachine, snapshot, { type })),
      );

      expect(stuck.map(({ state }) => state)).toEqual([]);
    },
  );

  it('never is closed before the exit and the end of the whole tree were seen (P1)', () => {
    const closed = [...walk(sessionMachine, withoutSpawnFailure()).values()].filter(({ state }) => state === 'closed');

    expect(closed.length).toBeGreaterThan(0);
    for (const { snapshot } of closed) {
      expect(snapshot.context).toMatchObject({ treeIsGone: true, survivors: [] });
      expect(snapshot.context.exit).not.toBeNull();
    }
  });
});

it('a permission question is settled by its deadline alone once it was asked (P5)', () => {
  const asking = activePlacesOf('permission').filter(({ state }) => state === 'asking');

  expect(asking.length).toBeGreaterThan(0);
  for (const { snapshot } of asking) expect(endsByItself(permissionMachine, snapshot)).toBe(true);
});

function activePlacesOf(name: string): Place[] {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`There is no machine ${name}.`);
  return [...walk(subject.machine, subject.options).values()].filter(({ snapshot }) => snapshot.status === 'active');
}

/** A process that never existed is the one thing that ends without an exit. */
function withoutSpawnFailure(): WalkOptions {
  const events = Object.values(SESSION_EVENTS).filter(({ type }) => type !== 'cli.spawn-failed');
  return { input: inputOf({}), events: [...events, { ...SESSION_EVENTS['cli.tree-gone'], survivors: [99] }] };
}

/** Fires every timer that runs, one after the other, for as many steps as the longest ladder has. */
function endsByItself(machine: AnyStateMachine, start: AnyMachineSnapshot): boolean {
  let snapshot = start;
  for (let step = 0; step < 4 && snapshot.status === 'active'; step += 1) {
    for (const timer of timersOf(machine, snapshot)) snapshot = next(machine, snapshot, timer);
  }
  return snapshot.status === 'done';
}

function next(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: EventObject): AnyMachineSnapshot {
  return transition(machine, snapshot, event)[0];
}
