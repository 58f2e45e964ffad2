import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { childMachine } from '../../machines/child/child.machine.ts';
import type { SessionEvent } from '../../machines/session/session.events.ts';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { openChild, readyChild } from './child-harness.ts';
import { BROKEN, CHILD_EVENTS, CRASH, SESSION_EVENTS } from './event-samples.ts';
import { EXITED, OPTIONAL, openSession, TREE_GONE } from './session-harness.ts';
import { atomicStatesOf } from './state-name.ts';

/*
 * What each event does in each state (P6): the state it leads to, `stays` when it is heard without leaving, `-` when the
 * machine is over. The start of a column is told by WAYS below; the events are the samples of event-samples.ts.
 */
const SESSION_TABLE = `
event                 | spawning         | initializing     | mcp-setup        | ready.idle          | ready.running       | ready.interrupting  | awaiting-permission | closing.draining | closing.terminating | closing.reaping | closed | failed
cli.spawned           | initializing     | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
cli.spawn-failed      | failed           | failed           | failed           | failed              | failed              | failed              | failed              | closed           | closed              | closed          | -      | -
cli.spoke             | stays            | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
cli.initialized       | stays            | mcp-setup        | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
cli.initialize-failed | stays            | closing.draining | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
cli.faulted           | closing.reaping  | closing.reaping  | closing.reaping  | closing.reaping     | closing.reaping     | closing.reaping     | closing.reaping     | closing.reaping  | closing.reaping     | stays           | -      | -
cli.exited            | closing.reaping  | closing.reaping  | closing.reaping  | closing.reaping     | closing.reaping     | closing.reaping     | closing.reaping     | closing.reaping  | closing.reaping     | stays           | -      | -
cli.tree-gone         | stays            | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
work.started          | stays            | stays            | stays            | ready.running       | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
work.ended            | stays            | stays            | stays            | stays               | ready.idle          | ready.idle          | stays               | stays            | stays               | stays           | -      | -
background.changed    | stays            | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
turn.started          | stays            | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
turn.ended            | stays            | stays            | stays            | stays               | stays               | ready.running       | stays               | stays            | stays               | stays           | -      | -
permission.requested  | stays            | stays            | stays            | awaiting-permission | awaiting-permission | awaiting-permission | stays               | stays            | stays               | stays           | -      | -
permission.settled    | stays            | stays            | stays            | stays               | stays               | stays               | ready.running       | stays            | stays               | stays           | -      | -
permission.passed     | stays            | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
mcp.handshake-started | stays            | stays            | stays            | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
mcp.connected         | stays            | stays            | ready.idle       | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
mcp.failed            | stays            | stays            | ready.idle       | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
mcp.untold            | stays            | stays            | ready.idle       | stays               | stays               | stays               | stays               | stays            | stays               | stays           | -      | -
session.interrupt     | stays            | stays            | stays            | stays               | ready.interrupting  | stays               | stays               | stays            | stays               | stays           | -      | -
session.interrupt-refused | stays | stays | stays | stays | stays | ready.running | stays | stays | stays | stays | - | -
session.close         | closing.draining | closing.draining | closing.draining | closing.draining    | closing.draining    | closing.draining    | closing.draining    | stays            | stays               | stays           | -      | -
session.kill          | closing.reaping  | closing.reaping  | closing.reaping  | closing.reaping     | closing.reaping     | closing.reaping     | closing.reaping     | closing.reaping  | closing.reaping     | stays           | -      | -
`;

const CHILD_TABLE = `
event             | hibernated | waiting | running     | pausing    | held        | parked     | backing-off | quarantined | stopping | stopped
incarnation.ready | stays      | stays   | stays       | stays      | stays       | stays      | stays       | stays       | stays    | -
incarnation.progressed | stays | stays   | stays       | stays      | stays       | stays      | stays       | stays       | stays    | -
incarnation.ended | stays      | stays   | backing-off | hibernated | stays       | stays      | stays       | stays       | stopped  | -
child.start       | waiting    | stays   | stays       | stays      | waiting     | stays      | waiting     | waiting     | stays    | -
child.hibernate   | stays      | stays   | pausing     | stays      | stays       | stays      | stays       | stays       | stays    | -
child.hold        | held       | held    | pausing     | stays      | stays       | held       | stays       | held        | stays    | -
child.restart     | stays      | stays   | pausing     | stays      | stays       | stays      | stays       | stays       | stays    | -
child.quarantine  | stays      | stays   | stays       | stays      | quarantined | stays      | stays       | stays       | stays    | -
child.park        | parked     | parked  | pausing     | stays      | stays       | stays      | parked      | stays       | stays    | -
child.unpark      | stays      | stays   | stays       | stays      | stays       | waiting    | stays       | stays       | stays    | -
child.stop        | stopped    | stopped | stopping    | stopping   | stopped     | stopped    | stopped     | stopped     | stays    | -
`;

/** States that are left in the same breath: nothing can happen in them. */
const TRANSIENT = ['ready.deciding', 'registered'];

