import { isNestingVariable } from './nesting-variables.ts';
import type { SessionOptions } from './session-options.ts';

type Variables = Readonly<Record<string, string | undefined>>;
type EnvironmentOptions = Pick<
  SessionOptions,
  'env' | 'envMode' | 'configDir' | 'enableFileCheckpointing' | 'toolConfig'
> & {
  /** Milliseconds the CLI gives an MCP server to connect; `Infinity` leaves it to the CLI. */
  readonly mcpTimeoutMs?: number | undefined;
  /** The active span of the host, as variables: what the host itself inherited of a trace is older. */
  readonly trace?: Variables | undefined;
};

/** They belong together: the state of one trace says nothing about another. */
const TRACE_VARIABLES = ['TRACEPARENT', 'TRACESTATE'];

/**
 * The whole environment of the child, pure: the host's less what an outer session left in it (R91), then its active
 * span and what Troupe needs, then the caller's `env`, which wins (undefined removes, and `CLAUDECODE` may be set on purpose). Only
 * `TROUPE_SESSION` is not the caller's: by it every process of the session is found (P1).
 */
export function launchEnvironment(host: Variables, options: EnvironmentOptions, mark: string): Record<string, string> {
  const trace = options.trace ?? {};
  const variables: Record<string, string> = patience(options.mcpTimeoutMs);
  if (options.envMode !== 'exact') {
    for (const name of Object.keys(host)) {
      const isOlder = trace['TRACEPARENT'] !== undefined && TRACE_VARIABLES.includes(name);
      if (!isOlder && !isNestingVariable(name)) set(variables, name, host[name]);
    }
  }
  for (const layer of [trace, ownVariables(options), options.env ?? {}]) {
    for (const name of Object.keys(layer)) set(variables, name, layer[name]);
  }
  variables['TROUPE_SESSION'] = mark;
  return variables;
}

function set(variables: Record<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) delete variables[name];
  else variables[name] = value;
}

/** A silent in-process server costs the first turn this long, in most releases twice (WIRE §25.4). The host's own word wins. */
function patience(mcpTimeoutMs: number | undefined): Record<string, string> {
  const isBounded = mcpTimeoutMs !== undefined && Number.isFinite(mcpTimeoutMs);
  return isBounded ? { MCP_TIMEOUT: String(Math.ceil(mcpTimeoutMs)) } : {};
}

/** The two state variables make the CLI say when it is idle, one for newer and one for older versions (WIRE §0.7). */
function ownVariables({ configDir, enableFileCheckpointing, toolConfig }: EnvironmentOptions): Record<string, string> {
  const previewFormat = toolConfig?.askUserQuestion?.previewFormat;
  return {
    CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
    CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
    ...(configDir === undefined ? {} : { CLAUDE_CONFIG_DIR: configDir }),
    ...(enableFileCheckpointing === true ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' } : {}),
    ...(previewFormat === undefined ? {} : { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: previewFormat }),
  };
}
