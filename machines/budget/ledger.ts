import { type Amounts, type Limits, limitsOf, minus, NOTHING, plus, UNITS, type Unit } from './amounts.ts';
import { drop, emptyShelf, entriesOf, lookUp, put, type Shelf, valuesOf } from './shelf.ts';

export type ScopeKind = 'session' | 'key' | 'group' | 'day' | 'total';
/** Whose money it is. `name`: the id, the key, the group or the date; empty for the total. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly name: string;
}

/** What follows a limit: the turns that run may end, the turns that run are stopped, or the sessions end. */
export type OnLimit = 'park' | 'interrupt' | 'kill';

export interface BudgetRule {
  readonly limits: Limits;
  /** The share of a limit at which is warned. */
  readonly warnAt: number;
  readonly onLimit: OnLimit;
}

export type BudgetRules = Readonly<Record<ScopeKind, BudgetRule>>;

export interface Account {
  readonly scope: Scope;
  readonly rule: BudgetRule;
  readonly spent: Amounts;
  /** Some of it has no known price: its dollars are more than `spent` says. */
  readonly isUnpriced: boolean;
  /** Turns that run, and are not yet among those spent. */
  readonly running: number;
  readonly warned: readonly Unit[];
  readonly reached: readonly Unit[];
  /** What was added to the limits of the options by hand. */
  readonly raised: Limits;
  /** Sessions that pay into it; of the day and the total nobody counts them. */
  readonly payers: number;
}

/** A session that spends. */
export interface Payer {
  readonly id: string;
  /** Ids of its accounts; the one of the day is not named. */
  readonly accounts: readonly string[];
  /** What its running turn has used so far; already in `spent`. */
  readonly open: Amounts;
  readonly hasTurn: boolean;
}

export interface Ledger {
  readonly rules: BudgetRules;
  readonly day: string;
  /** By `idOf` their scope. */
  readonly accounts: Shelf<Account>;
  /** By the id of their own account, in the order in which they joined. */
  readonly payers: Shelf<Payer>;
  /** Accounts of keys and groups that nobody works for. */
  readonly idle: number;
}

export interface NewPayer {
  readonly id: string;
  readonly key: string | null;
  /** From the outermost. */
  readonly groups: readonly string[];
  readonly rule: BudgetRule;
}

export interface Spending {
  readonly id: string;
  /** What has become final since it was told last. */
  readonly settled: Amounts;
  /** What the turn that runs has used so far: it replaces what was told before. */
  readonly open: Amounts;
  readonly hasTurn: boolean;
  readonly isUnpriced: boolean;
}

/** Why a session gets no prompt now. */
export interface Block {
  readonly scope: Scope;
  readonly unit: Unit;
  readonly spent: number;
  readonly limit: number;
  readonly onLimit: OnLimit;
  /** Nothing is used up: turns that run have taken what is left. */
  readonly isTaken: boolean;
}

/** Accounts of keys and of groups nobody works for any more; older ones are forgotten, some at a time. */
export const IDLE_ACCOUNTS_KEPT = 1_000;
const FORGOTTEN_AT_ONCE = 100;
const DAYS_KEPT = 31;

export function idOf({ kind, name }: Scope): string {
  return `${kind}:${name}`;
}

export function openLedger(rules: BudgetRules, day: string): Ledger {
  const total: Scope = { kind: 'total', name: '' };
  const accounts = [openAccount(total, rules.total), openAccount({ kind: 'day', name: day }, rules.day)];
  return { rules, day, payers: emptyShelf(), accounts: put(emptyShelf(), named(accounts)), idle: 0 };
}

/**
 * A session begins to spend; one that comes again under the same id begins at nothing, unless another host left its account
 * here.
 */
