import { z } from 'zod';

/** The frame of every message of the type `system`. */
export function systemMessage<const Subtype extends string, Shape extends z.ZodRawShape>(
  subtype: Subtype,
  shape: Shape,
) {
  return z.looseObject({
    type: z.literal('system'),
    subtype: z.literal(subtype),
    session_id: z.string().nullish(),
    uuid: z.string().nullish(),
    ...shape,
  });
}

const TASK_FIELDS = {
  task_id: z.string(),
  tool_use_id: z.string().nullish(),
  description: z.string().nullish(),
  subagent_type: z.string().nullish(),
  run_id: z.string().nullish(),
};

const TaskUsage = z.looseObject({
  total_tokens: z.number().nullish(),
  tool_uses: z.number().nullish(),
  duration_ms: z.number().nullish(),
});

const HOOK_FIELDS = {
  hook_id: z.string().nullish(),
  hook_name: z.string().nullish(),
  hook_event: z.string().nullish(),
};

const HOOK_OUTPUT_FIELDS = {
  ...HOOK_FIELDS,
  output: z.string().nullish(),
  stdout: z.string().nullish(),
  stderr: z.string().nullish(),
};

/** Opens every turn; never sent at start-up (WIRE §0.1). */
export const SystemInit = systemMessage('init', {
  model: z.string().nullish(),
  permissionMode: z.string().nullish(),
  cwd: z.string().nullish(),
  claude_code_version: z.string().nullish(),
  tools: z.array(z.string()).nullish(),
  mcp_servers: z.array(z.looseObject({ name: z.string(), status: z.string().nullish() })).nullish(),
  capabilities: z.array(z.string()).nullish(),
  slash_commands: z.array(z.string()).nullish(),
  agents: z.array(z.string()).nullish(),
  skills: z.array(z.string()).nullish(),
  output_style: z.string().nullish(),
  apiKeySource: z.string().nullish(),
});

export const SystemStatus = systemMessage('status', {
  status: z.string().nullish(),
  permissionMode: z.string().nullish(),
  compact_result: z.string().nullish(),
  compact_error: z.string().nullish(),
});

export const SystemApiRetry = systemMessage('api_retry', {
  attempt: z.number().nullish(),
  max_retries: z.number().nullish(),
  retry_delay_ms: z.number().nullish(),
  error_status: z.number().nullish(),
  error: z.string().nullish(),
});

export const SystemSessionState = systemMessage('session_state_changed', { state: z.string() });

export const SystemSessionTitle = systemMessage('session_title_changed', { title: z.string().nullish() });

export const SystemTaskStarted = systemMessage('task_started', {
  ...TASK_FIELDS,
  task_type: z.string().nullish(),
  is_backgrounded: z.boolean().nullish(),
  prompt: z.string().nullish(),
  parent_task_id: z.string().nullish(),
  spawn_depth: z.number().nullish(),
});

export const SystemTaskProgress = systemMessage('task_progress', {
  ...TASK_FIELDS,
  usage: TaskUsage.nullish(),
  last_tool_name: z.string().nullish(),
  summary: z.string().nullish(),
});

export const SystemTaskUpdated = systemMessage('task_updated', {
  task_id: z.string(),
  patch: z.looseObject({ status: z.string().nullish(), error: z.string().nullish() }).nullish(),
});

export const SystemTaskNotification = systemMessage('task_notification', {
  ...TASK_FIELDS,
  status: z.string().nullish(),
  summary: z.string().nullish(),
  output_file: z.string().nullish(),
  usage: TaskUsage.nullish(),
});

/** The whole list of background tasks, not a change to it (WIRE §17). */
export const SystemBackgroundTasks = systemMessage('background_tasks_changed', {
  tasks: z.array(z.looseObject({ task_id: z.string(), task_type: z.string().nullish() })),
});

export const SystemPermissionDenied = systemMessage('permission_denied', {
  tool_name: z.string().nullish(),
  tool_use_id: z.string().nullish(),
  message: z.string().nullish(),
  agent_id: z.string().nullish(),
  decision_reason_type: z.string().nullish(),
  decision_reason: z.string().nullish(),
});

export const SystemInformational = systemMessage('informational', {
  content: z.string().nullish(),
  level: z.string().nullish(),
  tool_use_id: z.string().nullish(),
  prevent_continuation: z.boolean().nullish(),
});

export const SystemNotification = systemMessage('notification', {
  text: z.string().nullish(),
  priority: z.string().nullish(),
  key: z.string().nullish(),
});

export const SystemCompactBoundary = systemMessage('compact_boundary', {
  compact_metadata: z
    .looseObject({
      trigger: z.string().nullish(),
      pre_tokens: z.number().nullish(),
      post_tokens: z.number().nullish(),
    })
    .nullish(),
});

export const SystemThinkingTokens = systemMessage('thinking_tokens', {
  estimated_tokens: z.number().nullish(),
  estimated_tokens_delta: z.number().nullish(),
});

export const SystemHookStarted = systemMessage('hook_started', HOOK_FIELDS);

export const SystemHookProgress = systemMessage('hook_progress', HOOK_OUTPUT_FIELDS);

export const SystemHookResponse = systemMessage('hook_response', {
  ...HOOK_OUTPUT_FIELDS,
  exit_code: z.number().nullish(),
  outcome: z.string().nullish(),
});
