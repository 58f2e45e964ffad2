import { TroupeError } from '../../errors.ts';
import type {
  CutBy,
  CutReply,
  DelayedReply,
  ErrorReply,
  ErrorTimesReply,
  HangReply,
  MessageReply,
  ProseBlock,
  Reply,
  ReplyUsage,
} from './reply.ts';

/** The most pieces one streamed text may have. */
export const MAX_PIECES = 100_000;
/** The longest delay a script may ask for, before a reply or between two pieces. */
export const MAX_DELAY_MS = 10 * 60_000;
const CUT_OFF = 'This text is cut off.';
/** Time between two pieces of a streamed text where nothing else is said. */
export const DEFAULT_SLOW_DELAY_MS = 100;

/**
 * What a request must look like; every condition given must hold. The prompt conditions look at the prompt that runs now:
 * they hold when it was just sent, and with `isToolResult: true` when its tools have just answered.
 */
export interface RequestPattern {
  readonly promptEquals?: string;
  readonly promptContains?: string;
  readonly promptMatches?: RegExp;
  /** True: tools have just answered. False: a prompt was just sent. */
  readonly isToolResult?: boolean;
  /** Text in the JSON of the tool results that were just sent. */
  readonly toolResultContains?: string;
  /** The n-th message request of this server, counted from 1, retries and subagents included. */
  readonly nth?: number;
  readonly systemContains?: string;
  readonly model?: string;
}

export interface ModelRule {
  readonly when: RequestPattern;
  readonly reply: Reply;
  /** How often this rule may answer; later requests go on to the next rule. No limit by default. */
  readonly times?: number;
}

/** What the fake model answers: the first rule that matches, else `otherwise`, else the prompt language. */
export interface ModelScript {
  readonly rules?: readonly ModelRule[];
  /** Replaces the prompt language (`CALL`, `SLOW`, `ERROR` …, see `prompt-language.ts`). */
  readonly otherwise?: Reply;
  /** Time between two words of the prompt `SLOW <n>`. Default 100. */
  readonly slowDelayMs?: number;
  /** How many requests are kept in `requests`; older ones are dropped. Default 200. */
  readonly keptRequests?: number;
  /** What a request to count tokens is answered. Default 10. */
  readonly countedTokens?: number;
}

/** A message of one text block, sent in one piece. */
export function text(content: string): MessageReply {
  return messageOf([prose('text', content === '' ? [] : [content], 0)]);
}

export interface StreamTextOptions {
  /** How many words to send: `w0 w1 w2 …`. */
  readonly words?: number;
  /** How many lines to send: `line 0`, `line 1` … */
  readonly lines?: number;
  /** This text instead, word by word. */
  readonly text?: string;
  /** Time between two pieces. Default 100. */
  readonly delayMs?: number;
}

/** A text in many deltas. Give one of `words`, `lines` and `text`; INVALID_OPTIONS otherwise, or beyond `MAX_PIECES`. */
export function streamText(options: StreamTextOptions): MessageReply {
  const delayMs = checked('delayMs', options.delayMs ?? DEFAULT_SLOW_DELAY_MS, 0, MAX_DELAY_MS, false);
  const given = [options.words, options.lines, options.text].filter((value) => value !== undefined);
  if (given.length !== 1) throw invalid('streamText', 'Give exactly one of words, lines and text.');
  return messageOf([prose('text', piecesOf(options), delayMs)]);
}

/** A tool call, after a text block when `text` is given. The id is made by the server unless given. */
export function toolUse(
  name: string,
  input: Readonly<Record<string, unknown>>,
  options: { readonly text?: string; readonly id?: string } = {},
): MessageReply {
  const call = { type: 'tool_use', name, input, ...(options.id === undefined ? {} : { id: options.id }) } as const;
  const before = options.text === undefined ? [] : [prose('text', [options.text], 0)];
  return { kind: 'message', blocks: [...before, call], stopReason: 'tool_use' };
}

/** Several messages as one: their blocks in order, with the last stop reason and usage; a tool call anywhere makes it `tool_use`. */
export function together(...replies: readonly MessageReply[]): MessageReply {
  const blocks = replies.flatMap((reply) => reply.blocks);
  const isCalling = blocks.some((block) => block.type === 'tool_use');
  const last = replies.at(-1);
  const usage = last?.usage === undefined ? {} : { usage: last.usage };
  return { kind: 'message', blocks, stopReason: isCalling ? 'tool_use' : (last?.stopReason ?? 'end_turn'), ...usage };
}

/** A thinking block; put an answer behind it with `together(thinking('…'), text('…'))`. */
export function thinking(content: string): MessageReply {
  return messageOf([prose('thinking', content === '' ? [] : [content], 0)]);
}

/** A message that was cut by the token limit. */
export function maxTokens(content: string): MessageReply {
  return { ...text(content), stopReason: 'max_tokens' };
}

/** A refusal. The CLI asks once more by itself (WIRE §10). */
export function refusal(content = ''): MessageReply {
  return { ...(content === '' ? empty() : text(content)), stopReason: 'refusal' };
}