export function join(ledger: Ledger, { id, key, groups, rule }: NewPayer): Ledger {
  const shared: Scope[] = [
    ...(key === null ? [] : [{ kind: 'key', name: key } as const]),
    ...groups.map((name) => ({ kind: 'group', name }) as const),
  ];
  const own: Scope = { kind: 'session', name: id };
  const former = lookUp(ledger.payers, idOf(own));
  const before = former === undefined ? ledger : withPayer(ledger, former, -1);
  const known = shared.map(
    (scope) => lookUp(before.accounts, idOf(scope)) ?? openAccount(scope, before.rules[scope.kind]),
  );
  const left = former === undefined ? lookUp(before.accounts, idOf(own)) : undefined;
  const opened = [left === undefined ? openAccount(own, rule) : withRule(left, rule), ...known];
  const accounts = [...opened.map(({ scope }) => idOf(scope)), idOf({ kind: 'total', name: '' })];
  const payer: Payer = { id, accounts, open: NOTHING, hasTurn: false };
  const fresh = opened.filter(({ scope }) => isShared(scope) && lookUp(before.accounts, idOf(scope)) === undefined);
  const joined = {
    ...before,
    accounts: put(before.accounts, named(opened)),
    payers: put(before.payers, [[idOf(own), payer]]),
    idle: before.idle + fresh.length,
  };
  return withPayer(joined, payer, 1);
}

/** A session is over. What it spent stays with its key, its groups, the day and the total. */
export function leave(ledger: Ledger, id: string): Ledger {
  const own = idOf({ kind: 'session', name: id });
  const payer = lookUp(ledger.payers, own);
  if (payer === undefined) return ledger;
  const left = withPayer(payer.hasTurn ? withRunning(ledger, payer, -1) : ledger, payer, -1);
  return forgetIdle({ ...left, payers: drop(left.payers, [own]), accounts: drop(left.accounts, [own]) });
}

export function spend(ledger: Ledger, { id, settled, open, hasTurn, isUnpriced }: Spending): Ledger {
  const own = idOf({ kind: 'session', name: id });
  const payer = lookUp(ledger.payers, own);
  if (payer === undefined) return ledger;
  const added = minus(plus(settled, open), payer.open);
  const running = Number(hasTurn) - Number(payer.hasTurn);
  const changed = accountsOf(ledger, payer).map((account) => ({
    ...account,
    spent: plus(account.spent, added),
    running: account.running + running,
    isUnpriced: account.isUnpriced || isUnpriced,
  }));
  const payers = put(ledger.payers, [[own, { ...payer, open, hasTurn }]]);
  return { ...ledger, accounts: put(ledger.accounts, named(changed)), payers };
}

/** Whether that changes anything: that a turn runs is asked for only where turns have a limit. */
export function isNews(ledger: Ledger, { id, settled, open, isUnpriced }: Spending): boolean {
  const payer = lookUp(ledger.payers, idOf({ kind: 'session', name: id }));
  if (payer === undefined) return false;
  const added = minus(plus(settled, open), payer.open);
  if (isUnpriced || UNITS.some((unit) => added[unit] !== 0 || open[unit] !== payer.open[unit])) return true;
  return accountsOf(ledger, payer).some(({ rule }) => rule.limits.turns !== undefined);
}

/** Adds to the limits of a scope; a unit without a limit stays without. */
export function raise(ledger: Ledger, scope: Scope, amounts: Limits): Ledger {
  const account = lookUp(ledger.accounts, idOf(scope));
  if (account === undefined) return ledger;
  const rule = { ...account.rule, limits: sumOf(account.rule.limits, amounts) };
  const added = limitsOf(account.rule.limits).map(([unit]) => [unit, amounts[unit] ?? 0] as const);
  const raised = { ...account.raised, ...sumOf(Object.fromEntries(added), account.raised) };
  return { ...ledger, accounts: put(ledger.accounts, named([{ ...account, rule, raised }])) };
}

/** The account under the rule of the options of today, with what was added by hand before. */
export function withRule(account: Account, rule: BudgetRule): Account {
  return { ...account, rule: { ...rule, limits: sumOf(rule.limits, account.raised) } };
}

/** Another day: its account begins at nothing. A turn over midnight pays each day what it used then. */
export function turnDay(ledger: Ledger, day: string): Ledger {
  if (day === ledger.day) return ledger;
  const scope: Scope = { kind: 'day', name: day };
  const fresh = lookUp(ledger.accounts, idOf(scope)) ?? openAccount(scope, ledger.rules.day);
  const running = valuesOf(ledger.payers).filter(({ hasTurn }) => hasTurn).length;
  const accounts = put(ledger.accounts, named([{ ...fresh, running }]));
  const days = entriesOf(accounts).filter(([id]) => id.startsWith('day:'));
  const old = days.slice(0, Math.max(0, days.length - DAYS_KEPT)).map(([id]) => id);
  return { ...ledger, day, accounts: drop(accounts, old) };
}

