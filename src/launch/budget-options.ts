import { z } from 'zod';
import type { Agrees } from './field-schemas.ts';

/** What follows when a limit is reached. */
export type OnBudgetLimit = 'park' | 'interrupt' | 'kill';

/** What a session may spend over all its processes. */
export interface SessionBudgetOptions {
  /** US dollars. Default: no limit. */
  readonly maxUsd?: number;
  /** Input, output and what is written to the cache; what is read from the cache does not count. Default: no limit. */
  readonly maxTokens?: number;
  /** Results of the CLI, unprompted turns included. Default: no limit. */
  readonly maxTurns?: number;
  /** The share of a limit, above 0 and at most 1, at which `budget.warned` is told. Default 0.8. */
  readonly warnAt?: number;
  /**
   * At the limit: `park` (default) lets the turn that runs end, then ends the process and keeps the session with its prompts
   * until the budget is raised. `interrupt` stops the turn, too. `kill` ends the session with its process tree at once.
   */
  readonly onLimit?: OnBudgetLimit;
}

/** Prices of one model in US dollars for a million tokens. */
export interface ModelPrice {
  readonly inputPerMTok: number;
  readonly outputPerMTok: number;
  /** Default: as input. */
  readonly cacheReadPerMTok?: number;
  /** Default: as input. */
  readonly cacheWritePerMTok?: number;
}

/** What the sessions of a supervisor may spend: together, each, and together with others of the same key, group or day. */
export interface BudgetOptions extends SessionBudgetOptions {
  readonly perSessionUsd?: number;
  readonly perSessionTokens?: number;
  readonly perSessionTurns?: number;
  /** All sessions with the same `key`. */
  readonly perKeyUsd?: number;
  readonly perKeyTokens?: number;
  readonly perKeyTurns?: number;
  /** All sessions of the same group, with those of the groups in it. */
  readonly perGroupUsd?: number;
  readonly perGroupTokens?: number;
  readonly perGroupTurns?: number;
  /** All sessions on the same calendar day. */
  readonly perDayUsd?: number;
  readonly perDayTokens?: number;
  readonly perDayTurns?: number;
  /** Where a day begins and ends, such as `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string;
  /**
   * Your own prices by model, `*` for any characters; the first that fits counts. They replace what the CLI says, also in
   * the middle of a turn. A model that none of them fits has no price. Default: what the CLI says after each turn.
   */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
}

const MAX_TOKENS = 1e15;
const MAX_USD = 1e6;

const Usd = z.custom<number>(
  (value) => typeof value === 'number' && value > 0 && value <= MAX_USD,
  `must be a number of US dollars above 0 and at most ${MAX_USD}`,
);
const Count = z.custom<number>(
  (value) => typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_TOKENS,
  `must be a whole number above 0 and at most ${MAX_TOKENS}`,
);
const Price = z.custom<number>(
  (value) => typeof value === 'number' && value >= 0 && value <= MAX_USD,
  'must be a number of US dollars for a million tokens, 0 or more',
);

export const SessionBudgetShape = {
  maxUsd: Usd.exactOptional(),
  maxTokens: Count.exactOptional(),
  maxTurns: Count.exactOptional(),
  warnAt: z.number().gt(0, 'must be above 0 and at most 1').max(1, 'must be above 0 and at most 1').exactOptional(),
  onLimit: z.enum(['park', 'interrupt', 'kill']).exactOptional(),
};

const PriceShape = {
  inputPerMTok: Price,
  outputPerMTok: Price,
  cacheReadPerMTok: Price.exactOptional(),
  cacheWritePerMTok: Price.exactOptional(),
};

export const BudgetShape = {
  ...SessionBudgetShape,
  perSessionUsd: Usd.exactOptional(),
  perSessionTokens: Count.exactOptional(),
  perSessionTurns: Count.exactOptional(),
  perKeyUsd: Usd.exactOptional(),
  perKeyTokens: Count.exactOptional(),
  perKeyTurns: Count.exactOptional(),
  perGroupUsd: Usd.exactOptional(),
  perGroupTokens: Count.exactOptional(),
  perGroupTurns: Count.exactOptional(),
  perDayUsd: Usd.exactOptional(),
  perDayTokens: Count.exactOptional(),
  perDayTurns: Count.exactOptional(),
  timeZone: z.string().refine(isTimeZone, 'must be a time zone such as "UTC" or "Europe/Berlin"').exactOptional(),
  prices: z.record(z.string().min(1), z.strictObject(PriceShape)).exactOptional(),
};

/** More for a budget: added to what its limits are. */
export interface RaiseAmounts {
  readonly usd?: number;
  readonly tokens?: number;
  readonly turns?: number;
}

export const RaiseShape = { usd: Usd.exactOptional(), tokens: Count.exactOptional(), turns: Count.exactOptional() };

true satisfies Agrees<z.infer<z.ZodObject<typeof RaiseShape>>, RaiseAmounts>;
true satisfies Agrees<z.infer<z.ZodObject<typeof SessionBudgetShape>>, SessionBudgetOptions>;
true satisfies Agrees<z.infer<z.ZodObject<typeof BudgetShape>>, BudgetOptions>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
