/** Why the model stopped, as the Messages API spells it. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';

/** Prose, sent piece by piece; `delayMs` passes before every piece but the first. */
export interface ProseBlock {
  readonly type: 'text' | 'thinking';
  readonly pieces: readonly string[];
  readonly delayMs: number;
}

/** One tool call. Without an `id` the server gives it one of its own, unique for its life. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

export type ReplyBlock = ProseBlock | ToolUseBlock;

/** One assistant message. */
export interface MessageReply {
  readonly kind: 'message';
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason: StopReason;
  /** What it is said to have used; 10 tokens in and 20 out where nothing is given. */
  readonly usage?: ReplyUsage;
}

/** Tokens of one answer. */
export interface ReplyUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheCreationTokens?: number;
}

/** An HTTP error instead of a message. */
export interface ErrorReply {
  readonly kind: 'error';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Fails the first `times` times it is chosen on one server, then answers `then`. */
export interface ErrorTimesReply {
  readonly kind: 'error-times';
  readonly times: number;
  readonly failure: ErrorReply;
  readonly then: Reply;
}

/** Not one byte, until the client or the server goes away. */
export interface HangReply {
  readonly kind: 'hang';
}

/**
 * The stream of `reply` up to `afterEvents` events. Then the connection is closed, or reset (RST), or, as the API itself does
 * when it fails in the middle, an `error` event is the last one.
 */
export interface CutReply {
  readonly kind: 'cut';
  readonly afterEvents: number;
  readonly by: CutBy;
  readonly reply: Reply;
}

export type CutBy = 'close' | 'reset' | ErrorReply;

/** Not one byte for `delayMs`, then `reply`. */
export interface DelayedReply {
  readonly kind: 'delayed';
  readonly delayMs: number;
  readonly reply: Reply;
}

/** What the model answers to one request: plain data, made by the functions in `script.ts`. */
export type Reply = MessageReply | ErrorReply | ErrorTimesReply | HangReply | CutReply | DelayedReply;
