import { z } from 'zod';
import { ContentBlock } from './content-block-schemas.ts';

// Only what is relied on is required: versions 1.0.60 to 2.1.332 must all pass.
const ORIGIN_FIELDS = {
  session_id: z.string().nullish(),
  uuid: z.string().nullish(),
};

const SENDER_FIELDS = {
  ...ORIGIN_FIELDS,
  parent_tool_use_id: z.string().nullish(),
  agent_id: z.string().nullish(),
  subagent_type: z.string().nullish(),
  task_description: z.string().nullish(),
};

const PROMPT_FIELDS = {
  user_message_uuid: z.string().nullish(),
  user_message_uuids: z.array(z.string()).nullish(),
};

/** Who spoke in the user's place; a turn of the CLI's own has another kind than `human` (WIRE §0.6). */
const Origin = z.looseObject({ kind: z.string().nullish() });

const TokenCounts = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});

export const AssistantMessage = z.looseObject({
  type: z.literal('assistant'),
  message: z.looseObject({
    id: z.string().nullish(),
    model: z.string().nullish(),
    content: z.array(ContentBlock),
    stop_reason: z.string().nullish(),
    usage: TokenCounts.nullish(),
  }),
  ...SENDER_FIELDS,
  ...PROMPT_FIELDS,
  /** Why the API gave no answer; the content is then a sentence about it, not the model's. */
  error: z.string().nullish(),
  aborted: z.boolean().nullish(),
  request_id: z.string().nullish(),
  timestamp: z.string().nullish(),
  /** Messages this one replaces: what was shown of them is void. */
  supersedes: z.array(z.string()).nullish(),
});

/** Tool results, replayed prompts (`isReplay`) and what the CLI itself says in the user's place. */
export const UserMessage = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({ content: z.union([z.string(), z.array(ContentBlock)]) }),
  ...SENDER_FIELDS,
  isReplay: z.boolean().nullish(),
  isSynthetic: z.boolean().nullish(),
  tool_use_result: z.unknown().optional(),
  origin: Origin.nullish(),
  priority: z.string().nullish(),
  timestamp: z.string().nullish(),
});

const RESULT_FIELDS = {
  type: z.literal('result'),
  ...ORIGIN_FIELDS,
  is_error: z.boolean(),
  duration_ms: z.number().nullish(),
  duration_api_ms: z.number().nullish(),
  num_turns: z.number().nullish(),
  total_cost_usd: z.number().nullish(),
  usage: TokenCounts.nullish(),
  modelUsage: z.record(z.string(), z.unknown()).nullish(),
  permission_denials: z.array(z.unknown()).nullish(),
  terminal_reason: z.string().nullish(),
  stop_reason: z.string().nullish(),
  ...PROMPT_FIELDS,
  /** Counts the results of a process from 0: a gap means that one was lost. */
  result_index: z.number().nullish(),
  queued_turn_count: z.number().nullish(),
  origin: Origin.nullish(),
};

export const RESULT_ERROR_SUBTYPES = [
  'error_during_execution',
  'error_max_turns',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
] as const;

/** The end of a turn. `success` says nothing: `is_error` decides (WIRE §0.5). */
export const ResultMessage = z.discriminatedUnion('subtype', [
  z.looseObject({
    ...RESULT_FIELDS,
    subtype: z.literal('success'),
    result: z.string().nullish(),
    api_error_status: z.number().nullish(),
    structured_output: z.unknown().optional(),
    /** Name of the slash command that answered in the model's place. */
    local_command: z.string().nullish(),
    deferred_tool_use: z.looseObject({ id: z.string(), name: z.string() }).nullish(),
  }),
  z.looseObject({
    ...RESULT_FIELDS,
    subtype: z.enum(RESULT_ERROR_SUBTYPES),
    errors: z.array(z.string()).nullish(),
    startup_failure_reason: z.string().nullish(),
  }),
]);

/** A piece of the answer while it is written (WIRE §10). */
export const StreamEventMessage = z.looseObject({
  type: z.literal('stream_event'),
  event: z.looseObject({
    type: z.string(),
    index: z.number().nullish(),
    delta: z.looseObject({ type: z.string().nullish(), text: z.string().nullish() }).nullish(),
  }),
  ...SENDER_FIELDS,
  ...PROMPT_FIELDS,
  ttft_ms: z.number().nullish(),
});

export const ToolProgressMessage = z.looseObject({
  type: z.literal('tool_progress'),
  tool_use_id: z.string(),
  tool_name: z.string().nullish(),
  elapsed_time_seconds: z.number().nullish(),
  task_id: z.string().nullish(),
  heartbeat: z.boolean().nullish(),
  ...SENDER_FIELDS,
});

/** What became of a prompt that carried a uuid (WIRE §11). */
export const CommandLifecycleMessage = z.looseObject({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: z.string(),
  ...ORIGIN_FIELDS,
});

export const ConversationResetMessage = z.looseObject({
  type: z.literal('conversation_reset'),
  new_conversation_id: z.string().nullish(),
  trigger: z.string().nullish(),
  ...ORIGIN_FIELDS,
});

export const RateLimitMessage = z.looseObject({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z
    .looseObject({
      /** `allowed`, `allowed_warning` or `rejected`. */
      status: z.string().nullish(),
      /** Seconds since 1970. */
      resetsAt: z.number().nullish(),
      /** The window, such as `five_hour` or `seven_day`. */
      rateLimitType: z.string().nullish(),
      /** Share of the window that is used. */
      utilization: z.number().nullish(),
      overageStatus: z.string().nullish(),
      overageResetsAt: z.number().nullish(),
      isUsingOverage: z.boolean().nullish(),
      surpassedThreshold: z.number().nullish(),
    })
    .nullish(),
  ...ORIGIN_FIELDS,
});

export const AuthStatusMessage = z.looseObject({
  type: z.literal('auth_status'),
  isAuthenticating: z.boolean().nullish(),
  output: z.array(z.string()).nullish(),
  error: z.string().nullish(),
  ...ORIGIN_FIELDS,
});

/** A copy of lines of a transcript, for the session store; no reader of messages gets it. */
export const TranscriptMirrorMessage = z.looseObject({
  type: z.literal('transcript_mirror'),
  filePath: z.string().nullish(),
  entries: z.array(z.unknown()).nullish(),
});

export const PromptSuggestionMessage = z.looseObject({
  type: z.literal('prompt_suggestion'),
  suggestion: z.string().nullish(),
  ...ORIGIN_FIELDS,
});

export const ToolUseSummaryMessage = z.looseObject({
  type: z.literal('tool_use_summary'),
  summary: z.string().nullish(),
  preceding_tool_use_ids: z.array(z.string()).nullish(),
  ...ORIGIN_FIELDS,
});

export const KeepAliveMessage = z.looseObject({ type: z.literal('keep_alive') });
