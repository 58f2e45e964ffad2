import { type Actor, createActor } from 'xstate';
import { limitsOf } from '../../machines/budget/amounts.ts';
import type { BudgetEvent, BudgetNotice } from '../../machines/budget/budget.events.ts';
import { budgetMachine } from '../../machines/budget/budget.machine.ts';
import {
  type Block,
  type BudgetRule,
  type BudgetRules,
  blockOf,
  idOf,
  isNews,
  type OnLimit,
  payersOf,
  type Scope,
} from '../../machines/budget/ledger.ts';
import type { PersistedBudget } from '../../machines/budget/restored-budget.ts';
import { lookUp, valuesOf } from '../../machines/budget/shelf.ts';
import type { Parking } from '../../machines/child/child.context.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { BudgetOptions, RaiseAmounts, SessionBudgetOptions } from '../launch/budget-options.ts';
import type { Barrier } from '../session/parking-place.ts';
import { PriceTable } from '../session/price-table.ts';
import { Spending, type UsageNews } from '../session/spending.ts';
import type { SessionFact } from '../store/session-event.ts';
import { type LedgerReport, ledgerReport } from './budget-report.ts';
import { budgetRules, sessionRule } from './budget-rules.ts';
import { blockNote, scopeWords } from './budget-words.ts';
import { Calendar } from './calendar-day.ts';
import { restoredBudgetOf, type StoredSpender } from './restored-budget.ts';

/** A session, as the budget deals with it. */
export interface BudgetHands {
  readonly tell: (fact: SessionFact) => void;
  readonly parking: () => Parking | null;
  readonly park: (parking: Parking) => void;
  readonly unpark: () => void;
  readonly interrupt: (reason: TroupeError) => void;
  readonly kill: (reason: TroupeError) => void;
}

/** What a session needs of the budget before it is built. */
export interface BudgetSeat {
  readonly spending: Spending;
  readonly barrier: Barrier;
}

interface Member {
  readonly hands: () => BudgetHands | undefined;
}

/** Models without a price that were told of; each once. */
const MODELS_TOLD = 1_000;

/** Keeps the ledger of all sessions and does what its machine says. The machine decides, at once; hands follow. */
export class BudgetDesk {
  readonly #clock: Clock;
  readonly #calendar: Calendar;
  readonly #prices: PriceTable | undefined;
  readonly #rules: BudgetRules;
  readonly #inspect: ((event: unknown) => void) | undefined;
  #actor: Actor<typeof budgetMachine>;
  readonly #members = new Map<string, Member>();
  /** Sessions that the budget has parked, in the order in which it did. */
  readonly #held = new Set<string>();
  readonly #toldModels = new Set<string>();
  #notices: BudgetNotice[] = [];
  /** Something has a limit: without any nothing stands in anybody's way, and each start and each prompt asks. */
  #isBounded: boolean;

  constructor(options: { budget: BudgetOptions; clock: Clock; inspect: ((event: unknown) => void) | undefined }) {
    const { budget, clock, inspect } = options;
    this.#clock = clock;
    this.#calendar = new Calendar(budget.timeZone ?? 'UTC');
    this.#prices = budget.prices === undefined ? undefined : new PriceTable(budget.prices);
    this.#rules = budgetRules(budget);
    this.#isBounded = Object.values(this.#rules).some(isBounded);
    this.#inspect = inspect;
    this.#actor = this.#begin();
  }

