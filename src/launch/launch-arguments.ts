import { mcpDocument, stdinServers } from './mcp-document.ts';
import type { SessionOptions } from './session-options.ts';
import { isSettingsText } from './settings-document.ts';
import { allowedToolsOf, settingSourcesOf } from './skills.ts';
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
const PROTOCOL = ['--output-format=stream-json', '--verbose', '--input-format=stream-json'];

/**
 * The command line of the CLI, pure. Every value is part of its flag's own argument (`--flag=value`), so that none can
 * become a flag and no empty list can swallow the next one (R95). Holds no secret (P11) and nothing big (R94).
 */
export function launchArguments(options: SessionOptions, { resume, files }: LaunchContext): string[] {
  return [
    ...PROTOCOL,
    `--permission-prompt-tool=${options.permissionPromptToolName ?? 'stdio'}`,
    `--permission-mode=${options.permissionMode ?? 'default'}`,
    `--setting-sources=${settingSourcesOf(options).join(',')}`,
    '--replay-user-messages',
    ...modelArguments(options),
    ...toolArguments(options),
    ...serverArguments(options, files),
    ...(resume === undefined ? conversationArguments(options) : [`--resume=${resume}`]),
    ...flag('--no-session-persistence', options.persistSession === false),
    ...flag('--session-mirror', options.sessionStore !== undefined),
    ...value('--settings', files.settings ?? settingsPath(options)),
    ...(options.additionalDirectories ?? []).map((directory) => `--add-dir=${directory}`),
    ...value('--managed-settings', options.managedSettings && JSON.stringify(options.managedSettings)),
    ...value('--project-config-root', options.projectConfigRoot),
    ...pluginArguments(options),
    ...flag('--await-initialize', needsInitialize(options)),
    ...flag('--include-partial-messages', options.includePartialMessages),
    ...flag('--include-hook-events', options.includeHookEvents),
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
    ...value('--agent', options.agent),
    ...value('--fallback-model', options.fallbackModel),
    ...value('--max-turns', options.maxTurns),
    ...value('--max-budget-usd', options.maxBudgetUsd),
    ...thinkingArguments(options),
    ...value('--effort', options.effort),
    ...value('--task-budget', options.taskBudget?.total),
    ...value('--betas', betas),
  ];
}

/**
 * Enabled without a budget is what the CLI calls adaptive; a budget has a flag of its own. The older `maxThinkingTokens`
 * counts without `thinking` only, and 0 of them means none at all.
 */
function thinkingArguments({ thinking, maxThinkingTokens }: SessionOptions): string[] {
  if (thinking === undefined) {
    return maxThinkingTokens === 0 ? ['--thinking=disabled'] : value('--max-thinking-tokens', maxThinkingTokens);
  }
  if (thinking.type === 'disabled') return ['--thinking=disabled'];
  const budget = thinking.type === 'enabled' ? thinking.budgetTokens : undefined;
  return [
    ...(budget === undefined ? ['--thinking=adaptive'] : [`--max-thinking-tokens=${budget}`]),
    ...value('--thinking-display', thinking.display),
  ];
}

function pluginArguments({ plugins = [], pluginDelivery }: SessionOptions): string[] {
  if (pluginDelivery === 'initialize') return [];
  return plugins.map(
    ({ path, skipMcpDiscovery }) => `--plugin-dir${skipMcpDiscovery === true ? '-no-mcp' : ''}=${path}`,
  );
}

/** True when something that the CLI needs at its start travels in the `initialize` request. */
function needsInitialize(options: SessionOptions): boolean {
  const hasPlugins = options.pluginDelivery === 'initialize' && (options.plugins ?? []).length > 0;
  return hasPlugins || stdinServers(options) !== undefined;
}

function toolArguments({ tools, disallowedTools, ...options }: SessionOptions): string[] {
  const builtIn = tools === undefined || 'type' in tools ? tools && 'default' : ruleListText(tools);
  return [
    ...value('--tools', builtIn),
    ...ruleArguments('--allowedTools', allowedToolsOf(options)),
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
    ...value('--resume-drops-turn', options.resumeDropsTurn),
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
