import type { ResultFacts, Usage } from './facts.ts';
import { isRecord, numberOf, recordsOf, stringOf, stringsOf } from './fields.ts';

/** Reads a `result` line; every field may be missing or malformed. */
export function resultFacts(value: Record<string, unknown>): ResultFacts {
  const { usage, modelUsage, model_usage_since_last_result: added, origin, permission_denials: denials } = value;
  const subtype = stringOf(value['subtype']) ?? 'unknown';
  const uuids = [...stringsOf([value['user_message_uuid']]), ...stringsOf(value['user_message_uuids'])];
  return {
    subtype,
    isError: typeof value['is_error'] === 'boolean' ? value['is_error'] : subtype !== 'success',
    text: stringOf(value['result']),
    errors: stringsOf(value['errors']),
    terminalReason: stringOf(value['terminal_reason']),
    apiErrorStatus: numberOf(value['api_error_status']),
    promptUuids: [...new Set(uuids)],
    origin: isRecord(origin) ? stringOf(origin['kind']) : undefined,
    conversationId: stringOf(value['session_id']) || undefined,
    totalCostUsd: numberOf(value['total_cost_usd']),
    usage: isRecord(usage) ? usageOf(usage) : undefined,
    modelUsage: isRecord(modelUsage) ? modelUsageOf(modelUsage) : undefined,
    modelUsageAdded: isRecord(added) ? modelUsageOf(added) : undefined,
    turns: numberOf(value['num_turns']),
    durationMs: numberOf(value['duration_ms']),
    permissionDenials: recordsOf(denials).length,
    structuredOutput: value['structured_output'],
  };
}

export function usageOf(usage: Record<string, unknown>): Usage {
  return {
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    cacheReadTokens: numberOf(usage['cache_read_input_tokens']),
    cacheCreationTokens: numberOf(usage['cache_creation_input_tokens']),
  };
}

/** Models are spelt in camel case by the CLI itself, unlike everything else in a result. */
function modelUsageOf(models: Record<string, unknown>): NonNullable<ResultFacts['modelUsage']> {
  const entries = Object.entries(models).flatMap(([model, usage]) => {
    if (!isRecord(usage)) return [];
    const facts = {
      inputTokens: numberOf(usage['inputTokens']),
      outputTokens: numberOf(usage['outputTokens']),
      cacheReadTokens: numberOf(usage['cacheReadInputTokens']),
      cacheCreationTokens: numberOf(usage['cacheCreationInputTokens']),
      costUsd: numberOf(usage['costUSD']),
    };
    return [[model, facts] as const];
  });
  return Object.fromEntries(entries);
}
