import { NOTHING } from '../../machines/budget/amounts.ts';
import { type BudgetRules, idOf, join, leave, openLedger, spend, turnDay } from '../../machines/budget/ledger.ts';
import { type PersistedBudget, persistedBudget } from '../../machines/budget/restored-budget.ts';
import { valuesOf } from '../../machines/budget/shelf.ts';
import { review } from '../../machines/budget/verdict.ts';
import type { SessionBudgetOptions } from '../launch/budget-options.ts';
import { countedOfStored } from '../session/stored-turn.ts';
import type { LedgerRecord } from '../store/store-record.ts';
import { sessionRule } from './budget-rules.ts';

/** When a turn ended of which nobody can tell: it counts for today, and after all others. */
const UNREADABLE = Number.POSITIVE_INFINITY;

/** Two days before time ends. */
const LAST_MOMENT = 8.64e15 - 2 * 86_400_000;

/** What a session of the store has spent. */
export interface StoredSpender {
  readonly id: string;
  readonly key: string | undefined;
  /** From the outermost. */
  readonly groups: readonly string[];
  readonly budget: SessionBudgetOptions | undefined;
  readonly isOver: boolean;
  readonly turns: readonly LedgerRecord[];
}

/**
 * What everybody has spent, read out of the turns in the store, each on its day: sessions that are over still count for their
 * key, their groups, their day and the total. Shares and limits that these had reached are not told again.
 */
export function restoredBudgetOf(
  spenders: readonly StoredSpender[],
  about: { readonly rules: BudgetRules; readonly today: string; readonly dayOf: (at: number) => string },
): PersistedBudget {
  const { rules, today, dayOf } = about;
  let ledger = openLedger(rules, today);
  for (const { id, key = null, groups, budget } of spenders) {
    ledger = join(ledger, { id, key, groups, rule: sessionRule(rules.session, budget) });
  }
  for (const { id, at, counted } of inOrder(spenders)) {
    ledger = spend(turnDay(ledger, at === UNREADABLE ? today : dayOf(at)), {
      id,
      settled: counted,
      open: NOTHING,
      hasTurn: false,
      isUnpriced: counted.isUnpriced,
    });
  }
  const spent = turnDay(ledger, today);
  const all = valuesOf(spent.accounts).map(({ scope }) => idOf(scope));
  const known = review(openLedger(rules, today), spent, all, null).ledger;
  return persistedBudget(spenders.filter(({ isOver }) => isOver).reduce((left, { id }) => leave(left, id), known));
}

function inOrder(spenders: readonly StoredSpender[]) {
  const turns = spenders.flatMap(({ id, turns: ledger }) =>
    ledger.flatMap((record) => {
      const counted = countedOfStored(record);
      return counted === undefined ? [] : [{ id, at: isMoment(record.at) ? record.at : UNREADABLE, counted }];
    }),
  );
  return turns.sort((one, other) => (one.at === other.at ? 0 : one.at - other.at));
}

/** A date can tell it, and the end of its day. What a damaged record says instead may be of any type. */
function isMoment(at: unknown): at is number {
  return typeof at === 'number' && Math.abs(at) < LAST_MOMENT;
}
