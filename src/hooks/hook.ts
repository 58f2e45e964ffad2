import type { HookInput } from './hook-input.ts';
import type { HookCallback } from './hook-options.ts';
import type { HookOutput } from './hook-output.ts';

/** What a validation says: true lets the tool run, a text refuses it with that reason. */
export type Validation = (
  toolName: string,
  toolInput: Readonly<Record<string, unknown>>,
) => true | string | Promise<true | string>;

function preToolUse(fields: Record<string, unknown>): HookOutput {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } };
}

/** Asks a callback only about tools that are about to run; everything else goes its way. */
function onTool(
  decide: (toolName: string, input: Readonly<Record<string, unknown>>) => HookOutput | Promise<HookOutput>,
) {
  const callback: HookCallback = (input: HookInput) =>
    input.hook_event_name === 'PreToolUse' ? decide(input.tool_name, input.tool_input) : {};
  return callback;
}

/** True when the name fits one of the patterns, in which `*` stands for any run of characters. */
function isListed(toolName: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const pieces = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${pieces.join('.*')}$`, 's').test(toolName);
  });
}

/** Outputs of PreToolUse hooks, and whole callbacks for the common cases. */
export const hook = {
  /** The tool runs without a question, with other input if some is given. */
  allow: (options: { reason?: string; updatedInput?: Record<string, unknown> } = {}): HookOutput =>
    preToolUse({
      permissionDecision: 'allow',
      ...(options.reason === undefined ? {} : { permissionDecisionReason: options.reason }),
      ...(options.updatedInput === undefined ? {} : { updatedInput: options.updatedInput }),
    }),
  /** The tool does not run; the model reads the reason. */
  deny: (reason: string): HookOutput => preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason }),
  /** The question is asked, also about a tool that would run without one. */
  ask: (reason?: string): HookOutput =>
    preToolUse({
      permissionDecision: 'ask',
      ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
    }),
  /** The tool runs without a question, with this input. */
  modify: (updatedInput: Record<string, unknown>): HookOutput => hook.allow({ updatedInput }),
  /** A callback that refuses what the function finds fault with, and leaves the rest to the ordinary course. */
  validate: (check: Validation): HookCallback =>
    onTool(async (toolName, input) => {
      const verdict = await check(toolName, input);
      return verdict === true ? {} : hook.deny(verdict);
    }),
  /** A callback that hands every input to a logger and changes nothing. */
  log:
    (write: (input: HookInput) => void): HookCallback =>
    (input) => {
      write(input);
      return {};
    },
  /** A callback that refuses these tools; `*` stands for any run of characters. */
  denyTools: (...patterns: string[]): HookCallback =>
    onTool((toolName) =>
      isListed(toolName, patterns) ? hook.deny(`The tool ${toolName} is not to be used here.`) : {},
    ),
  /** A callback that refuses all tools but these, and asks about these as usual. */
  allowTools: (...patterns: string[]): HookCallback =>
    onTool((toolName) =>
      isListed(toolName, patterns) ? {} : hook.deny(`Only ${patterns.join(', ')} may be used here.`),
    ),
};
