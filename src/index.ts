export type { Wall } from '../machines/account/account.context.ts';
export type { AccountStateName } from '../machines/account/account.events.ts';
export type { Unit } from '../machines/budget/amounts.ts';
export type { Parking, ParkReason } from '../machines/child/child.context.ts';
export type { ChildStateName } from '../machines/child/child.events.ts';
export type { RestartType } from '../machines/child/child-spec.ts';
export type { GroupStateName } from '../machines/group/group.events.ts';
export type { AutoShutdown, MemberStatus, Strategy } from '../machines/group/strategy.ts';
export type {
  DecidedOutcome,
  DecidingRule,
  PermissionDecision,
  QuestionKind,
  Settlement,
} from '../machines/permission/permission.events.ts';
export type { SessionStateName } from '../machines/session/session.events.ts';
export type { SupervisorPhase, SupervisorStateName } from '../machines/supervisor/supervisor.events.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  archiveSession,
  renameSession,
  type SessionMutationOptions,
  tagSession,
  unarchiveSession,
} from './conversations/change-session.ts';
export { type DeleteSessionOptions, deleteSession } from './conversations/delete-session.ts';
export { type ForkSessionOptions, type ForkSessionResult, forkSession } from './conversations/fork-session.ts';
export { type ImportSessionToStoreOptions, importSessionToStore } from './conversations/import-session.ts';
export { InMemorySessionStore } from './conversations/in-memory-session-store.ts';
export {
  type GetSessionInfoOptions,
  getSessionInfo,
  type ListSessionsOptions,
  listSessions,
} from './conversations/list-sessions.ts';
export { type GetSessionMessagesOptions, getSessionMessages } from './conversations/read-messages.ts';
export type { SessionInfo, SessionInfo as SDKSessionInfo } from './conversations/session-info.ts';
export type { SessionMessage } from './conversations/session-message.ts';
export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
} from './conversations/session-store.ts';
export { foldSessionSummary } from './conversations/session-summary.ts';
export {
  type GetSubagentMessagesOptions,
  getSubagentMessages,
  type ListSubagentsOptions,
  listSubagents,
} from './conversations/subagents.ts';
export type { SkippedLines } from './conversations/transcript-lines.ts';
export { ERROR_CODES, type ErrorCode, TroupeError, type TroupeErrorOptions } from './errors.ts';
export { hook, type Validation } from './hooks/hook.ts';
export { type BaseHookInput, HOOK_EVENTS, type HookEvent, type HookInput } from './hooks/hook-input.ts';
export type { HookCallback, HookCallbackMatcher, HooksOption } from './hooks/hook-options.ts';
export type { HookOutput } from './hooks/hook-output.ts';
export type {
  BudgetOptions,
  ModelPrice,
  OnBudgetLimit,
  RaiseAmounts,
  SessionBudgetOptions,
} from './launch/budget-options.ts';
export type { GroupChild, GroupOptions, SessionChild, SessionChildOptions } from './launch/group-options.ts';
export type {
  McpReconnectOptions,
  McpServerOptions,
  McpServersOption,
  McpToolPolicy,
  RemoteMcpServerOptions,
  SdkMcpServerOptions,
  StdioMcpServerOptions,
} from './launch/mcp-server-options.ts';
export type { QuotaOptions } from './launch/quota-options.ts';
export type { RecordOptions } from './launch/record-options.ts';
export type { RetentionOptions } from './launch/retention-options.ts';
export type { SecretOptions } from './launch/secret-options.ts';
export type {
  AgentOptions,
  LimitOptions,
  OnPromptLost,
  OnRestart,
  PermissionMode,
  PluginOptions,
  RestartOptions,
  SessionOptions,
  SessionOptions as Options,
  SystemPromptOptions,
  ThinkingOptions,
  TimeoutOptions,
} from './launch/session-options.ts';
export type {
  AdmissionOptions,
  Logger,
  SupervisorLimitOptions,
  SupervisorOptions,
  SupervisorTimeoutOptions,
} from './launch/supervisor-options.ts';
export type { McpSetServersResult } from './mcp/server-set.ts';
export {
  createSdkMcpServer,
  type SdkMcpServerDefinition,
  type ToolDefinition,
  type ToolExtra,
  type ToolExtras,
  tool,
} from './mcp/tool.ts';
export { answerQuestions, type QuestionAnswer } from './permissions/answer-questions.ts';
export type { AnswerScope } from './permissions/answer-scope.ts';
export type { CanUseTool, CanUseToolContext } from './permissions/can-use-tool.ts';
export type { ElicitationRequest, ElicitationResult, OnElicitation } from './permissions/elicitation.ts';
export type { PermissionAnswer } from './permissions/permission-desk.ts';
export type {
  DialogPermissionRequest,
  ElicitationPermissionRequest,
  MatchedAskRule,
  McpServerOrigin,
  PermissionRequest,
  ToolPermissionRequest,
} from './permissions/permission-request.ts';
export type {
  PermissionDecisionClassification,
  PermissionResult,
  PermissionUpdate,
} from './permissions/permission-result.ts';
export type { PermissionRule } from './permissions/permission-rule.ts';
export type { PermissionsOption } from './permissions/permissions-option.ts';
export type { OnUserDialog, UserDialogRequest, UserDialogResult } from './permissions/user-dialog.ts';
export type { ActivityState, ConversationFacts } from './session/conversation-facts.ts';
export type { ModelUsage, SessionUsage } from './session/cost-meter.ts';
export type { Deadline } from './session/deadlines.ts';
export type { Explanation } from './session/explanation.ts';
export type { InterruptReceipt } from './session/interrupt.ts';
export type { DoubtAnswer, PromptDoubt, PromptDoubts } from './session/prompt-doubts.ts';
export type { PromptFields } from './session/prompt-fields.ts';
export type { OnBusy, PromptContent, PromptOptions } from './session/prompt-record.ts';
export type { Session, SessionStatus } from './session/session.ts';
export type { ControlOptions } from './session/session-controls.ts';
export type { SessionPermissions } from './session/session-permissions.ts';
export type { StateChange } from './session/state-change.ts';
export type { Turn } from './session/turn.ts';
export type { TurnRecord } from './session/turn-history.ts';
export type { TurnResult } from './session/turn-result.ts';
export { exportSession } from './store/export-session.ts';
export { type ImportedSession, importSession } from './store/import-session.ts';
export type { LogLines } from './store/log-lines.ts';
export type { LinesReading, TextsReading } from './store/log-reading.ts';
export type { LogText } from './store/log-texts.ts';
export type { QuestionContext } from './store/plain-fact.ts';
export type {
  BudgetMark,
  EndFacts,
  FailureFacts,
  ObservedEvent,
  PlainFact,
  PromptOutcome,
  RecoveryDecision,
  SessionEvent,
  SessionFact,
  SilenceFacts,
  SubscriberEvent,
  WatchdogFact,
} from './store/session-event.ts';
export type { Claimant } from './store/sqlite/claim.ts';
export { openStoreReader } from './store/sqlite/reading.ts';
export { openSqliteStore, type SqliteStoreOptions } from './store/sqlite/sqlite-store.ts';
export type { StoreTakeover } from './store/sqlite/succession.ts';
export type {
  Change,
  Durability,
  LogHead,
  LogTruncated,
  Pruned,
  ReadRequest,
  RecordName,
  RetentionPolicy,
  SessionEntry,
  SessionSnapshot,
  Store,
  StoredEvent,
  StoreHealth,
  StoreReader,
} from './store/store.ts';
export type { StoreEvent } from './store/store-desk.ts';
export type {
  Json,
  LedgerRecord,
  PermissionRecord,
  PromptRecord,
  SessionRecord,
  StoreRecord,
} from './store/store-record.ts';
export type { FleetStoreWait, StoreWait } from './store/store-wait.ts';
export { storedEventsOf } from './store/stored-row.ts';
export { AbortError } from './supervision/abort-error.ts';
export type { AccountView } from './supervision/account-desk.ts';
export type { AccountFleetEvent } from './supervision/account-event.ts';
export type { AwaitedReason } from './supervision/awaited-work.ts';
export type { LedgerEntry, LedgerReport } from './supervision/budget-report.ts';
export type { BudgetScope } from './supervision/budget-scope.ts';
export type { RemainingWork } from './supervision/drain-tally.ts';
export type { FleetEvent, ShutdownEvent } from './supervision/fleet-event.ts';
export type { FleetReaderEvent, FleetStream } from './supervision/fleet-stream.ts';
export type { Group } from './supervision/group.ts';
export type { GroupChildView, GroupExplanation } from './supervision/group-explanation.ts';
export type { GroupFleetEvent } from './supervision/group-fleet-event.ts';
export type { HoldFor } from './supervision/group-member.ts';
export type { PoolEvent, PoolNews } from './supervision/pool-event.ts';
export type { PrewarmOptions } from './supervision/prewarm.ts';
export { type Query, type QueryInput, type QueryInterruptReceipt, query } from './supervision/query.ts';
export type {
  QueryMessage,
  QueryMessage as SDKMessage,
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKSystemMessage,
  SDKUserMessageReceived,
} from './supervision/query-message.ts';
export type {
  QueryPrompt,
  UserMessageInput,
  UserMessageInput as SDKUserMessage,
} from './supervision/query-prompts.ts';
export { type ReapedOrphan, type ReapOptions, type ReapReport, reapOrphans } from './supervision/reap-orphans.ts';
export type { RecoveryReport, SessionRecovery } from './supervision/recovery.ts';
export type { DrainOptions } from './supervision/shutdown-phases.ts';
export type { OrphanEvent } from './supervision/start-sweep.ts';
export { type StartupInput, startup, type WarmQuery } from './supervision/startup.ts';
export type { StoredSessionView } from './supervision/stored-sessions.ts';
export { createSupervisor, type Supervisor } from './supervision/supervisor.ts';
export type { SupervisorExplanation } from './supervision/supervisor-explanation.ts';
export type { PrewarmedPool } from './supervision/warm-pool.ts';
export type { SpawnerMode } from './transport/spawner-use.ts';
export type {
  ExitReport,
  LaunchPlan,
  OpenTransport,
  Transport,
  TransportListeners,
  TreeReport,
} from './transport/transport.ts';
export { CliMessage, type MessageView } from './wire/cli-message.ts';
export {
  BUILTIN_TOOL_NAMES,
  EXIT_REASONS,
  LEGACY_TOOL_NAME_ALIASES,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
} from './wire/cli-names.ts';
export type {
  AccountInfo,
  AgentInfo,
  InitializeAnswer,
  McpServerStatus,
  ModelInfo,
  SlashCommand,
} from './wire/control-answers.ts';
export { formatCost } from './wire/cost-text.ts';
export type { DialectName, DialectOption } from './wire/dialect.ts';
export type { ModelTokens, RateLimit, Usage } from './wire/facts.ts';
export { type AssembledBlock, type AssembledMessage, MessageAssembler } from './wire/message-assembler.ts';
export {
  isErrorMessage,
  isResult,
  type ToolResult,
  type ToolUse,
  textDeltaOf,
  textOf,
  thinkingOf,
  toolResultsOf,
  toolUsesOf,
} from './wire/message-text.ts';
export type { AnyMessage } from './wire/message-value.ts';
export type { KnownBlock } from './wire/stream-json/content-block-schemas.ts';
export type { KnownMessage } from './wire/stream-json/known-message.ts';
export type {
  SDKAPIRetryMessage,
  SDKAuthStatusMessage,
  SDKBackgroundTasksChangedMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlRequestProgressMessage,
  SDKConversationResetMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKLocalCommandOutputMessage,
  SDKMemoryRecallMessage,
  SDKMirrorErrorMessage,
  SDKModelRefusalFallbackMessage,
  SDKModelRefusalNoFallbackMessage,
  SDKNotificationMessage,
  SDKPermissionDeniedMessage,
  SDKPluginInstallMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKSessionStateChangedMessage,
  SDKSessionWritesLostMessage,
  SDKStatusMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKUserMessageReplay,
  SDKWorkerShuttingDownMessage,
} from './wire/stream-json/message-names.ts';
export { type Subagent, subagentOf } from './wire/subagent.ts';
