import { limitsOf, type Unit } from './amounts.ts';
import { type Account, blockOf, idOf, type Ledger, type OnLimit, payersOf, type Scope } from './ledger.ts';
import { lookUp, put, valuesOf } from './shelf.ts';

interface Mark {
  readonly scope: Scope;
  readonly unit: Unit;
  readonly spent: number;
  readonly limit: number;
}

/** What follows from a change of the ledger: data, for whoever has hands. */
export type BudgetVerdict =
  | ({ readonly type: 'budget.warned'; readonly by: string | null } & Mark)
  | ({
      readonly type: 'budget.reached';
      readonly by: string | null;
      readonly onLimit: OnLimit;
      /** The sessions of the scope, in the order in which they joined. */
      readonly sessions: readonly string[];
    } & Mark)
  /** These sessions may have prompts again. */
  | { readonly type: 'budget.reopened'; readonly sessions: readonly string[] };

export interface Review {
  readonly ledger: Ledger;
  readonly verdicts: readonly BudgetVerdict[];
}

/**
 * Looks at the accounts after a change: each share and each limit is told once, and again only after it was raised or the
 * spending fell below it. `touched`: ids of the accounts that may have changed. `by`: the session whose spending it was.
 */
export function review(before: Ledger, after: Ledger, touched: readonly string[], by: string | null): Review {
  const verdicts: BudgetVerdict[] = [];
  const marked: [string, Account][] = [];
  for (const account of changedIn(before, after, touched)) {
    const marks = marksOf(account);
    for (const mark of marks.reached.filter(({ unit }) => !account.reached.includes(unit))) {
      const { onLimit } = account.rule;
      verdicts.push({ type: 'budget.reached', by, onLimit, sessions: payersOf(after, account.scope), ...mark });
    }
    for (const mark of marks.warned.filter(({ unit }) => !account.warned.includes(unit))) {
      // A limit that is reached needs no warning any more.
      if (!marks.reached.some(({ unit }) => unit === mark.unit)) verdicts.push({ type: 'budget.warned', by, ...mark });
    }
    const unitsOf = (list: readonly Mark[]) => list.map(({ unit }) => unit);
    const { warned, reached } = marks;
    marked.push([idOf(account.scope), { ...account, warned: unitsOf(warned), reached: unitsOf(reached) }]);
  }
  const ledger = { ...after, accounts: put(after.accounts, marked) };
  const sessions = reopened(before, ledger, touched);
  return { ledger, verdicts: sessions.length === 0 ? verdicts : [...verdicts, { type: 'budget.reopened', sessions }] };
}

function marksOf({ scope, rule, spent }: Account): { warned: Mark[]; reached: Mark[] } {
  const marks = limitsOf(rule.limits).map(([unit, limit]) => ({ scope, unit, limit, spent: spent[unit] }));
  return {
    warned: marks.filter((mark) => mark.spent >= mark.limit * rule.warnAt),
    reached: marks.filter((mark) => mark.spent >= mark.limit),
  };
}

function changedIn(before: Ledger, after: Ledger, touched: readonly string[]): Account[] {
  const accounts = touched.flatMap((id) => lookUp(after.accounts, id) ?? []);
  return accounts.filter((account) => lookUp(before.accounts, idOf(account.scope)) !== account);
}

/** Only where room was made somewhere: most spending makes none, and many sessions need not be asked. */
function reopened(before: Ledger, after: Ledger, touched: readonly string[]): string[] {
  if (before.day === after.day && !touched.some((id) => madeRoom(before, after, id))) return [];
  const ids = valuesOf(after.payers).map(({ id }) => id);
  return ids.filter((id) => blockOf(before, id) !== undefined && blockOf(after, id) === undefined);
}

function madeRoom(before: Ledger, after: Ledger, id: string): boolean {
  const [old, now] = [lookUp(before.accounts, id), lookUp(after.accounts, id)];
  if (old === undefined || now === undefined || now === old) return false;
  return limitsOf(now.rule.limits).some(([unit, limit]) => {
    const leftBefore = (old.rule.limits[unit] ?? limit) - old.spent[unit] - takenOf(old, unit);
    return limit - now.spent[unit] - takenOf(now, unit) > leftBefore;
  });
}

function takenOf({ running }: Account, unit: Unit): number {
  return unit === 'turns' ? running : 0;
}
