import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate';
import type { AccountStateName } from '../../machines/account/account.events.ts';
import { persistedAccount, restoredAccount } from '../../machines/account/restored-account.ts';
import { persistedBudget } from '../../machines/budget/restored-budget.ts';
import { valuesOf } from '../../machines/budget/shelf.ts';
import type { GroupEvent, MembersCommand } from '../../machines/group/group.events.ts';
import { groupMachine } from '../../machines/group/group.machine.ts';
import { type PersistedGroup, restoredGroup } from '../../machines/group/restored-group.ts';
import type { Strategy } from '../../machines/group/strategy.ts';
import { openAccount } from './account-harness.ts';
import { type BudgetOptions, openBudget } from './budget-harness.ts';
import { RESTART } from './child-harness.ts';
import { CRASH } from './event-samples.ts';
import { stateOf } from './state-name.ts';

describe('an account whose host was lost', () => {
  it('is not tried before the reset that was told; then one tries, and the others follow (R86)', async () => {
    const former = openAccount();
    former.wall(600_000);
    const { account, moment, reachMoment, wait, released, state } = anotherHost(former, 60_000);
    wait('a', 'b');
    expect([released(), moment()?.at]).toEqual([[], former.context().resumeAt]);

    await reachMoment();
    expect(released().map(({ id, isProbe }) => [id, isProbe])).toEqual([['a', true]]);
    account.send({ type: 'session.passed', id: 'a' });
    expect(state()).toBe('releasing');
  });

  it('does not wait for the one that tried: it is gone, and the first that comes tries', async () => {
    const former = openAccount();
    former.wall(600_000);
    former.wait('a');
    await former.reachMoment();
    const { wait, released } = anotherHost(former, 700_000);
    wait('b', 'c');

    expect(released().map(({ id, isProbe }) => [id, isProbe])).toEqual([['b', true]]);
  });

  it('that was locked is tried by one: nobody can tell who logged in meanwhile (R89)', () => {
    const former = openAccount();
    former.account.send({ type: 'login.failed', message: 'Not logged in', at: 0 });
    const { wait, released, account, state } = anotherHost(former, 1_000);
    wait('a', 'b');
    expect(released().map(({ id }) => id)).toEqual(['a']);

    account.send({ type: 'login.failed', message: 'Not logged in', at: 2_000 });
    expect(state()).toBe('locked');
  });

  it('counts its blind walls on: the backoff does not begin anew', () => {
    const former = openAccount();
    for (const at of [0, 100_000]) former.wall(null, at);
    const { context } = anotherHost(former, 200_000);

    expect(context().blindWalls).toBe(former.context().blindWalls);
  });
});

describe('the money of a host that was lost', () => {
  const limits = { session: { usd: 2 }, total: { usd: 10 }, day: { usd: 5 } };

  it('is spent: by the session that comes back, its key, the day and in all', () => {
    const former = openBudget({ limits });
    former.join('a', { key: 'shop' });
    former.settle('a', { usd: 1.5 });
    const { join, spent, settle, block } = anotherBudget(former, { limits });
    join('a', { key: 'shop' });
    expect([spent('session', 'a'), spent('key', 'shop'), spent('total', '')].map((sum) => sum?.usd)).toEqual([
      1.5, 1.5, 1.5,
    ]);

    settle('a', { usd: 0.5 });
    expect(block('a')).toMatchObject({ scope: { kind: 'session' }, spent: 2 });
  });

  it('what was told of it is not told again, and what is new is', () => {
    const former = openBudget({ limits });
    former.join('a');
    former.settle('a', { usd: 1.6 });
    expect(former.notices.map(({ type }) => type)).toEqual(['budget.warned']);
    const { join, settle, notices } = anotherBudget(former, { limits });
    join('a');
    settle('a', { usd: 0.1 });
    expect(notices).toEqual([]);

    settle('a', { usd: 0.3 });
    expect(notices.map(({ type }) => type)).toEqual(['budget.reached']);
  });

  it('keeps what was added to a limit by hand, on top of the limits of today', () => {
    const former = openBudget({ limits });
    former.join('a');
    former.raise('session', 'a', { usd: 3 });
    former.raise('total', '', { usd: 7, tokens: 5 });
    const { join, ledger } = anotherBudget(former, { limits: { session: { usd: 4 }, total: { usd: 1, tokens: 100 } } });
    join('a');
    const limitOf = (id: string) => persistedRules(ledger())[id];

    expect([limitOf('session:a'), limitOf('total:')]).toEqual([{ usd: 7 }, { usd: 8, tokens: 100 }]);
  });

  it('is that of its day: on another one the day begins at nothing, the total does not', () => {
    const former = openBudget({ limits });
    former.join('a');
    former.settle('a', { usd: 5 });
    expect(former.state()).toBe('day-spent');
    const { state, spent } = anotherBudget(former, { limits, day: 1 });

    expect([state(), spent('day', '1970-01-02')?.usd, spent('total', '')?.usd]).toEqual(['counting', 0, 5]);
    expect(anotherBudget(former, { limits }).state()).toBe('day-spent');
  });

  it('a session that has never been here begins at nothing', () => {
    const former = openBudget({ limits });
    former.join('a');
    former.settle('a', { usd: 1 });
    const { join, spent } = anotherBudget(former, { limits });
    join('b');

    expect(spent('session', 'b')?.usd).toBe(0);
  });
});

