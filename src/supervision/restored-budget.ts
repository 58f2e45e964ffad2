import { NOTHING } from '../../machines/budget/amounts.ts';
import { type BudgetRules, idOf, join, leave, openLedger, spend, turnDay } from '../../machines/budget/ledger.ts';
import { type PersistedBudget, persistedBudget } from '../../machines/budget/restored-budget.ts';
import { valuesOf } from '../../machines/budget/shelf.ts';
import { review } from '../../machines/budget/verdict.ts';
import type { SessionBudgetOptions } from '../launch/budget-options.ts';
import { countedOfStored } from '../session/stored-turn.ts';
import type { LedgerRecord } from '../store/store-record.ts';
import { sessionRule } from './budget-rules.ts';

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
    ledger = spend(turnDay(ledger, dayOf(at)), {
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
      return counted === undefined ? [] : [{ id, at: record.at, counted }];
    }),
  );
  return turns.sort((one, other) => one.at - other.at);
}