/** Why the session gets no prompt now; undefined when it may have one. */
export function blockOf(ledger: Ledger, id: string): Block | undefined {
  const payer = lookUp(ledger.payers, idOf({ kind: 'session', name: id }));
  if (payer === undefined) return undefined;
  const blocks = accountsOf(ledger, payer).flatMap((account) => blocksIn(account, payer));
  // What is used up says more than what is only taken.
  return blocks.find(({ isTaken }) => !isTaken) ?? blocks[0];
}

function accountsOf(ledger: Ledger, payer: Payer): Account[] {
  return accountIdsOf(ledger, payer.id).flatMap((id) => lookUp(ledger.accounts, id) ?? []);
}

/** Of all accounts into which the session pays; none for one that is not known. */
export function accountIdsOf(ledger: Ledger, id: string): string[] {
  const payer = lookUp(ledger.payers, idOf({ kind: 'session', name: id }));
  return payer === undefined ? [] : [...payer.accounts, idOf({ kind: 'day', name: ledger.day })];
}

/** The sessions that pay into the account, in the order in which they joined. */
export function payersOf(ledger: Ledger, { kind, name }: Scope): string[] {
  const isOfAll = kind === 'total' || (kind === 'day' && name === ledger.day);
  const payers = valuesOf(ledger.payers);
  return payers
    .filter(({ accounts }) => isOfAll || accounts.includes(idOf({ kind, name })))
    .map(({ id: payerId }) => payerId);
}

export function openAccount(scope: Scope, rule: BudgetRule): Account {
  return { scope, rule, spent: NOTHING, isUnpriced: false, running: 0, warned: [], reached: [], raised: {}, payers: 0 };
}

/** Of the units that are bounded. */
function sumOf(limits: Limits, amounts: Limits): Limits {
  return Object.fromEntries(limitsOf(limits).map(([unit, limit]) => [unit, limit + (amounts[unit] ?? 0)] as const));
}

function blocksIn({ scope, rule, spent, running }: Account, payer: Payer): Block[] {
  return limitsOf(rule.limits).flatMap(([unit, limit]) => {
    const isSpent = spent[unit] >= limit;
    // A prompt opens a turn, unless one runs that takes it up.
    const isTaken = unit === 'turns' && !payer.hasTurn && spent.turns + running >= limit;
    if (!isSpent && !isTaken) return [];
    return [{ scope, unit, spent: spent[unit], limit, onLimit: rule.onLimit, isTaken: !isSpent }];
  });
}

function withRunning(ledger: Ledger, payer: Payer, change: number): Ledger {
  const changed = accountsOf(ledger, payer).map((account) => ({ ...account, running: account.running + change }));
  return { ...ledger, accounts: put(ledger.accounts, named(changed)) };
}

/** The payer's keys and groups have it, or have it no more. */
function withPayer(ledger: Ledger, payer: Payer, change: 1 | -1): Ledger {
  const shared = payer.accounts
    .flatMap((id) => lookUp(ledger.accounts, id) ?? [])
    .filter(({ scope }) => isShared(scope));
  const changed = shared.map((account) => ({ ...account, payers: account.payers + change }));
  const idle = changed.filter(({ payers }) => payers === (change === 1 ? 1 : 0)).length * change;
  return { ...ledger, accounts: put(ledger.accounts, named(changed)), idle: ledger.idle - idle };
}

function forgetIdle(ledger: Ledger): Ledger {
  if (ledger.idle < IDLE_ACCOUNTS_KEPT + FORGOTTEN_AT_ONCE) return ledger;
  const idle = valuesOf(ledger.accounts).filter(({ scope, payers }) => isShared(scope) && payers === 0);
  const old = idle.slice(0, Math.max(0, idle.length - IDLE_ACCOUNTS_KEPT)).map(({ scope }) => idOf(scope));
  return { ...ledger, accounts: drop(ledger.accounts, old), idle: idle.length - old.length };
}

function isShared({ kind }: Scope): boolean {
  return kind === 'key' || kind === 'group';
}

function named(accounts: readonly Account[]): (readonly [string, Account])[] {
  return accounts.map((account) => [idOf(account.scope), account]);
}
