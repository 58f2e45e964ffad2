import { type LaunchContext, launchArguments } from './launch-arguments.ts';
import { invalidOptions, type OptionIssue } from './option-issue.ts';
import type { SessionOptions } from './session-options.ts';

/** Flags of a process that reads its prompts from stdin, and what takes their place in one that gets one by its arguments. */
const INSTEAD: ReadonlyMap<string, readonly string[]> = new Map([
  ['--output-format=stream-json', ['--print', '--output-format=stream-json']],
  ['--input-format=stream-json', []],
  ['--replay-user-messages', []],
  ['--session-mirror', []],
  ['--await-initialize', []],
]);

/** They travel in the `initialize` request, and here there is none. */
const NEEDS_CONTROL = [
  'title',
  'toolAliases',
  'planModeInstructions',
  'promptSuggestions',
  'agentProgressSummaries',
  'forwardSubagentText',
  'perTaskStopAffordance',
  'supportedDialogKinds',
  'onUserDialog',
  'sessionStore',
  'verbatimPrompts',
] as const satisfies readonly (keyof SessionOptions)[];

/**
 * The command line of one process per prompt, pure; the prompt, the conversation and who is asked for permission are added
 * for each. Throws INVALID_OPTIONS for what only a control channel could carry.
 */
export function printArguments(options: SessionOptions, context: LaunchContext): string[] {
  const issues = printIssues(options);
  if (issues.length > 0) throw invalidOptions(issues);
  const asks = options.permissionPromptToolName === undefined ? 'stdio' : undefined;
  const shared = launchArguments(options, context).flatMap((argument) => INSTEAD.get(argument) ?? [argument]);
  return [...shared.filter((argument) => argument !== `--permission-prompt-tool=${asks}`), ...saidByFlags(options)];
}

function printIssues(options: SessionOptions): OptionIssue[] {
  const given = NEEDS_CONTROL.filter((name) => options[name] !== undefined && options[name] !== false);
  const issues = given.map((field) => ({ field, reason: 'needs a control channel, which dialect "print" has not' }));
  if (options.persistSession !== false) return issues;
  return [
    ...issues,
    { field: 'persistSession', reason: 'is false, but with dialect "print" each prompt resumes what is kept' },
  ];
}

/** What the `initialize` request says elsewhere. */
function saidByFlags({ systemPrompt, agents, outputFormat }: SessionOptions): string[] {
  return [
    ...systemPromptFlags(systemPrompt),
    ...(agents === undefined ? [] : [`--agents=${JSON.stringify(agents)}`]),
    ...(outputFormat === undefined ? [] : [`--json-schema=${JSON.stringify(outputFormat.schema)}`]),
  ];
}

function systemPromptFlags(prompt: SessionOptions['systemPrompt']): string[] {
  if (prompt === undefined) return [];
  if (typeof prompt === 'string') return [`--system-prompt=${prompt}`];
  if (!('type' in prompt)) return [`--system-prompt=${prompt.join('\n\n')}`];
  if (prompt.type === 'preset') return prompt.append === undefined ? [] : [`--append-system-prompt=${prompt.append}`];
  const { prompt: text } = prompt;
  return [`--system-prompt=${typeof text === 'string' ? text : text.join('\n\n')}`];
}