/** A message without any block. The CLI asks once more by itself (WIRE §10). */
export function empty(): MessageReply {
  return messageOf([]);
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export interface ErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The header `retry-after`: so many seconds, beside its own wait, a CLI leaves the API alone. */
  readonly retryAfterSeconds?: number;
}

/** An HTTP error of status 400–599; type and message default to what the Messages API says for that status. */
export function error(status: number, type?: string, message?: string, options: ErrorOptions = {}): ErrorReply {
  const { headers = {}, retryAfterSeconds } = options;
  if (retryAfterSeconds !== undefined) checked('retryAfterSeconds', retryAfterSeconds, 0, MAX_DELAY_MS / 1000, false);
  return {
    kind: 'error',
    status: checked('status', status, 400, 599),
    type: type ?? ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message: message ?? `Scripted error ${status}.`,
    headers: retryAfterSeconds === undefined ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) },
  };
}

/** Fails `times` times with a status, or an error of your own, then answers `then`; the count is kept per server and reply object. */
export function errorTimes(times: number, failure: number | ErrorReply, then: Reply): ErrorTimesReply {
  return {
    kind: 'error-times',
    times: checked('times', times, 0, Number.MAX_SAFE_INTEGER),
    failure: typeof failure === 'number' ? error(failure) : failure,
    then,
  };
}

/** Not one byte, until the client or the server goes away. */
export function hang(): HangReply {
  return { kind: 'hang' };
}

/** Closes the connection after `events` stream events. A non-streaming answer has no events and stays whole. */
export function cutAfter(events: number, reply: Reply = text(CUT_OFF)): CutReply {
  return cut(events, 'close', reply);
}

/** The same, but the connection is reset: the client gets ECONNRESET, and may lose what it had not read. */
export function resetAfter(events: number, reply: Reply = text(CUT_OFF)): CutReply {
  return cut(events, 'reset', reply);
}

/** After `events` stream events the API fails by an `error` event, as it does when it is overloaded in the middle of an answer. */
export function failAfter(events: number, failure: ErrorReply = error(529), reply: Reply = text(CUT_OFF)): CutReply {
  return cut(events, failure, reply);
}

/** The same message with what it is said to have used. */
export function withUsage(reply: MessageReply, usage: ReplyUsage): MessageReply {
  for (const [field, tokens] of Object.entries(usage)) checked(field, tokens, 0, Number.MAX_SAFE_INTEGER);
  return { ...reply, usage: { ...reply.usage, ...usage } };
}

/** Silence for `ms`, then `reply`. */
export function delay(ms: number, reply: Reply): DelayedReply {
  return { kind: 'delayed', delayMs: checked('ms', ms, 0, MAX_DELAY_MS, false), reply };
}

/** Refuses, with INVALID_OPTIONS, what no server could keep to. */
export function checkScript(script: ModelScript): void {
  if (script.slowDelayMs !== undefined) checked('slowDelayMs', script.slowDelayMs, 0, MAX_DELAY_MS, false);
  if (script.countedTokens !== undefined) checked('countedTokens', script.countedTokens, 0, Number.MAX_SAFE_INTEGER);
  if (script.keptRequests !== undefined) checked('keptRequests', script.keptRequests, 0, 100_000);
  for (const rule of script.rules ?? []) {
    if (rule.times !== undefined) checked('times', rule.times, 0, Number.MAX_SAFE_INTEGER);
    if (rule.when.nth !== undefined) checked('nth', rule.when.nth, 1, Number.MAX_SAFE_INTEGER);
  }
}

function piecesOf({ words, lines, text: content }: StreamTextOptions): readonly string[] {
  if (content !== undefined) {
    const pieces = content.match(/\s*\S+\s*/g) ?? (content === '' ? [] : [content]);
    checked('text', pieces.length, 0, MAX_PIECES);
    return pieces;
  }
  if (lines !== undefined) {
    return Array.from({ length: checked('lines', lines, 0, MAX_PIECES) }, (_, index) => `line ${index}\n`);
  }
  const count = checked('words', words ?? 0, 0, MAX_PIECES);
  return Array.from({ length: count }, (_, index) => (index + 1 < count ? `w${index} ` : `w${index}`));
}

function cut(events: number, by: CutBy, reply: Reply): CutReply {
  return { kind: 'cut', afterEvents: checked('events', events, 0, Number.MAX_SAFE_INTEGER), by, reply };
}

function prose(type: ProseBlock['type'], pieces: readonly string[], delayMs: number): ProseBlock {
  return { type, pieces, delayMs };
}

function messageOf(blocks: readonly ProseBlock[]): MessageReply {
  return { kind: 'message', blocks, stopReason: 'end_turn' };
}

function checked(field: string, value: number, least: number, most: number, isWhole = true): number {
  const isNumber = isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (isNumber && value >= least && value <= most) return value;
  throw invalid(field, `${field} must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}.`);
}

function invalid(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_OPTIONS', { reason, details: { field } });
}
