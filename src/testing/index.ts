export type { Clock } from '../clock.ts';
export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../conversations/session-store.ts';
export type {
  LineDirection,
  Note,
  RecordedFrame,
  RecordedLine,
  RecordedNote,
  Recording,
  RecordingHeader,
} from '../recording/recording.ts';
export { parseRecording, readRecording } from '../recording/recording-reader.ts';
export type { ReplayMatch } from '../replay/line-match.ts';
export type { ReplayMismatch, ReplayOptions, ReplayTiming } from '../replay/replay-peer.ts';
export { type ReplayTransport, replayTransport } from '../replay/replay-transport.ts';
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
} from '../store/store.ts';
export type {
  Json,
  LedgerRecord,
  PermissionRecord,
  PromptRecord,
  SessionRecord,
  StoreRecord,
} from '../store/store-record.ts';
export type {
  ExitReport,
  LaunchPlan,
  OpenTransport,
  Transport,
  TransportListeners,
  TreeReport,
} from '../transport/transport.ts';
export type { CliMessage, MessageView } from '../wire/cli-message.ts';
export type { Codec, ControlOutcome, Decoded, PromptLine } from '../wire/codec.ts';
export type { DialectName } from '../wire/dialect.ts';
export type { KnownMessage } from '../wire/stream-json/known-message.ts';
export { type CodecSample, type CodecSubject, type CodecWriter, codecConformance } from './codec-conformance.ts';
export type { ConformanceCase } from './conformance-case.ts';
export type { Finding } from './drift/comparison.ts';
export { type DriftReport, reportText } from './drift/drift-report.ts';
export type { MissingAnchor } from './drift/observation.ts';
export { type DriftCheckOptions, driftCheck } from './drift-check.ts';
export { type FakeClaude, type FakeStart, type FakeViolation, fakeClaude } from './fake-cli/fake-claude.ts';
export type { FakeDialectName } from './fake-cli/fake-dialect.ts';
export type { FakeVersion, Flavor } from './fake-cli/flavor.ts';
export type { JournalEntry, Surprise, ViolationKind } from './fake-cli/journal.ts';
export type { Problem } from './fake-cli/problems.ts';
export type { ReplayScenario } from './fake-cli/replay-scenario.ts';
export {
  type Behaviour,
  type ChildSpec,
  type EchoTurnSpec,
  type ExpectSpec,
  type JsonObject,
  type Match,
  on,
  type Rule,
  type Scenario,
  type Step,
  step,
  type ToolTurnSpec,
  type TrickleSpec,
  times,
  when,
} from './fake-cli/scenario.ts';
export { readScenario } from './fake-cli/scenario-file.ts';
export type { PromptState } from './fake-cli/session-memory.ts';
export { type Asked, lastUserText, offeredTools, toolResults, toolResultText } from './fake-model/asked.ts';
export { type ExpectedRequest, type ExpectRequestsOptions, expectRequests } from './fake-model/expect-requests.ts';
export { type FakeModel, fakeModel } from './fake-model/fake-model.ts';
export type { ModelRequest, RequestFacts, RequestOutcome, ToolResult } from './fake-model/model-request.ts';
export type {
  CutBy,
  CutReply,
  DelayedReply,
  ErrorReply,
  ErrorTimesReply,
  HangReply,
  MessageReply,
  ProseBlock,
  Reply,
  ReplyBlock,
  ReplyUsage,
  StopReason,
  ToolUseBlock,
} from './fake-model/reply.ts';
export {
  cutAfter,
  delay,
  type ErrorOptions,
  empty,
  error,
  errorTimes,
  failAfter,
  hang,
  type ModelRule,
  type ModelScript,
  maxTokens,
  type RequestPattern,
  refusal,
  resetAfter,
  type StreamTextOptions,
  streamText,
  text,
  thinking,
  together,
  toolUse,
  withUsage,
} from './fake-model/script.ts';
export { findRealCli, type RealCliHome, realCliHome } from './real-cli.ts';
export { sessionStoreConformance } from './session-store-conformance.ts';
export { type SimulatedClock, simulatedClock } from './simulated-clock.ts';
export { type StoreSubject, storeConformance } from './store-conformance.ts';
export { OBEDIENT_PROGRAM, type TransportSubject, transportConformance } from './transport-conformance.ts';
