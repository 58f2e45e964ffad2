import type { Limits } from './amounts.ts';
import type { NewPayer, Scope, Spending } from './ledger.ts';
import type { BudgetVerdict } from './verdict.ts';

/** A calendar day of the time zone in which days are counted. */
export interface Day {
  /** `2026-11-28`. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly endsAt: number;
}

export type BudgetEvent =
  | ({ type: 'payer.joined' } & NewPayer)
  | { type: 'payer.left'; id: string }
  | ({ type: 'usage.told'; at: number } & Spending)
  /** The present moment and its day: asked for with `day.wanted`, and told before anything that is spent on another day. */
  | { type: 'day.told'; day: Day; at: number }
  | { type: 'budget.raise'; scope: Scope; amounts: Limits }
  | { type: 'budget.close' };

export type BudgetNotice = BudgetVerdict | { type: 'day.wanted' };

export const BUDGET_STATES = ['counting', 'day-spent', 'closed'] as const;
export type BudgetStateName = (typeof BUDGET_STATES)[number];
