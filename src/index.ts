export type { ChildStateName } from '../machines/child/child.events.ts';
export type { PermissionDecision, Settlement } from '../machines/permission/permission.events.ts';
export type { SessionStateName } from '../machines/session/session.events.ts';
export type { SupervisorStateName } from '../machines/supervisor/supervisor.events.ts';
export { type Clock, systemClock } from './clock.ts';
export { ERROR_CODES, type ErrorCode, TroupeError, type TroupeErrorOptions } from './errors.ts';
export { hook, type Validation } from './hooks/hook.ts';
export { HOOK_EVENTS, type HookEvent, type HookInput } from './hooks/hook-input.ts';
export type { HookCallback, HookCallbackMatcher, HooksOption } from './hooks/hook-options.ts';
export type { HookOutput } from './hooks/hook-output.ts';
export type {
  AgentOptions,
  LimitOptions,
  McpServerOptions,
  PermissionMode,
  RemoteMcpServerOptions,
  RestartOptions,
  SdkMcpServerOptions,
  SessionOptions,
  StdioMcpServerOptions,
  TimeoutOptions,
} from './launch/session-options.ts';
export type {
  Logger,
  SupervisorLimitOptions,
  SupervisorOptions,
  SupervisorTimeoutOptions,
} from './launch/supervisor-options.ts';
export { createSdkMcpServer, type ToolDefinition, type ToolExtra, tool } from './mcp/tool.ts';
export type { CanUseTool, CanUseToolContext } from './permissions/permission-desk.ts';
export type { PermissionRequest } from './permissions/permission-request.ts';
export type { PermissionResult, PermissionUpdate } from './permissions/permission-result.ts';
export type { ActivityState, ConversationFacts } from './session/conversation.ts';
export type { SessionUsage } from './session/cost-meter.ts';
export type { Explanation } from './session/explanation.ts';
export type { InterruptReceipt } from './session/interrupt.ts';
export type { OnBusy, PromptContent } from './session/prompt-record.ts';
export type { Session, SessionStatus } from './session/session.ts';
export type { ControlOptions } from './session/session-controls.ts';
export type { StateChange } from './session/session-life.ts';
export type { SessionPermissions } from './session/session-permissions.ts';
export type { Turn } from './session/turn.ts';
export type { TurnResult } from './session/turn-result.ts';
export type {
  EndFacts,
  ObservedEvent,
  PromptOutcome,
  SessionEvent,
  SessionFact,
  SubscriberEvent,
} from './store/session-event.ts';
export { type Query, type QueryInput, type QueryMessage, query, type UserMessageInput } from './supervision/query.ts';
export { createSupervisor, type FleetEvent, type Supervisor } from './supervision/supervisor.ts';
export type {
  ExitReport,
  LaunchPlan,
  OpenTransport,
  Transport,
  TransportListeners,
  TreeReport,
} from './transport/transport.ts';
export { CliMessage, type MessageView } from './wire/cli-message.ts';
export type {
  AccountInfo,
  AgentInfo,
  InitializeAnswer,
  McpServerStatus,
  ModelInfo,
  SlashCommand,
} from './wire/control-answers.ts';
export type { Usage } from './wire/facts.ts';
export type { KnownMessage } from './wire/stream-json/known-message.ts';
