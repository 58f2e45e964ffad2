import type { KnownMessage } from './known-message.ts';

/*
 * The messages of the CLI under the names that the official SDK gives them. Every field may be missing that a measured
 * release left out; fields that are not named are kept as `unknown`. The ones a query yields are in query-message.ts.
 */

type Of<Type extends string> = Extract<KnownMessage, { type: Type }>;
type SystemOf<Subtype extends string> = Extract<KnownMessage, { type: 'system'; subtype: Subtype }>;

/** A prompt that the CLI repeats as a receipt (WIRE §11). */
export type SDKUserMessageReplay = Of<'user'> & { readonly isReplay: true };
export type SDKToolProgressMessage = Of<'tool_progress'>;
export type SDKAuthStatusMessage = Of<'auth_status'>;
export type SDKToolUseSummaryMessage = Of<'tool_use_summary'>;
export type SDKRateLimitEvent = Of<'rate_limit_event'>;
export type SDKPromptSuggestionMessage = Of<'prompt_suggestion'>;
export type SDKConversationResetMessage = Of<'conversation_reset'>;
export type SDKCompactBoundaryMessage = SystemOf<'compact_boundary'>;
export type SDKStatusMessage = SystemOf<'status'>;
export type SDKAPIRetryMessage = SystemOf<'api_retry'>;
export type SDKControlRequestProgressMessage = SystemOf<'control_request_progress'>;
export type SDKModelRefusalFallbackMessage = SystemOf<'model_refusal_fallback'>;
export type SDKModelRefusalNoFallbackMessage = SystemOf<'model_refusal_no_fallback'>;
export type SDKLocalCommandOutputMessage = SystemOf<'local_command_output'>;
export type SDKHookStartedMessage = SystemOf<'hook_started'>;
export type SDKHookProgressMessage = SystemOf<'hook_progress'>;
export type SDKHookResponseMessage = SystemOf<'hook_response'>;
export type SDKPluginInstallMessage = SystemOf<'plugin_install'>;
export type SDKTaskNotificationMessage = SystemOf<'task_notification'>;
export type SDKTaskStartedMessage = SystemOf<'task_started'>;
export type SDKTaskUpdatedMessage = SystemOf<'task_updated'>;
export type SDKTaskProgressMessage = SystemOf<'task_progress'>;
export type SDKBackgroundTasksChangedMessage = SystemOf<'background_tasks_changed'>;
export type SDKThinkingTokensMessage = SystemOf<'thinking_tokens'>;
export type SDKSessionStateChangedMessage = SystemOf<'session_state_changed'>;
export type SDKWorkerShuttingDownMessage = SystemOf<'worker_shutting_down'>;
export type SDKCommandsChangedMessage = SystemOf<'commands_changed'>;
export type SDKNotificationMessage = SystemOf<'notification'>;
export type SDKFilesPersistedEvent = SystemOf<'files_persisted'>;
export type SDKMemoryRecallMessage = SystemOf<'memory_recall'>;
export type SDKElicitationCompleteMessage = SystemOf<'elicitation_complete'>;
export type SDKPermissionDeniedMessage = SystemOf<'permission_denied'>;
export type SDKMirrorErrorMessage = SystemOf<'mirror_error'>;
export type SDKInformationalMessage = SystemOf<'informational'>;
export type SDKSessionWritesLostMessage = SystemOf<'session_writes_lost'>;
