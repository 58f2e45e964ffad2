import type { CliMessage } from './cli-message.ts';
import type { Usage } from './facts.ts';
import { isRecord, stringOf } from './fields.ts';
import { usageOf } from './result-facts.ts';

/** What one answer of the model has used so far. Blocks of the same answer repeat it under the same id (R84). */
export interface MessageUsage {
  readonly id: string;
  readonly model: string | undefined;
  readonly usage: Usage;
}

/**
 * What a message tells of the tokens of its answer; undefined where it tells nothing. The answer is not finished yet: its
 * input is right, its output a beginning (WIRE §10).
 */
export function messageUsageOf(message: CliMessage): MessageUsage | undefined {
  if (message.type !== 'assistant') return undefined;
  const answer = message.value?.['message'];
  if (!isRecord(answer)) return undefined;
  const { usage } = answer;
  const id = stringOf(answer['id']);
  return id === undefined || !isRecord(usage)
    ? undefined
    : { id, model: stringOf(answer['model']), usage: usageOf(usage) };
}
