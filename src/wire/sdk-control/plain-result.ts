import { CliMessage } from '../cli-message.ts';
import { numberOf, stringOf } from '../fields.ts';

/** A result that counts its tokens flat, and says nothing of how it ended, nor what was said, where all is well. */
export function plainResult(message: CliMessage, said: string | undefined): CliMessage {
  const { value } = message;
  if (value === undefined || (value['usage'] !== undefined && value['subtype'] !== undefined)) return message;
  const { total_input_tokens: input, total_output_tokens: output, error } = value;
  const subtype = stringOf(value['subtype']) ?? (error === undefined ? 'success' : 'error_during_execution');
  const isFailed = error !== undefined || subtype.startsWith('error');
  const usage = {
    ...(numberOf(input) === undefined ? {} : { input_tokens: input }),
    ...(numberOf(output) === undefined ? {} : { output_tokens: output }),
  };
  return CliMessage.translated(message.raw, {
    is_error: isFailed,
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(typeof error === 'string' ? { errors: [error] } : {}),
    ...(said === undefined || isFailed ? {} : { result: said }),
    ...value,
    type: 'result',
    subtype,
  });
}
