import { createActor, SimulatedClock } from 'xstate';
import { type Limits, NOTHING } from '../../machines/budget/amounts.ts';
import type { BudgetNotice } from '../../machines/budget/budget.events.ts';
import { budgetMachine } from '../../machines/budget/budget.machine.ts';
import {
  type BudgetRule,
  type BudgetRules,
  blockOf,
  idOf,
  type OnLimit,
  type ScopeKind,
} from '../../machines/budget/ledger.ts';
import type { PersistedBudget } from '../../machines/budget/restored-budget.ts';
import { lookUp } from '../../machines/budget/shelf.ts';
import { stateOf } from './state-name.ts';

export const DAY_MS = 86_400_000;
export const UNBOUNDED: BudgetRule = { limits: {}, warnAt: 0.8, onLimit: 'park' };

export interface BudgetOptions {
  readonly limits?: Partial<Record<ScopeKind, Limits>>;
  readonly warnAt?: number;
  readonly onLimit?: OnLimit;
  readonly restored?: PersistedBudget;
  /** Which day it is, from 0. */
  readonly day?: number;
}

/** A budget machine on the first of January 1970, whose notices are kept. */
export function openBudget({ limits = {}, warnAt = 0.8, onLimit = 'park', restored, day = 0 }: BudgetOptions = {}) {
  const clock = new SimulatedClock();
  clock.increment(day * DAY_MS);
  const notices: BudgetNotice[] = [];
  const ruleOf = (kind: ScopeKind): BudgetRule => ({ limits: limits[kind] ?? {}, warnAt, onLimit });
  const rules: BudgetRules = {
    session: ruleOf('session'),
    key: ruleOf('key'),
    group: ruleOf('group'),
    day: ruleOf('day'),
    total: ruleOf('total'),
  };
  const budget = createActor(budgetMachine, {
    clock,
    input: { rules, day: dayAt(clock.now()), at: clock.now(), ...(restored === undefined ? {} : { restored }) },
  });
  for (const type of ['budget.warned', 'budget.reached', 'budget.reopened', 'day.wanted'] as const) {
    budget.on(type, (notice) => notices.push(notice));
  }
  budget.start();
  const ledger = () => budget.getSnapshot().context.ledger;
  return {
    budget,
    clock,
    notices,
    ledger,
    state: () => stateOf(budget.getSnapshot()),
    join: (id: string, { key = null, groups = [] }: { key?: string | null; groups?: string[] } = {}) =>
      budget.send({ type: 'payer.joined', id, key, groups, rule: rules.session }),
    /** The turn that runs has used so much. */
    open: (id: string, open: Limits = {}) =>
      budget.send({
        type: 'usage.told',
        at: clock.now(),
        id,
        settled: NOTHING,
        open: { ...NOTHING, ...open },
        ...TURN,
      }),
    /** The turn has ended and used so much in all. */
    settle: (id: string, used: Limits) =>
      budget.send({
        type: 'usage.told',
        at: clock.now(),
        id,
        settled: { ...NOTHING, ...used },
        open: NOTHING,
        ...NONE,
      }),
    raise: (kind: ScopeKind, name: string, amounts: Limits) =>
      budget.send({ type: 'budget.raise', scope: { kind, name }, amounts }),
    tellDay: () => budget.send({ type: 'day.told', day: dayAt(clock.now()), at: clock.now() }),
    spent: (kind: ScopeKind, name: string) => lookUp(ledger().accounts, idOf({ kind, name }))?.spent,
    block: (id: string) => blockOf(ledger(), id),
  };
}

const TURN = { hasTurn: true, isUnpriced: false };
const NONE = { hasTurn: false, isUnpriced: false };

export function dayAt(at: number) {
  const number = Math.floor(at / DAY_MS);
  return { name: `1970-01-${String(number + 1).padStart(2, '0')}`, endsAt: (number + 1) * DAY_MS };
}