  /** What the sessions of the store have spent: called before the first of them is here. */
  restore(spenders: readonly StoredSpender[]): void {
    if (spenders.length === 0) return;
    const dayOf = (at: number) => this.#calendar.dayAt(at).name;
    const about = { rules: this.#rules, today: dayOf(this.#clock.now()), dayOf };
    this.#isBounded = true;
    this.#actor.stop();
    this.#actor = this.#begin(restoredBudgetOf(spenders, about));
  }

  /**
   * A session begins to spend. `hands` are asked for when something is to be done. Throws BUDGET_REACHED where a budget
   * that ends its sessions has nothing left for it.
   */
  seat(
    id: string,
    about: { key: string | undefined; groups: readonly string[]; budget: SessionBudgetOptions | undefined },
    hands: () => BudgetHands | undefined,
  ): BudgetSeat {
    const { key = null, groups } = about;
    const rule = sessionRule(this.#ledger.rules.session, about.budget);
    this.#isBounded ||= isBounded(rule);
    this.#send({ type: 'payer.joined', id, key, groups, rule });
    const block = this.#blockOf(id);
    if (block?.onLimit === 'kill' && !block.isTaken) {
      this.#send({ type: 'payer.left', id });
      throw exceeded(block);
    }
    this.#members.set(id, { hands });
    return {
      spending: new Spending({ prices: this.#prices, tell: (news) => this.#spent(id, news) }),
      barrier: () => this.#obstacleOf(id),
    };
  }

  leave(id: string): void {
    this.#members.delete(id);
    this.#held.delete(id);
    this.#send({ type: 'payer.left', id });
  }

  /** Throws INVALID_OPTIONS where that scope does not exist, or has no limit of that unit. */
  raise(scope: Scope, amounts: RaiseAmounts): void {
    this.#followCalendar();
    const named = scope.kind === 'day' ? { ...scope, name: this.#ledger.day } : scope;
    const account = lookUp(this.#ledger.accounts, idOf(named));
    if (account === undefined) throw unusable('scope', `there is no ${scopeWords(named)} that spends`);
    for (const [unit] of limitsOf(amounts)) {
      if (account.rule.limits[unit] !== undefined) continue;
      throw unusable(`amounts.${unit}`, `${scopeWords(named)} has no limit of ${unit} that could be raised`);
    }
    this.#send({ type: 'budget.raise', scope: named, amounts });
  }

  ledger(): LedgerReport {
    this.#followCalendar();
    return ledgerReport(this.#ledger);
  }

  close(): void {
    this.#send({ type: 'budget.close' });
  }

  #begin(restored?: PersistedBudget): Actor<typeof budgetMachine> {
    const at = this.#clock.now();
    const day = this.#calendar.dayAt(at);
    const actor = createActor(budgetMachine, {
      input: { rules: this.#rules, day, at, ...(restored === undefined ? {} : { restored }) },
      clock: this.#clock,
      ...(this.#inspect === undefined ? {} : { inspect: this.#inspect }),
    });
    for (const type of ['budget.warned', 'budget.reached', 'budget.reopened'] as const) {
      actor.on(type, (notice) => this.#notices.push(notice));
    }
    actor.on('day.wanted', () => queueMicrotask(() => this.#tellDay()));
    return actor.start();
  }

  get #ledger() {
    return this.#actor.getSnapshot().context.ledger;
  }

  #spent(id: string, { unpricedModel, ...news }: UsageNews): void {
    if (unpricedModel !== undefined) this.#tellUnpriced(id, unpricedModel);
    this.#followCalendar();
    // Each prompt of each session passes here: where nothing can follow, the machine is not asked.
    if (isNews(this.#ledger, { id, ...news })) this.#send({ type: 'usage.told', at: this.#clock.now(), id, ...news });
  }

  #obstacleOf(id: string): Parking | undefined {
    this.#followCalendar();
    const block = this.#blockOf(id);
    if (block === undefined) return undefined;
    this.#held.add(id);
    return this.#parkingFor(block);
  }

  #parkingFor(block: Block): Parking {
    const { day } = this.#actor.getSnapshot().context;
    const until = block.scope.kind === 'day' && !block.isTaken ? day.endsAt : null;
    return { reason: 'budget', until, note: blockNote(block) };
  }

  #blockOf(id: string): Block | undefined {
    return this.#isBounded ? blockOf(this.#ledger, id) : undefined;
  }

  /** Nothing is spent on a day that is over. */
  #followCalendar(): void {
    if (this.#clock.now() >= this.#actor.getSnapshot().context.day.endsAt) this.#tellDay();
  }

  #tellDay(): void {
    const at = this.#clock.now();
    const { day } = this.#actor.getSnapshot().context;
    // A clock that was set back makes no day come again.
    this.#send({ type: 'day.told', at, day: at < day.endsAt ? day : this.#calendar.dayAt(at) });
  }

  #send(event: BudgetEvent): void {
    if (this.#actor.getSnapshot().status !== 'active') return;
    this.#actor.send(event);
    // What follows is told only now: the ledger must already say the same.
    const notices = this.#notices;
    this.#notices = [];
    for (const notice of notices) this.#follow(notice);
  }

  #follow(notice: BudgetNotice): void {
    if (notice.type === 'budget.reopened') this.#letGoOn(notice.sessions);
    if (notice.type === 'budget.warned' || notice.type === 'budget.reached') {
      const { type, by, scope, unit, spent, limit } = notice;
      const mark = { scope: scope.kind, name: scope.name, unit, spent, limit };
      const fact: SessionFact =
        notice.type === 'budget.reached'
          ? { type: 'budget.reached', ...mark, onLimit: notice.onLimit }
          : { type: 'budget.warned', ...mark };
      if (by !== null) this.#handsOf(by)?.tell(fact);
      if (type === 'budget.reached') this.#stop(notice.sessions, notice.onLimit);
    }
  }

  /** After the message that said so was dealt with: nothing goes out meanwhile, because each prompt asks first. */
  #stop(ids: readonly string[], onLimit: OnLimit): void {
    queueMicrotask(() => {
      for (const id of ids) {
        const block = this.#blockOf(id);
        const hands = this.#handsOf(id);
        if (block === undefined || block.isTaken || hands === undefined) continue;
        if (onLimit === 'kill') {
          hands.kill(exceeded(block));
          continue;
        }
        this.#held.add(id);
        if (hands.parking() === null) hands.park(this.#parkingFor(block));
        if (onLimit === 'interrupt') hands.interrupt(exceeded(block));
      }
    });
  }

  #letGoOn(ids: readonly string[]): void {
    const free = new Set(ids);
    const inOrder = [...this.#held].filter((id) => free.has(id));
    for (const id of inOrder) this.#held.delete(id);
    queueMicrotask(() => {
      for (const id of inOrder) {
        const hands = this.#handsOf(id);
        // Those before it may have taken what there was.
        if (hands?.parking()?.reason !== 'budget') continue;
        if (this.#blockOf(id) === undefined) hands.unpark();
        else this.#held.add(id);
      }
    });
  }

  /** A limit in dollars cannot bind what has no price: that is said, once for each model. */
  #tellUnpriced(id: string, model: string): void {
    const scopes = valuesOf(this.#ledger.accounts).filter(({ rule }) => rule.limits.usd !== undefined);
    const isBound = scopes.some(({ scope }) => payersOf(this.#ledger, scope).includes(id));
    if (!isBound || this.#toldModels.has(model) || this.#toldModels.size >= MODELS_TOLD) return;
    this.#toldModels.add(model);
    this.#handsOf(id)?.tell({ type: 'budget.unpriced', model });
  }

  #handsOf(id: string): BudgetHands | undefined {
    return this.#members.get(id)?.hands();
  }
}

function isBounded({ limits }: BudgetRule): boolean {
  return limitsOf(limits).length > 0;
}

function exceeded(block: Block): TroupeError {
  const { scope, unit, spent, limit } = block;
  const details = { scope: scope.kind, name: scope.name, unit, spent, limit };
  return new TroupeError('BUDGET_REACHED', { reason: blockNote(block), details });
}

function unusable(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_OPTIONS', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
