import { mcpDocument } from './mcp-document.ts';
import type { SessionOptions } from './session-options.ts';
import { isSettingsText } from './settings-document.ts';
import { isLongRuleList, ruleListText } from './tool-rule.ts';

/** Paths of the private files that were written for this start. */
export interface LaunchFiles {
  readonly mcpConfig?: string;
  readonly settings?: string;
}

export interface LaunchContext {
  /** Conversation of a restart; it replaces every option about which conversation to go on with (P8). */
  readonly resume?: string;
  readonly files: LaunchFiles;
}

/** Without these the protocol does not work, or works differently from version to version (WIRE §1, §25.26). */
const PROTOCOL = [
  '--output-format=stream-json',
  '--verbose',
  '--input-format=stream-json',
  '--permission-prompt-tool=stdio',
];

/**
 * The command line of the CLI, pure. Every value is part of its flag's own argument (`--flag=value`), so that none can
 * become a flag and no empty list can swallow the next one (R95). Holds no secret (P11) and nothing big (R94).
 */
export function launchArguments(options: SessionOptions, { resume, files }: LaunchContext): string[] {
  return [
    ...PROTOCOL,
    `--permission-mode=${options.permissionMode ?? 'default'}`,
    `--setting-sources=${(options.settingSources ?? []).join(',')}`,
    '--replay-user-messages',
    ...modelArguments(options),
    ...toolArguments(options),
    ...serverArguments(options, files),
    ...(resume === undefined ? conversationArguments(options) : [`--resume=${resume}`]),
    ...flag('--no-session-persistence', options.persistSession === false),
    ...value('--settings', files.settings ?? settingsPath(options)),
    ...(options.additionalDirectories ?? []).map((directory) => `--add-dir=${directory}`),
    ...flag('--include-partial-messages', options.includePartialMessages),
    ...value('--debug-file', options.debugFile),
    ...flag('--debug', options.debug === true && options.debugFile === undefined),
    ...extraArguments(options),
  ];
}

function modelArguments(options: SessionOptions): string[] {
  // An empty --betas= makes the CLI warn about a beta without a name.
  const betas = options.betas?.length ? options.betas.join(',') : undefined;
  return [
    ...value('--model', options.model),
    ...value('--fallback-model', options.fallbackModel),
    ...value('--max-turns', options.maxTurns),
    ...value('--max-budget-usd', options.maxBudgetUsd),
    ...value('--max-thinking-tokens', options.maxThinkingTokens),
    ...value('--betas', betas),
  ];
}

function toolArguments({ tools, allowedTools, disallowedTools, ...options }: SessionOptions): string[] {
  const builtIn = tools === undefined || 'type' in tools ? tools && 'default' : ruleListText(tools);
  return [
    ...value('--tools', builtIn),
    ...ruleArguments('--allowedTools', allowedTools),
    ...ruleArguments('--disallowedTools', disallowedTools),
    ...flag('--allow-dangerously-skip-permissions', options.allowDangerouslySkipPermissions),
  ];
}

/** A list that is too long is in the settings file instead. */
function ruleArguments(name: string, rules: readonly string[] | undefined): string[] {
  return rules === undefined || isLongRuleList(rules) ? [] : [`${name}=${ruleListText(rules)}`];
}

function serverArguments(options: SessionOptions, { mcpConfig }: LaunchFiles): string[] {
  return [
    ...value('--mcp-config', mcpConfig ?? inlineServers(options)),
    ...flag('--strict-mcp-config', options.strictMcpConfig),
  ];
}

/** Never the text of servers that belong into a file, also if somebody forgot to write it. */
function inlineServers(options: SessionOptions): string | undefined {
  const document = mcpDocument(options);
  return document?.needsFile === false ? document.text : undefined;
}

function settingsPath({ settings }: SessionOptions): string | undefined {
  return typeof settings === 'string' && !isSettingsText(settings) ? settings : undefined;
}

function conversationArguments(options: SessionOptions): string[] {
  return [
    ...value('--resume', options.resume),
    ...flag('--continue', options.continue),
    ...flag('--fork-session', options.forkSession),
    ...value('--session-id', options.sessionId),
    ...value('--resume-session-at', options.resumeSessionAt),
  ];
}

function extraArguments({ extraArgs = {} }: SessionOptions): string[] {
  return Object.entries(extraArgs).map(([name, text]) => (text === null ? `--${name}` : `--${name}=${text}`));
}

function value(name: string, content: string | number | undefined): string[] {
  return content === undefined ? [] : [`${name}=${content}`];
}

function flag(name: string, isSet: boolean | undefined): string[] {
  return isSet === true ? [name] : [];
}
