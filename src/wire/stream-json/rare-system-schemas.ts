import { z } from 'zod';
import { systemMessage } from './system-schemas.ts';

/*
 * Messages that need plugins, remote workers, fallback models or a full disk to appear. No recording holds them: their
 * fields are those that the types of the official SDK name, and none of them is required.
 */

/** A control request of the host takes long, and why. */
export const SystemControlRequestProgress = systemMessage('control_request_progress', {
  request_id: z.string().nullish(),
  status: z.string().nullish(),
  attempt: z.number().nullish(),
  max_retries: z.number().nullish(),
  retry_delay_ms: z.number().nullish(),
  error_status: z.number().nullish(),
});

const REFUSAL_FIELDS = {
  original_model: z.string().nullish(),
  request_id: z.string().nullish(),
  api_refusal_category: z.string().nullish(),
  api_refusal_explanation: z.string().nullish(),
  refused_user_message_uuid: z.string().nullish(),
  content: z.string().nullish(),
};

/** The model refused, and another one takes the turn; what the first had said is retracted. */
export const SystemModelRefusalFallback = systemMessage('model_refusal_fallback', {
  ...REFUSAL_FIELDS,
  trigger: z.string().nullish(),
  direction: z.string().nullish(),
  scope: z.string().nullish(),
  fallback_model: z.string().nullish(),
  retracted_message_uuids: z.array(z.string()).nullish(),
});

/** The model refused, and there is no other one. */
export const SystemModelRefusalNoFallback = systemMessage('model_refusal_no_fallback', REFUSAL_FIELDS);

/** What a slash command printed. */
export const SystemLocalCommandOutput = systemMessage('local_command_output', { content: z.string().nullish() });

export const SystemPluginInstall = systemMessage('plugin_install', {
  status: z.string().nullish(),
  name: z.string().nullish(),
  error: z.string().nullish(),
});

/** The worker that runs the CLI is about to end. */
export const SystemWorkerShuttingDown = systemMessage('worker_shutting_down', { reason: z.string().nullish() });

/** The whole list of commands, not a change to it. */
export const SystemCommandsChanged = systemMessage('commands_changed', {
  commands: z.array(z.looseObject({ name: z.string().nullish(), description: z.string().nullish() })).nullish(),
});

export const SystemFilesPersisted = systemMessage('files_persisted', {
  files: z.array(z.looseObject({ filename: z.string().nullish(), file_id: z.string().nullish() })).nullish(),
  failed: z.array(z.looseObject({ filename: z.string().nullish(), error: z.string().nullish() })).nullish(),
  processed_at: z.string().nullish(),
});

export const SystemMemoryRecall = systemMessage('memory_recall', {
  mode: z.string().nullish(),
  memories: z
    .array(z.looseObject({ path: z.string().nullish(), scope: z.string().nullish(), content: z.string().nullish() }))
    .nullish(),
});

/** A question that an MCP server asked by URL was answered there. */
export const SystemElicitationComplete = systemMessage('elicitation_complete', {
  mcp_server_name: z.string().nullish(),
  elicitation_id: z.string().nullish(),
});

/** A copy of the transcript could not be written to the session store; the conversation goes on. */
export const SystemMirrorError = systemMessage('mirror_error', {
  error: z.string().nullish(),
  key: z
    .looseObject({
      projectKey: z.string().nullish(),
      sessionId: z.string().nullish(),
      subpath: z.string().nullish(),
    })
    .nullish(),
});

/** The disk is full: what was said from here on may be missing when the conversation is resumed. */
export const SystemSessionWritesLost = systemMessage('session_writes_lost', {
  error_code: z.string().nullish(),
  lost: z.array(z.string()).nullish(),
  transcript_session_ids: z.array(z.string()).nullish(),
});
