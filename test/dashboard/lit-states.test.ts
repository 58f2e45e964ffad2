import { describe, expect, it } from 'vitest';
import { CHILD_STATES, SESSION_STATES } from '../../machines/index.ts';
import { arrowPath } from '../../src/dashboard/chart/arrow-path.ts';
import { chartOfMachines } from '../../src/dashboard/chart/chart-of-machines.ts';
import { arrowsOf, litStates, stateOf } from '../../src/dashboard/chart/lit-states.ts';

const { states, arrows } = chartOfMachines();

describe('what is lit on the chart', () => {
  it.each([...CHILD_STATES, ...SESSION_STATES])(
    'knows the state %s by the word that session.state has for it',
    (word) => {
      expect(stateOf(word, states)).toMatch(/^(child|session)\./);
    },
  );

  it('lights a state and every one around it, over both machines', () => {
    expect([...litStates('ready.running', states)].toSorted()).toEqual(
      ['child.running', 'session.ready', 'session.ready.running'].toSorted(),
    );
    expect([...litStates('parked', states)]).toEqual(['child.parked']);
  });

  it('lights the nearest state around a place that it does not know', () => {
    expect(stateOf('ready.dreaming', states)).toBe('session.ready');
  });

  it('lights nothing for a word of another release', () => {
    expect(litStates('dreaming', states).size).toBe(0);
  });
});

describe('the last transition', () => {
  it.each([
    ['waiting', 'spawning', ['child.waiting → child.running']],
    ['spawning', 'initializing', ['session.spawning → session.initializing']],
    ['initializing', 'ready', ['session.initializing → session.ready']],
    ['ready.idle', 'ready.running', ['session.ready.idle → session.ready.running']],
    ['awaiting-permission', 'ready.running', ['session.awaiting-permission → session.ready']],
    ['failed', 'backing-off', ['child.running → child.backing-off']],
    ['closed', 'stopped', ['child.running → child.stopped']],
    ['backing-off', 'waiting', ['child.backing-off → child.waiting']],
  ])('from %s to %s went along the arrow of the machines', (from, to, ids) => {
    expect(arrowsOf({ from, to }, states, arrows).map(({ id }) => id)).toEqual(ids);
  });

  it('may have gone along any of the arrows that fit, where the events do not say which', () => {
    const ids = arrowsOf({ from: 'ready', to: 'closing' }, states, arrows).map(({ id }) => id);

    expect(ids).toContain('session.(any) → session.closing');
    expect(ids).toContain('session.ready.interrupting → session.closing.terminating');
    expect(ids.filter((id) => !id.includes('→ session.closing'))).toEqual([]);
  });

  it('has an arrow for every change that the machines can make between their outer states', () => {
    const outer = (id: string) => id.split('.')[1] ?? '';
    const told = arrows.filter(
      ({ source, target }) => !/\((start|any)\)/.test(source) && outer(source) !== outer(target),
    );
    const missing = told.filter(({ id, source, target }) => {
      const change = { from: outer(source), to: outer(target) };
      // `running` of the session is told by the words of its process.
      if ([change.from, change.to].includes('running')) return false;
      return !arrowsOf(change, states, arrows).some((arrow) => arrow.id === id);
    });

    expect(missing).toEqual([]);
  });

  it('of which the beginning is not known has no arrow', () => {
    expect(arrowsOf({ to: 'ready' }, states, arrows)).toEqual([]);
  });
});

describe('the path of an arrow', () => {
  it('goes from its first point to its last, and rounds the corners between them', () => {
    const path = arrowPath([
      [0, 0],
      [0, 20],
      [30, 20],
    ]);

    expect(path).toBe('M0 0L0 14Q0 20 6 20L30 20');
  });

  it('rounds a short way by half of it at most', () => {
    expect(
      arrowPath([
        [0, 0],
        [0, 4],
        [30, 4],
      ]),
    ).toContain('L0 2Q0 4');
  });
});
