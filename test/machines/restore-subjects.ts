import { deepStrictEqual } from 'node:assert';
import type { AnyMachineSnapshot } from 'xstate';
import type { AccountContext } from '../../machines/account/account.context.ts';
import { persistedAccount, restoredAccount } from '../../machines/account/restored-account.ts';
import type { BudgetContext } from '../../machines/budget/budget.context.ts';
import { persistedBudget } from '../../machines/budget/restored-budget.ts';
import type { ChildContext } from '../../machines/child/child.context.ts';
import { persistedChild, restoredChild } from '../../machines/child/restored-child.ts';
import type { GroupContext } from '../../machines/group/group.context.ts';
import { persistedGroup, restoredGroup } from '../../machines/group/restored-group.ts';
import {
  type PermissionContext,
  persistedPermission,
  restoredPermission,
} from '../../machines/permission/permission.context.ts';
import { stateOf } from './state-name.ts';

/** What becomes of a state when its host is lost: the state that the next host goes on in. */
export type Comebacks = Readonly<Record<string, string>>;

export interface RestoreSubject {
  readonly comebacks: Comebacks;
  /** When the wait of a machine in that place was to end; null where it waits for nobody's clock. */
  readonly dueAt: (snapshot: AnyMachineSnapshot) => number | null;
  /** The changes to the input by which another host goes on with it at that moment. What is kept goes through JSON. */
  readonly restore: (snapshot: AnyMachineSnapshot, now: number) => object;
}

/** Of a process or of a host: the next one has its own, which begins at the beginning. */
export const WITH_ITS_PROCESS = ['session', 'watchdog', 'mcp-server'];
export const WITH_ITS_HOST = ['supervisor'];

/** Contexts are those of the machine under test; XState gives them without their type. */
function contextOf<C>(snapshot: AnyMachineSnapshot): C {
  return snapshot.context;
}

/** The names of states that are no paths. */
function nameOf<S extends string>(snapshot: AnyMachineSnapshot): S {
  return stateOf(snapshot) as S;
}

export const RESTORED: Readonly<Record<string, RestoreSubject>> = {
  child: {
    comebacks: {
      hibernated: 'hibernated, waiting',
      waiting: 'hibernated, waiting',
      running: 'hibernated, waiting',
      pausing: 'hibernated, waiting, held, parked',
      held: 'held',
      parked: 'parked',
      'backing-off': 'backing-off',
      quarantined: 'quarantined',
      stopping: 'stopped',
      stopped: 'stopped',
    },
    dueAt: (snapshot) => {
      return stateOf(snapshot) === 'backing-off' ? contextOf<ChildContext>(snapshot).backoffUntil : null;
    },
    restore: (snapshot, now) => {
      const context = contextOf<ChildContext>(snapshot);
      const kept = overJson(persistedChild(context, nameOf(snapshot)));
      // With work and without, as it comes.
      return { restored: restoredChild(kept, { now, hasWork: kept.incarnation % 2 === 1 }) };
    },
  },
  permission: {
    comebacks: { judging: 'asking', asking: 'asking', settled: 'settled' },
    dueAt: (snapshot) => persistedPermission(contextOf<PermissionContext>(snapshot), 0).expiresAt,
    restore: (snapshot, now) =>
      restoredPermission(overJson(persistedPermission(contextOf<PermissionContext>(snapshot), 0)), now),
  },
  account: {
    comebacks: {
      open: 'open',
      walled: 'walled',
      probing: 'probing',
      releasing: 'open',
      locked: 'walled, probing',
    },
    dueAt: (snapshot) => (stateOf(snapshot) === 'walled' ? contextOf<AccountContext>(snapshot).resumeAt : null),
    restore: (snapshot, now) => {
      const context = contextOf<AccountContext>(snapshot);
      return { restored: restoredAccount(overJson(persistedAccount(context, nameOf(snapshot))), now) };
    },
  },
  group: {
    comebacks: {
      starting: 'starting',
      running: 'running',
      'giving-up': 'giving-up',
      holding: 'holding',
      held: 'held',
      quarantined: 'quarantined',
      stopping: 'stopping',
      stopped: 'stopped',
    },
    dueAt: (snapshot) => {
      const { members, startsAt } = contextOf<GroupContext>(snapshot);
      const isWaiting = stateOf(snapshot) === 'running' && members.some(({ status }) => status === 'restarting');
      return isWaiting ? startsAt : null;
    },
    restore: (snapshot, now) => {
      const context = contextOf<GroupContext>(snapshot);
      return { restored: restoredGroup(overJson(persistedGroup(context, nameOf(snapshot))), now, 30_000) };
    },
  },
  budget: {
    comebacks: { counting: 'counting', 'day-spent': 'day-spent', closed: 'counting, day-spent' },
    dueAt: () => null,
    restore: (snapshot, at) => {
      const { ledger, day } = contextOf<BudgetContext>(snapshot);
      return { ...overJson({ restored: persistedBudget(ledger), day }), at };
    },
  },
};

/** What does not survive JSON would not survive a host. */
export function overJson<T>(value: T): T {
  const copy: T = JSON.parse(JSON.stringify(value));
  deepStrictEqual(copy, value);
  return copy;
}
