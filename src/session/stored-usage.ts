import type { Usage } from '../wire/facts.ts';
import { isRecord } from '../wire/fields.ts';
import type { ModelUsage } from './cost-meter.ts';
import { numberIn } from './stored-json.ts';

/** Tokens again. Unknown is undefined, never 0. */
export function usageOfStored(stored: unknown): Usage | undefined {
  if (!isRecord(stored)) return undefined;
  return {
    inputTokens: numberIn(stored, 'inputTokens'),
    outputTokens: numberIn(stored, 'outputTokens'),
    cacheReadTokens: numberIn(stored, 'cacheReadTokens'),
    cacheCreationTokens: numberIn(stored, 'cacheCreationTokens'),
  };
}

/** By the name of the model. */
export function modelsOfStored(stored: unknown): Readonly<Record<string, ModelUsage>> | undefined {
  if (!isRecord(stored)) return undefined;
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, model]) => {
      const usage = usageOfStored(model);
      return usage === undefined ? [] : [[name, { ...usage, costUsd: numberIn(model, 'costUsd') }]];
    }),
  );
}