describe('a group whose host was lost', () => {
  it('begins the restart of its members again: first they are stopped, in reverse order, then they wait what is left', () => {
    const kept = keptGroup({ restarts: [900], startsAt: 5_000, statuses: ['up', 'restarting', 'restarting'] });
    const { told, state } = openGroup(restoredGroup(kept, 4_000, 30_000));

    expect([state(), told]).toEqual([
      'running',
      [{ type: 'members.restart', hold: ['c', 'b'], start: ['b', 'c'], delayMs: 1_000 }],
    ]);
  });

  it('leaves members alone that come back by themselves', () => {
    const { told, state } = openGroup(restoredGroup(keptGroup({}), 4_000, 30_000));

    expect([state(), told]).toEqual(['running', []]);
  });

  it('counts the restarts from before the loss, and none for it (OTP)', () => {
    const { group, state } = openGroup(restoredGroup(keptGroup({ restarts: [1_000, 2_000] }), 3_000, 30_000));
    group.send({ type: 'member.ended', id: 'a', cause: CRASH, at: 4_000, chance: 0.5 });

    expect(state()).toBe('giving-up');
  });

  it.each(['held', 'quarantined'] as const)('that was %s starts when it is told to', (lost) => {
    const { group, state } = openGroup(restoredGroup(keptGroup({ state: lost }), 0, 30_000));
    expect(state()).toBe(lost);

    group.send({ type: 'group.start' });
    expect(state()).toBe('starting');
  });
});

function anotherHost({ account }: ReturnType<typeof openAccount>, now: number) {
  const snapshot = account.getSnapshot();
  const kept = persistedAccount(snapshot.context, stateOf(snapshot) as AccountStateName);
  return openAccount({}, restoredAccount(JSON.parse(JSON.stringify(kept)), now));
}

function anotherBudget(former: ReturnType<typeof openBudget>, options: BudgetOptions) {
  return openBudget({ ...options, restored: JSON.parse(JSON.stringify(persistedBudget(former.ledger()))) });
}

function persistedRules(ledger: ReturnType<ReturnType<typeof openBudget>['ledger']>) {
  return Object.fromEntries(
    valuesOf(ledger.accounts).map(({ scope, rule }) => [`${scope.kind}:${scope.name}`, rule.limits]),
  );
}

function keptGroup({
  statuses = ['up', 'up', 'up'],
  ...kept
}: Partial<PersistedGroup> & { statuses?: ('up' | 'restarting')[] }) {
  const members = ['a', 'b', 'c'].map((id, index) => {
    return { id, restart: 'permanent' as const, significant: false, status: statuses[index] ?? ('up' as const) };
  });
  return {
    state: 'running',
    members,
    restarts: [],
    startsAt: null,
    isShuttingDown: false,
    cause: null,
    ...kept,
  } as const;
}

function openGroup(restored: ReturnType<typeof restoredGroup>, strategy: Strategy = 'rest_for_one') {
  const told: MembersCommand[] = [];
  const silence = () => new Promise<void>(() => {});
  const machine = groupMachine.provide({
    actors: {
      startMembers: fromPromise(silence),
      holdMembers: fromPromise(silence),
      endMembers: fromPromise(silence),
      members: fromCallback<MembersCommand | GroupEvent>(({ receive }) => {
        receive((command) => {
          if (command.type === 'members.restart' || command.type === 'members.set-aside') told.push(command);
        });
      }),
    },
  });
  const rules = { strategy, autoShutdown: 'never', intensity: 2, periodMs: 60_000, backoff: RESTART.backoff } as const;
  const group = createActor(machine, {
    clock: new SimulatedClock(),
    input: { id: 'team', isNested: false, members: [], restored, ...rules },
  });
  group.start();
  return { group, told, state: () => stateOf(group.getSnapshot()) };
}
