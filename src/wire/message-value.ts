import { CliMessage } from './cli-message.ts';

/** A message as a session tells it, or as `query()` yields it. */
export type AnyMessage = CliMessage | { readonly type: string; readonly [field: string]: unknown };

/** The parsed message; undefined where the line is corrupt. Never throws. */
export function parsedValueOf(message: AnyMessage): Readonly<Record<string, unknown>> | undefined {
  return message instanceof CliMessage ? message.value : message;
}
