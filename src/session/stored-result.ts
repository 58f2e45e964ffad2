import type { PromptOutcome } from '../store/session-event.ts';
import type { Json } from '../store/store-record.ts';
import { isRecord, stringsOf } from '../wire/fields.ts';
import { errorOfStored, storedErrorOf } from './stored-error.ts';
import { asJson, numberIn, textIn } from './stored-json.ts';
import { modelsOfStored, usageOfStored } from './stored-usage.ts';
import type { TurnResult } from './turn-result.ts';

/** How a turn ended, as a store keeps it. */
export function storedResultOf(result: TurnResult): Json {
  const { error, ...rest } = result;
  return asJson({ ...rest, ...(error === undefined ? {} : { error: storedErrorOf(error) }) });
}

/** The result again, for who asks for the prompt after a restart of everything. */
export function resultOfStored(stored: unknown, about: { id: string; outcome: PromptOutcome }): TurnResult {
  const promptIds = isRecord(stored) ? stringsOf(stored['promptIds']) : [];
  return {
    outcome: about.outcome,
    text: textIn(stored, 'text'),
    error: errorOfStored(isRecord(stored) ? stored['error'] : undefined),
    usage: usageOfStored(isRecord(stored) ? stored['usage'] : undefined),
    costUsd: numberIn(stored, 'costUsd'),
    models: modelsOfStored(isRecord(stored) ? stored['models'] : undefined),
    durationMs: numberIn(stored, 'durationMs'),
    promptIds: promptIds.length === 0 ? [about.id] : promptIds,
    permissionDenials: numberIn(stored, 'permissionDenials') ?? 0,
    structuredOutput: isRecord(stored) ? stored['structuredOutput'] : undefined,
    conversationId: textIn(stored, 'conversationId'),
  };
}
