export { ERROR_CODES, type ErrorCode, TroupeError } from '../errors.ts';
export type {
  BudgetMark,
  EndFacts,
  FailureFacts,
  PlainFact,
  PromptOutcome,
  QuestionContext,
  RecoveryDecision,
  SilenceFacts,
  WatchdogFact,
} from '../store/plain-fact.ts';
export { applyEvent } from '../view/apply-event.ts';
export { applyFleetEvent } from '../view/apply-fleet-event.ts';
export { applyToTranscript } from '../view/apply-to-transcript.ts';
export {
  EMPTY_FLEET,
  type FleetPermission,
  type FleetView,
  type FleetViewEvent,
  type SessionSummary,
} from '../view/fleet-view.ts';
export {
  type EndedView,
  type PermissionView,
  type PromptView,
  type RestartsView,
  type ServerView,
  type SessionIdentity,
  type SessionView,
  type SettledPermission,
  startView,
  type TaskView,
  type Transition,
  type TurnView,
  type UsageView,
  type WatchdogView,
} from '../view/session-view.ts';
export { summaryOf } from '../view/summary.ts';
export {
  type CompactItem,
  EMPTY_TRANSCRIPT,
  type NoticeItem,
  type PromptItem,
  type ResultItem,
  type TextItem,
  type ToolItem,
  type ToolResultView,
  type Transcript,
  type TranscriptItem,
  type UnknownItem,
} from '../view/transcript.ts';
export type { MessageFact, ViewEvent } from '../view/view-event.ts';
export type { StreamState } from './event-stream.ts';
export type { Ask, Http, HttpOptions } from './http.ts';
export type { Observable } from './observable.ts';
export type { RemoteEvent, SubscriberNotice } from './remote-event.ts';
export { RemoteFleet } from './remote-fleet.ts';
export { type RemoteAnswer, RemotePermissions } from './remote-permissions.ts';
export { type FollowOptions, type RemotePromptContent, RemoteSession } from './remote-session.ts';
export { type RemotePromptOptions, type RemoteResult, RemoteTurn } from './remote-turn.ts';
export { type ConnectOptions, connect, type ListOptions, TroupeClient } from './troupe-client.ts';
