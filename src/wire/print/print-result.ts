import { CliMessage } from '../cli-message.ts';
import { isRecord, numberOf, stringOf } from '../fields.ts';

/** How the write-up names an end, and what the CLI says for it. */
const ENDS: ReadonlyMap<string, { readonly subtype: string; readonly reason?: string }> = new Map([
  ['error', { subtype: 'error_during_execution' }],
  ['max_turns_reached', { subtype: 'error_max_turns', reason: 'max_turns' }],
  ['budget_exceeded', { subtype: 'error_max_budget_usd', reason: 'budget_exhausted' }],
  ['user_cancelled', { subtype: 'error_during_execution', reason: 'aborted_streaming' }],
]);

/** Flat counts, and where they stand otherwise. */
const COUNTS = [
  ['input_tokens', 'input_tokens'],
  ['output_tokens', 'output_tokens'],
  ['cache_creation_tokens', 'cache_creation_input_tokens'],
  ['cache_read_tokens', 'cache_read_input_tokens'],
] as const;

/** A result of the write-up, or one of the CLI, as the end of these prompts; `said` is the last that the model said, `about` what else is known. */
export function printResult(
  message: CliMessage,
  said: string | undefined,
  uuids: readonly string[],
  about: Readonly<Record<string, unknown>> = {},
): CliMessage {
  const value = message.value ?? {};
  const told = stringOf(value['subtype']) ?? 'success';
  const end = ENDS.get(told);
  const subtype = end?.subtype ?? told;
  const isError = typeof value['is_error'] === 'boolean' ? value['is_error'] : subtype !== 'success';
  const { user_message_uuid: _one, user_message_uuids: _all, ...rest } = value;
  return CliMessage.translated(message.raw, {
    ...(said === undefined || isError ? {} : { result: said }),
    ...failure(value['error']),
    ...(end?.reason === undefined ? {} : { terminal_reason: end.reason }),
    ...rest,
    ...usageOf(value),
    ...about,
    type: 'result',
    subtype,
    is_error: isError,
    ...(uuids.length === 0 ? {} : { user_message_uuid: uuids[0], user_message_uuids: uuids }),
  });
}

/** `{ type, message, details }`, of one of the kinds `api_error`, `tool_error`, `permission_denied`, `validation_error`, `system_error`. */
function failure(error: unknown): Record<string, unknown> {
  if (typeof error === 'string') return { errors: [error] };
  if (!isRecord(error)) return {};
  const { type, message, details } = error;
  const words = [stringOf(type), stringOf(message)].filter((text) => text !== undefined).join(': ');
  const status = isRecord(details) ? (numberOf(details['status']) ?? numberOf(details['status_code'])) : undefined;
  return {
    errors: [words],
    ...(stringOf(type) === undefined ? {} : { terminal_reason: type }),
    ...(status === undefined ? {} : { api_error_status: status }),
  };
}

function usageOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (isRecord(value['usage'])) return {};
  const counts = COUNTS.flatMap(([flat, nested]) => {
    const count = numberOf(value[flat]);
    return count === undefined ? [] : [[nested, count]];
  });
  return counts.length === 0 ? {} : { usage: Object.fromEntries(counts) };
}
