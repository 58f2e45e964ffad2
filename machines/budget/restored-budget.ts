import type { Amounts, Limits, Unit } from './amounts.ts';
import {
  type Account,
  type BudgetRules,
  idOf,
  type Ledger,
  openAccount,
  openLedger,
  type Scope,
  withRule,
} from './ledger.ts';
import { put, valuesOf } from './shelf.ts';

/** One account as JSON, without its rule: that is of the options, and theirs of today counts. */
export interface PersistedBudgetAccount {
  readonly scope: Scope;
  readonly spent: Amounts;
  readonly isUnpriced: boolean;
  /** Shares and limits that were told, and are not told again. */
  readonly warned: readonly Unit[];
  readonly reached: readonly Unit[];
  readonly raised: Limits;
}

/** What of the money outlives its host: all accounts, also of sessions; who works and which turns run is told anew. */
export interface PersistedBudget {
  readonly accounts: readonly PersistedBudgetAccount[];
}

export function persistedBudget({ accounts }: Ledger): PersistedBudget {
  return {
    accounts: valuesOf(accounts).map(({ scope, spent, isUnpriced, warned, reached, raised }) => {
      return { scope, spent, isUnpriced, warned, reached, raised };
    }),
  };
}

/**
 * The ledger as another host goes on with it, on that day: what was spent is spent, what was told is told. Sessions take up
 * their accounts when they join; a turn that ran when the host was lost has paid for what it told.
 */
export function restoredLedger({ accounts }: PersistedBudget, rules: BudgetRules, day: string): Ledger {
  const fresh = openLedger(rules, day);
  const kept = accounts.map((one): [string, Account] => {
    const rule = rules[one.scope.kind];
    return [idOf(one.scope), withRule({ ...openAccount(one.scope, rule), ...one }, rule)];
  });
  const idle = kept.filter(([, { scope }]) => scope.kind === 'key' || scope.kind === 'group').length;
  return { ...fresh, accounts: put(fresh.accounts, kept), idle };
}
