import type { SessionOptions } from '../launch/session-options.ts';
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
