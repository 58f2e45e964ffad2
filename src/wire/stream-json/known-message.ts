import type { z } from 'zod';
import {
  AssistantMessage,
  AuthStatusMessage,
  CommandLifecycleMessage,
  ConversationResetMessage,
  KeepAliveMessage,
  PromptSuggestionMessage,
  RateLimitMessage,
  RESULT_ERROR_SUBTYPES,
  ResultMessage,
  StreamEventMessage,
  ToolProgressMessage,
  ToolUseSummaryMessage,
  TranscriptMirrorMessage,
  UserMessage,
} from './message-schemas.ts';
import * as print from './print-system-schemas.ts';
import * as rare from './rare-system-schemas.ts';
import * as system from './system-schemas.ts';

const BY_TYPE = {
  assistant: AssistantMessage,
  user: UserMessage,
  result: ResultMessage,
  stream_event: StreamEventMessage,
  tool_progress: ToolProgressMessage,
  command_lifecycle: CommandLifecycleMessage,
  conversation_reset: ConversationResetMessage,
  rate_limit_event: RateLimitMessage,
  auth_status: AuthStatusMessage,
  prompt_suggestion: PromptSuggestionMessage,
  tool_use_summary: ToolUseSummaryMessage,
  transcript_mirror: TranscriptMirrorMessage,
  keep_alive: KeepAliveMessage,
};

const BY_SYSTEM_SUBTYPE = {
  init: system.SystemInit,
  status: system.SystemStatus,
  api_retry: system.SystemApiRetry,
  session_state_changed: system.SystemSessionState,
  session_title_changed: system.SystemSessionTitle,
  task_started: system.SystemTaskStarted,
  task_progress: system.SystemTaskProgress,
  task_updated: system.SystemTaskUpdated,
  task_notification: system.SystemTaskNotification,
  background_tasks_changed: system.SystemBackgroundTasks,
  permission_denied: system.SystemPermissionDenied,
  informational: system.SystemInformational,
  notification: system.SystemNotification,
  compact_boundary: system.SystemCompactBoundary,
  thinking_tokens: system.SystemThinkingTokens,
  hook_started: system.SystemHookStarted,
  hook_progress: system.SystemHookProgress,
  hook_response: system.SystemHookResponse,
  control_request_progress: rare.SystemControlRequestProgress,
  model_refusal_fallback: rare.SystemModelRefusalFallback,
  model_refusal_no_fallback: rare.SystemModelRefusalNoFallback,
  local_command_output: rare.SystemLocalCommandOutput,
  plugin_install: rare.SystemPluginInstall,
  worker_shutting_down: rare.SystemWorkerShuttingDown,
  commands_changed: rare.SystemCommandsChanged,
  files_persisted: rare.SystemFilesPersisted,
  memory_recall: rare.SystemMemoryRecall,
  elicitation_complete: rare.SystemElicitationComplete,
  mirror_error: rare.SystemMirrorError,
  session_writes_lost: rare.SystemSessionWritesLost,
  permission_request: print.SystemPermissionRequest,
  hook_execution: print.SystemHookExecution,
  error: print.SystemError,
};

type SchemaOf<Table> = Table[keyof Table];

/** Every message a schema describes; switch on `type`, then on `subtype`. Fields not named in it are kept as `unknown`. */
export type KnownMessage = z.infer<SchemaOf<typeof BY_TYPE> | SchemaOf<typeof BY_SYSTEM_SUBTYPE>>;

export type Recognition =
  | { readonly recognized: true; readonly message: KnownMessage }
  | { readonly recognized: false; readonly reason: 'unknown-type' | 'unknown-subtype' | 'unexpected-shape' };

const TYPES: ReadonlyMap<unknown, z.ZodType<KnownMessage>> = new Map(Object.entries(BY_TYPE));
const SYSTEM_SUBTYPES: ReadonlyMap<unknown, z.ZodType<KnownMessage>> = new Map(Object.entries(BY_SYSTEM_SUBTYPE));
const RESULT_SUBTYPES: ReadonlySet<unknown> = new Set(['success', ...RESULT_ERROR_SUBTYPES]);

/** Why no schema describes messages of this kind; undefined when one does. Looks at nothing else. */
export function gapOf(type: unknown, subtype: unknown): 'unknown-type' | 'unknown-subtype' | undefined {
  if (type === 'system') return SYSTEM_SUBTYPES.has(subtype) ? undefined : 'unknown-subtype';
  if (!TYPES.has(type)) return 'unknown-type';
  const isNewResult = type === 'result' && typeof subtype === 'string' && !RESULT_SUBTYPES.has(subtype);
  return isNewResult ? 'unknown-subtype' : undefined;
}

/** Finds the schema of a message and checks it. Never throws; the value itself is left alone. */
export function recognize(value: Readonly<Record<string, unknown>>): Recognition {
  const { type, subtype } = value;
  const gap = gapOf(type, subtype);
  const schema = type === 'system' ? SYSTEM_SUBTYPES.get(subtype) : TYPES.get(type);
  if (gap !== undefined || schema === undefined) return { recognized: false, reason: gap ?? 'unknown-type' };
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { recognized: true, message: parsed.data }
    : { recognized: false, reason: 'unexpected-shape' };
}
