import type { Limits } from '../../machines/budget/amounts.ts';
import type { BudgetRule, BudgetRules } from '../../machines/budget/ledger.ts';
import type { BudgetOptions, SessionBudgetOptions } from '../launch/budget-options.ts';

const WARN_AT = 0.8;

/** The options as the ledger reads them: for each scope its limits and what follows. */
export function budgetRules(options: BudgetOptions): BudgetRules {
  const { warnAt = WARN_AT, onLimit = 'park' } = options;
  const rule = (usd?: number, tokens?: number, turns?: number): BudgetRule => ({
    limits: given({ usd, tokens, turns }),
    warnAt,
    onLimit,
  });
  return {
    session: rule(options.perSessionUsd, options.perSessionTokens, options.perSessionTurns),
    key: rule(options.perKeyUsd, options.perKeyTokens, options.perKeyTurns),
    group: rule(options.perGroupUsd, options.perGroupTokens, options.perGroupTurns),
    day: rule(options.perDayUsd, options.perDayTokens, options.perDayTurns),
    total: rule(options.maxUsd, options.maxTokens, options.maxTurns),
  };
}

/** What a session says of itself, before what is said of every session. */
export function sessionRule(general: BudgetRule, own: SessionBudgetOptions = {}): BudgetRule {
  const { maxUsd, maxTokens, maxTurns, warnAt = general.warnAt, onLimit = general.onLimit } = own;
  return {
    limits: { ...general.limits, ...given({ usd: maxUsd, tokens: maxTokens, turns: maxTurns }) },
    warnAt,
    onLimit,
  };
}

function given(limits: { readonly [Unit in keyof Limits]: number | undefined }): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}
