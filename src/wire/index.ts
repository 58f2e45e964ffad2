export { CliMessage, type MessageView } from './cli-message.ts';
export type { Codec, ControlOutcome, Decoded, PromptLine } from './codec.ts';
export { formatCost } from './cost-text.ts';
export { createCodec } from './create-codec.ts';
export { DIALECTS, type DialectName, type DialectOption } from './dialect.ts';
export {
  type BackgroundTask,
  type Fact,
  factOf,
  type ModelTokens,
  type RateLimit,
  type ResultFacts,
  type Usage,
} from './facts.ts';
export { FEATURES, type Feature, type FeatureName, hasFeature, MEASURED_RELEASES } from './features.ts';
export { DEFAULT_MAX_LINE_BYTES, type LineOverflow, LineSplitter } from './line-splitter.ts';
export { type AssembledBlock, type AssembledMessage, MessageAssembler } from './message-assembler.ts';
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
} from './message-text.ts';
export type { AnyMessage } from './message-value.ts';
export { streamJson } from './stream-json/codec.ts';
export { ContentBlock, isKnownBlock, KnownBlock } from './stream-json/content-block-schemas.ts';
export {
  CliControlRequest,
  ControlCancelLine,
  ControlRequestLine,
  ControlResponseLine,
} from './stream-json/control-schemas.ts';
export { HostLine } from './stream-json/host-line-schemas.ts';
export type { KnownMessage } from './stream-json/known-message.ts';
export { type Subagent, subagentOf } from './subagent.ts';
