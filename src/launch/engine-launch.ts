import type { OptionIssue } from './option-issue.ts';
import { OPTION_SUPPORT } from './option-support.ts';
import type { SessionOptions } from './session-options.ts';

/** Options that an engine gets in another way than under their names, or that its host obeys. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'mcpServers',
  'hooks',
  'resume',
  'includePartialMessages',
  'extraArgs',
  'env',
  'configDir',
  // What is asked for is the ordinary state of affairs here.
  'persistSession',
]);

/**
 * What makes no start of an engine, or of none. Looked at beside what the supervisor says of all its sessions: `dialect` and
 * `pathToClaudeCodeExecutable` may come from there.
 */
export function engineIssues({ dialect, engineArgs, pathToClaudeCodeExecutable: path }: SessionOptions): OptionIssue[] {
  if (dialect !== 'json-rpc') {
    if (engineArgs === undefined) return [];
    return [{ field: 'engineArgs', reason: 'are for an engine, which is started with dialect "json-rpc" only' }];
  }
  if (path !== undefined) return [];
  const reason = 'must name the engine with dialect "json-rpc": the CLI, which is the default, speaks no JSON-RPC';
  return [{ field: 'pathToClaudeCodeExecutable', reason }];
}

/** The command line of an engine of the JSON-RPC dialect, pure: no flag of the CLI means anything to it. */
export function engineArguments({ engineArgs = [], extraArgs = {} }: SessionOptions): string[] {
  const named = Object.entries(extraArgs).map(([name, text]) => (text === null ? `--${name}` : `--${name}=${text}`));
  return [...engineArgs, ...named];
}

/** The fields of the first request to an engine; the codec of the dialect makes its `initialize` of them. Pure. */
export function enginePayload(options: SessionOptions, resume: string | undefined): Record<string, unknown> {
  const sessionId = resume ?? options.resume ?? options.sessionId;
  const servers = Object.entries(options.mcpServers ?? {});
  const inProcess = servers.filter(([, { type }]) => type === 'sdk').map(([name]) => name);
  return {
    includePartialMessages: options.includePartialMessages === true,
    sdkMcpServers: inProcess,
    sessionOptions: sessionOptionsFor(options),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** What the session of the engine is to be started with, as far as it differs from what is so anyway. */
function sessionOptionsFor(options: SessionOptions): Record<string, unknown> {
  const external = Object.entries(options.mcpServers ?? {}).filter(([, { type }]) => type !== 'sdk');
  const given = Object.entries(options).filter(([name, value]) => {
    const place = name in OPTION_SUPPORT ? OPTION_SUPPORT[name as keyof SessionOptions].place : 'host';
    const isDefault = name === 'permissionMode' && value === 'default';
    return value !== undefined && place !== 'host' && !ELSEWHERE.has(name) && !isDefault && name !== 'sessionId';
  });
  return {
    ...Object.fromEntries(given),
    ...(external.length === 0 ? {} : { mcpServers: Object.fromEntries(external) }),
  };
}