// XState warns of events that reach a machine after its end.
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('the session machine', () => {
  const table = readTable(SESSION_TABLE);

  it('has every state in the table', () => {
    expect(table.states).toEqual(atomicStatesOf(sessionMachine).filter((state) => !TRANSIENT.includes(state)));
  });

  it('has every event in the table', () => {
    expect(table.events.toSorted()).toEqual(Object.keys(SESSION_EVENTS).toSorted());
    expect(table.events.toSorted()).toEqual(ownEventsOf(sessionMachine));
  });

  it.each(table.cells)('in $state hears $event: $expected', ({ state, event, expected }) => {
    const session = sessionIn(state);
    const sample = Object.entries(SESSION_EVENTS).find(([type]) => type === event)?.[1];
    if (sample === undefined) throw new Error(`There is no sample of ${event}.`);
    session.session.send(sample);

    expect(session.state()).toBe(targetOf(state, expected));
  });
});

describe('the child machine', () => {
  const table = readTable(CHILD_TABLE);

  it('has every state in the table', () => {
    expect(table.states).toEqual(atomicStatesOf(childMachine).filter((state) => !TRANSIENT.includes(state)));
  });

  it('has every event in the table', () => {
    expect(table.events.toSorted()).toEqual(Object.keys(CHILD_EVENTS).toSorted());
    expect(table.events.toSorted()).toEqual(ownEventsOf(childMachine));
  });

  it.each(table.cells)('in $state hears $event: $expected', async ({ state, event, expected }) => {
    const child = await childIn(state);
    const sample = Object.entries(CHILD_EVENTS).find(([type]) => type === event)?.[1];
    if (sample === undefined) throw new Error(`There is no sample of ${event}.`);
    child.child.send(sample);

    expect(child.state()).toBe(targetOf(state, expected));
  });
});

function sessionIn(state: string) {
  const opened = openSession({ mcpServers: [OPTIONAL] });
  const { session, clock } = opened;
  const spawned: SessionEvent[] = [{ type: 'cli.spawned', pid: 4711 }];
  const setup: SessionEvent[] = [
    ...spawned,
    { type: 'mcp.handshake-started', server: 'docs' },
    { type: 'cli.initialized' },
  ];
  const idle: SessionEvent[] = [...setup, { type: 'mcp.connected', server: 'docs' }];
  const running: SessionEvent[] = [...idle, { type: 'work.started' }];
  const draining: SessionEvent[] = [...idle, { type: 'session.close' }];
  const ways: Record<string, SessionEvent[]> = {
    spawning: [],
    initializing: spawned,
    'mcp-setup': setup,
    'ready.idle': idle,
    'ready.running': running,
    'ready.interrupting': [...running, { type: 'session.interrupt' }],
    'awaiting-permission': [...running, { type: 'permission.requested', at: 0, requestId: 'first' }],
    'closing.draining': draining,
    'closing.terminating': draining,
    'closing.reaping': [...idle, { type: 'session.kill' }],
    closed: [...draining, EXITED, TREE_GONE],
    failed: [...idle, EXITED, TREE_GONE],
  };
  for (const event of ways[state] ?? []) session.send(event);
  if (state === 'closing.terminating') clock.increment(2_000);
  expect(opened.state()).toBe(state);
  return opened;
}

async function childIn(state: string) {
  const opened = await childNear(state);
  const { child } = opened;
  if (state === 'backing-off') child.send({ type: 'incarnation.ended', cause: CRASH, at: 1, chance: 0.5 });
  if (state === 'quarantined') child.send({ type: 'incarnation.ended', cause: BROKEN, at: 1, chance: 0.5 });
  if (state === 'pausing') child.send({ type: 'child.hibernate' });
  if (state === 'held') child.send({ type: 'child.hold' });
  if (state === 'parked') child.send(CHILD_EVENTS['child.park']);
  if (state === 'stopping') child.send({ type: 'child.stop', mode: 'close' });
  if (state === 'stopped') child.send({ type: 'child.stop', mode: 'close' });
  expect(opened.state()).toBe(state);
  return opened;
}

async function childNear(state: string) {
  if (state === 'hibernated') return openChild({ autoStart: false });
  if (['waiting', 'held', 'parked', 'stopped'].includes(state)) return openChild();
  return readyChild();
}

function targetOf(state: string, expected: string): string {
  return expected === 'stays' || expected === '-' ? state : expected;
}

function ownEventsOf(machine: AnyStateMachine): string[] {
  return machine.events.filter((type) => !/^xstate\.|^deadline\./.test(type)).toSorted();
}

interface Cell {
  readonly state: string;
  readonly event: string;
  readonly expected: string;
}

function readTable(text: string): { states: string[]; events: string[]; cells: Cell[] } {
  const [head = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const states = head.slice(1);
  const cells = rows.flatMap(([event = '', ...row]) =>
    states.map((state, column) => ({ state, event, expected: row[column] ?? 'missing' })),
  );
  return { states, events: rows.map(([event = '']) => event), cells };
}
