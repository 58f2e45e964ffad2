import { assertPlain, isPlain } from '../launch/plain-object.ts';
import { readPlainValue } from '../launch/plain-value.ts';
import { parseSessionOptions, type SessionOptions } from '../launch/session-options.ts';
import type { SupervisorOptions } from '../launch/supervisor-options.ts';

/** What a session takes over from its supervisor unless it says otherwise. */
export function inheritedOptions(options: SupervisorOptions): Partial<SessionOptions> {
  const { pathToClaudeCodeExecutable, dialect, env, configDir } = options;
  return {
    ...(pathToClaudeCodeExecutable === undefined ? {} : { pathToClaudeCodeExecutable }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(env === undefined ? {} : { env }),
    ...(configDir === undefined ? {} : { configDir }),
  };
}

/**
 * Takes what is given for a session as it is now; what comes back checks it, later perhaps, and completes it by what the
 * session inherits. Both throw INVALID_OPTIONS.
 */
export function sessionOptionsIn(input: unknown, supervisor: SupervisorOptions): () => SessionOptions {
  assertPlain(input);
  const own = readPlainValue(input).value;
  // A value that cannot even be read is reported by the schema, not merged.
  return () => parseSessionOptions(isPlain(own) ? { ...inheritedOptions(supervisor), ...own } : input);
}
