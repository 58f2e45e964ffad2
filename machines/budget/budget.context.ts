import type { BudgetEvent, Day } from './budget.events.ts';
import {
  accountIdsOf,
  type BudgetRules,
  idOf,
  join,
  type Ledger,
  leave,
  openLedger,
  raise,
  spend,
  turnDay,
} from './ledger.ts';
import { type PersistedBudget, restoredLedger } from './restored-budget.ts';
import { lookUp } from './shelf.ts';
import { type Review, review } from './verdict.ts';

export interface BudgetInput {
  readonly rules: BudgetRules;
  readonly day: Day;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What another host left, by `persistedBudget`. */
  readonly restored?: PersistedBudget;
}

export interface BudgetContext {
  readonly ledger: Ledger;
  readonly day: Day;
  /** When that was the day. */
  readonly at: number;
}

/** A machine that slept is noticed after at most this long: timers may stand still meanwhile, the calendar does not. */
const MAX_CHECK_MS = 600_000;

export function initialBudget({ rules, day, at, restored }: BudgetInput): BudgetContext {
  const ledger = restored === undefined ? openLedger(rules, day.name) : restoredLedger(restored, rules, day.name);
  return { ledger, day, at };
}

/** The ledger after an event, and what follows from it. */
export function booked({ ledger }: BudgetContext, event: BudgetEvent): Review {
  switch (event.type) {
    case 'payer.joined': {
      const joined = join(ledger, event);
      return review(ledger, joined, accountIdsOf(joined, event.id), null);
    }
    case 'payer.left':
      return review(ledger, leave(ledger, event.id), accountIdsOf(ledger, event.id), null);
    case 'usage.told':
      return review(ledger, spend(ledger, event), accountIdsOf(ledger, event.id), event.id);
    case 'day.told':
      return review(ledger, turnDay(ledger, event.day.name), [idOf({ kind: 'day', name: event.day.name })], null);
    case 'budget.raise':
      return review(ledger, raise(ledger, event.scope, event.amounts), [idOf(event.scope)], null);
    default:
      return { ledger, verdicts: [] };
  }
}

export function isDaySpent({ ledger }: BudgetContext): boolean {
  const account = lookUp(ledger.accounts, idOf({ kind: 'day', name: ledger.day }));
  return account !== undefined && account.reached.length > 0;
}

export function checkMs({ day, at }: BudgetContext): number {
  return Math.min(Math.max(1, day.endsAt - at), MAX_CHECK_MS);
}
