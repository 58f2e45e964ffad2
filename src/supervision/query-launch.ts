import { readPlainValue } from '../launch/plain-value.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { openSubprocess } from '../transport/subprocess-transport.ts';
import type { OpenTransport } from '../transport/transport.ts';

/**
 * A query reads everything its process says, so it may hold far more than an ordinary subscriber before it has lagged. A
 * stream may be done with its prompts before the process is ready for the first.
 */
const QUERY_LIMITS = {
  maxSubscriberBufferItems: 1_000_000,
  maxSubscriberBufferBytes: 256 * 2 ** 20,
  maxPromptQueue: 1_000,
};

/** The options of a query as a plain object; what cannot even be read is left to the schema of the session. */
export function readQueryOptions(given: unknown): SessionOptions {
  return readPlainValue(given).value as SessionOptions;
}

/**
 * What a query's session is started with: the defaults are those of the official SDK, not those of a session. No system
 * prompt is an empty one, and an `env` is the whole environment of the child (checked against its release 0.3.332).
 */
export function sessionOptionsOf(options: SessionOptions): SessionOptions {
  return {
    ...(options.systemPrompt === undefined ? { systemPrompt: '' } : {}),
    ...(options.env === undefined ? {} : { envMode: 'exact' }),
    // Nobody holds the session, so nobody could answer a question that has no callback (R37).
    ...(options.canUseTool === undefined ? { permissionPrompts: 'none' } : {}),
    // … nor what an MCP server asks; without a callback the official SDK declines it.
    ...(options.onElicitation === undefined ? { onElicitation: () => ({ action: 'decline' as const }) } : {}),
    restart: { type: 'temporary' },
    // A query is over when its caller says so, and a limit is its answer, as in the official SDK.
    onQuota: 'ignore',
    ...options,
    limits: { ...QUERY_LIMITS, ...options.limits },
  };
}

/**
 * Starts the process without the flags that a session always sends and the official SDK never does: without them the CLI
 * reads the user's settings, starts in the mode they name, and without a callback denies by itself what it would ask.
 */
export function openerFor(options: SessionOptions): OpenTransport {
  const unsent = new Set([
    ...(options.permissionMode === undefined ? ['--permission-mode=default'] : []),
    // With skills a session reads the sources that may have them.
    ...(options.settingSources === undefined ? ['--setting-sources=', '--setting-sources=user,project'] : []),
    // Rules are a decider of their own.
    ...(options.canUseTool === undefined && options.permissions === undefined
      ? ['--permission-prompt-tool=stdio']
      : []),
  ]);
  return (plan, listeners) =>
    openSubprocess({ ...plan, args: plan.args.filter((argument) => !unsent.has(argument)) }, listeners);
}
