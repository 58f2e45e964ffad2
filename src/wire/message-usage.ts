import type { CliMessage } from './cli-message.ts';
import type { Usage } from './facts.ts';
import { isRecord, parseRecord, stringOf } from './fields.ts';
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
  const answer = (aroundContent(message) ?? message.value)?.['message'];
  if (!isRecord(answer)) return undefined;
  const { usage } = answer;
  const id = stringOf(answer['id']);
  return id === undefined || !isRecord(usage)
    ? undefined
    : { id, model: stringOf(answer['model']), usage: usageOf(usage) };
}

/** Where what the model says begins, and where it ends, in every release that was seen (WIRE §10). */
const CONTENT = Buffer.from('"content":[');
const CONTENT_END = Buffer.from('],"stop_reason":');

/**
 * The line without what the model says, which is nearly all of it. Undefined where it is written in another way: bare quotes stand
 * around names and texts only, so that both parts fit each other just when nothing but the list of blocks is missing.
 */
function aroundContent({ isTranslated, line }: CliMessage): Record<string, unknown> | undefined {
  if (isTranslated) return undefined;
  const start = line.indexOf(CONTENT) + CONTENT.length;
  const end = line.lastIndexOf(CONTENT_END);
  if (start < CONTENT.length || end < start) return undefined;
  const value = parseRecord(line.toString('utf8', 0, start) + line.toString('utf8', end));
  const answer = value?.['message'];
  return isRecord(answer) && Array.isArray(answer['content']) ? value : undefined;
}
