import type { Amounts } from '../../machines/budget/amounts.ts';
import type { LedgerRecord } from '../store/store-record.ts';
import { stringsOf } from '../wire/fields.ts';
import type { ModelUsage, Totals } from './cost-meter.ts';
import { asJson, numberIn, recordIn, textIn } from './stored-json.ts';
import { modelsOfStored, usageOfStored } from './stored-usage.ts';
import type { TurnRecord } from './turn-history.ts';

/** What budgets count of one turn. */
export interface CountedTurn extends Amounts {
  /** Some of it has no known price. */
  readonly isUnpriced: boolean;
}

/** What is remembered of a turn beside what `session.turns()` shows. */
export interface TurnMargin {
  readonly model: string | undefined;
  readonly counted: CountedTurn | undefined;
  /** Running totals of its process, by which the next turn is measured. */
  readonly totals: Totals | undefined;
}

/** A turn as a store keeps it: what it used, for everybody who adds up. */
export function storedTurnOf(turn: TurnRecord, { model, counted, totals }: TurnMargin): LedgerRecord {
  return {
    kind: 'ledger',
    id: `turn-${turn.number}`,
    at: turn.endedAt ?? turn.startedAt,
    ...(model === undefined ? {} : { model }),
    ...(turn.costUsd === undefined ? {} : { costUsd: turn.costUsd }),
    ...tokensOf(turn),
    details: asJson({ turn, counted, totals }),
  };
}

/** The turn again. Undefined for a record that says nothing of one. */
export function turnOfStored({ details }: LedgerRecord): TurnRecord | undefined {
  const turn = recordIn(details, 'turn');
  const number = numberIn(turn, 'number');
  if (turn === undefined || number === undefined) return undefined;
  const state = turn['state'];
  return {
    number,
    incarnation: numberIn(turn, 'incarnation') ?? 0,
    conversationId: textIn(turn, 'conversationId'),
    state: state === 'running' || state === 'ended' ? state : 'lost',
    startedAt: numberIn(turn, 'startedAt') ?? 0,
    endedAt: numberIn(turn, 'endedAt'),
    promptIds: stringsOf(turn['promptIds']),
    origin: textIn(turn, 'origin'),
    isError: turn['isError'] === true,
    costUsd: numberIn(turn, 'costUsd'),
    models: modelsOfStored(turn['models']),
    usage: usageOfStored(turn['usage']),
    durationMs: numberIn(turn, 'durationMs'),
  };
}

/** What budgets counted of it; undefined where nothing was counted. */
export function countedOfStored({ details }: LedgerRecord): CountedTurn | undefined {
  const counted = recordIn(details, 'counted');
  if (counted === undefined) return undefined;
  return {
    usd: numberIn(counted, 'usd') ?? 0,
    tokens: numberIn(counted, 'tokens') ?? 0,
    turns: numberIn(counted, 'turns') ?? 0,
    isUnpriced: counted['isUnpriced'] === true,
  };
}

export function totalsOfStored({ details }: LedgerRecord): Totals | undefined {
  const totals = recordIn(details, 'totals');
  if (totals === undefined) return undefined;
  return { costUsd: numberIn(totals, 'costUsd') ?? 0, models: modelsOfStored(totals['models']) ?? {} };
}

/** Those of subagents too, where they are told. */
function tokensOf({ models, usage }: TurnRecord): Pick<LedgerRecord, 'inputTokens' | 'outputTokens'> {
  const parts: readonly Partial<ModelUsage>[] = models === undefined ? [usage ?? {}] : Object.values(models);
  const sum = (name: 'inputTokens' | 'outputTokens') =>
    parts.reduce<number | undefined>((total, part) => {
      const value = part[name];
      return value === undefined ? total : (total ?? 0) + value;
    }, undefined);
  const inputTokens = sum('inputTokens');
  const outputTokens = sum('outputTokens');
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}
