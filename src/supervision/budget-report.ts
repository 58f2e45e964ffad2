import { limitsOf, type Unit } from '../../machines/budget/amounts.ts';
import { type Account, idOf, type Ledger, type ScopeKind } from '../../machines/budget/ledger.ts';
import { lookUp, valuesOf } from '../../machines/budget/shelf.ts';

/** What one scope has spent, and what it may. */
export interface LedgerEntry {
  /** The id of the session or group, the key, the date; empty for the total. */
  readonly name: string;
  /** Tokens: input, output and what was written to the cache. Turns: results. What runs at this moment is in it as far as it is known. */
  readonly spent: Readonly<Record<Unit, number>>;
  /** False: some of it has no known price, so it cost more dollars than `spent.usd` says. */
  readonly isUsdComplete: boolean;
  /** Of the units that are bounded. */
  readonly limits: Readonly<Partial<Record<Unit, number>>>;
  /** The largest share of a limit that is spent, 1 at the limit; undefined without limits. */
  readonly share: number | undefined;
}

/** What everybody has spent, as JSON. Of sessions the living ones; what the others spent is in the rest. */
export interface LedgerReport {
  readonly total: LedgerEntry;
  /** The present day. */
  readonly day: LedgerEntry;
  /** The newest 31 days of this supervisor on which something happened, oldest first. */
  readonly days: readonly LedgerEntry[];
  readonly keys: readonly LedgerEntry[];
  readonly groups: readonly LedgerEntry[];
  readonly sessions: readonly LedgerEntry[];
}

export function ledgerReport(ledger: Ledger): LedgerReport {
  const entriesOf = (kind: ScopeKind) =>
    valuesOf(ledger.accounts)
      .filter(({ scope }) => scope.kind === kind)
      .map(entryOf);
  return {
    total: entryFor(ledger, 'total', ''),
    day: entryFor(ledger, 'day', ledger.day),
    days: entriesOf('day'),
    keys: entriesOf('key'),
    groups: entriesOf('group'),
    sessions: entriesOf('session'),
  };
}

function entryFor(ledger: Ledger, kind: ScopeKind, name: string): LedgerEntry {
  const account = lookUp(ledger.accounts, idOf({ kind, name }));
  if (account === undefined) throw new Error(`The ledger has no account ${kind} "${name}".`);
  return entryOf(account);
}

function entryOf({ scope, spent, isUnpriced, rule }: Account): LedgerEntry {
  const shares = limitsOf(rule.limits).map(([unit, limit]) => spent[unit] / limit);
  return {
    name: scope.name,
    spent,
    isUsdComplete: !isUnpriced,
    limits: rule.limits,
    share: shares.length === 0 ? undefined : Math.max(...shares),
  };
}
