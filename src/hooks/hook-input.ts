/** Every event a hook can be registered for, as Claude Code 2.1.332 names them. Older releases never raise the newer ones. */
export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
  'PreSkillShellCommand',
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What the CLI tells with every hook (WIRE §7). Fields this release does not know pass through. */
export interface BaseHookInput {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly prompt_id?: string;
  readonly permission_mode?: string;
  /** Set when a subagent raised it. */
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly [field: string]: unknown;
}

interface ToolFields {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}

interface StopFields {
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
  readonly background_tasks?: readonly unknown[];
}

/** The fields that are an event's own; an event that is not listed has none that callers build on. */
interface OwnFields {
  readonly PreToolUse: ToolFields;
  readonly PostToolUse: ToolFields & { readonly tool_response: unknown; readonly duration_ms?: number };
  readonly PostToolUseFailure: ToolFields & { readonly error: string; readonly is_interrupt?: boolean };
  readonly PostToolBatch: { readonly tool_calls: readonly unknown[] };
  readonly Notification: { readonly message: string; readonly title?: string; readonly notification_type: string };
  readonly UserPromptSubmit: { readonly prompt: string };
  readonly SessionStart: { readonly source: string; readonly model?: string };
  readonly SessionEnd: { readonly reason: string };
  readonly Stop: StopFields;
  readonly StopFailure: { readonly error: string; readonly error_details?: string };
  readonly SubagentStart: { readonly agent_id: string; readonly agent_type: string };
  readonly SubagentStop: StopFields & { readonly agent_id: string; readonly agent_transcript_path: string };
  readonly PreCompact: { readonly trigger: 'manual' | 'auto'; readonly custom_instructions: string | null };
  readonly PostCompact: { readonly trigger: 'manual' | 'auto' };
  readonly PermissionRequest: Omit<ToolFields, 'tool_use_id'> & {
    readonly permission_suggestions?: readonly unknown[];
  };
  readonly PermissionDenied: ToolFields & { readonly reason: string };
  readonly CwdChanged: { readonly old_cwd: string; readonly new_cwd: string };
}

type FieldsOf<E extends HookEvent> = E extends keyof OwnFields ? OwnFields[E] : unknown;

/** What a callback is called with: switch on `hook_event_name`. */
export type HookInput = { [E in HookEvent]: BaseHookInput & FieldsOf<E> & { readonly hook_event_name: E } }[HookEvent];
