/**
 * Flags that `extraArgs` may not repeat, with the option to use instead; an empty text marks flags that Troupe decides
 * alone, because without them the protocol does not work or a permission would be given away (R93, R95).
 */
export const RESERVED_FLAGS: Readonly<Record<string, string>> = {
  'input-format': '',
  'output-format': '',
  'permission-prompt-tool': '',
  'replay-user-messages': '',
  'await-initialize': '',
  'initialize-fields': '',
  background: '',
  bg: '',
  help: '',
  print: '',
  verbose: '',
  version: '',
  'add-dir': 'additionalDirectories',
  agent: 'agent',
  agents: 'agents',
  'allow-dangerously-skip-permissions': 'allowDangerouslySkipPermissions',
  'allowed-tools': 'allowedTools',
  'append-system-prompt': 'systemPrompt',
  'append-system-prompt-file': 'systemPrompt',
  betas: 'betas',
  continue: 'continue',
  'dangerously-skip-permissions': 'permissionMode',
  debug: 'debug',
  'debug-file': 'debugFile',
  'disallowed-tools': 'disallowedTools',
  'fallback-model': 'fallbackModel',
  effort: 'effort',
  'fork-session': 'forkSession',
  'include-hook-events': 'includeHookEvents',
  'include-partial-messages': 'includePartialMessages',
  'json-schema': 'outputFormat',
  'managed-settings': 'managedSettings',
  'max-budget-usd': 'maxBudgetUsd',
  'max-thinking-tokens': 'maxThinkingTokens',
  'max-turns': 'maxTurns',
  'mcp-config': 'mcpServers',
  model: 'model',
  'no-session-persistence': 'persistSession',
  'permission-mode': 'permissionMode',
  'permission-prompts': 'permissionPrompts',
  'plugin-dir': 'plugins',
  'plugin-dir-no-mcp': 'plugins',
  'project-config-root': 'projectConfigRoot',
  resume: 'resume',
  'resume-drops-turn': 'resumeDropsTurn',
  'resume-session-at': 'resumeSessionAt',
  'session-id': 'sessionId',
  'session-mirror': 'sessionStore',
  'setting-sources': 'settingSources',
  settings: 'settings',
  'strict-mcp-config': 'strictMcpConfig',
  'system-prompt': 'systemPrompt',
  'system-prompt-file': 'systemPrompt',
  'task-budget': 'taskBudget',
  thinking: 'thinking',
  'thinking-display': 'thinking',
  tools: 'tools',
};

/** The option that a flag on the command line came from; undefined for one that several options, or none, need. */
export function optionOfFlag(name: string): string | undefined {
  return Object.hasOwn(RESERVED_FLAGS, name) ? RESERVED_FLAGS[name] || undefined : 'extraArgs';
}

/** What is wrong with a name in `extraArgs`, or undefined. */
export function extraFlagFault(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return 'must be a flag name of a-z, 0-9 and "-", without leading dashes';
  if (!Object.hasOwn(RESERVED_FLAGS, name)) return undefined;
  const option = RESERVED_FLAGS[name];
  return option ? `repeats a flag that Troupe sets; use the option "${option}"` : 'is a flag that Troupe alone decides';
}
