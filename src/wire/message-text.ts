import { CliMessage } from './cli-message.ts';
import { isRecord, recordsOf, stringOf } from './fields.ts';
import { type AnyMessage, parsedValueOf } from './message-value.ts';

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** Normally an object; whatever the model produced. */
  readonly input: unknown;
}

export interface ToolResult {
  readonly toolUseId: string;
  /** The text of the result; pictures and other blocks in it are left out. */
  readonly text: string;
  /** What stands in the message: a text, a list of blocks, or nothing. */
  readonly content: unknown;
  readonly isError: boolean;
}

const TEXT_DELTA = Buffer.from('"text_delta"');

/** The text of a message: its text blocks joined, the result of a `result`, the piece in a `stream_event`; else empty. */
export function textOf(message: AnyMessage): string {
  if (message.type === 'stream_event') return textDeltaOf(message) ?? '';
  if (message.type === 'result') return stringOf(parsedValueOf(message)?.['result']) ?? '';
  return textIn(contentOf(message));
}

/** What the model thought aloud in a message of its own: the thinking blocks joined, else empty. */
export function thinkingOf(message: AnyMessage): string {
  if (message.type !== 'assistant') return '';
  const blocks = recordsOf(contentOf(message)).filter(({ type }) => type === 'thinking');
  return blocks.map(({ thinking }) => stringOf(thinking)).join('');
}

/** The tool calls in a message of the model; malformed ones are left out. */
export function toolUsesOf(message: AnyMessage): readonly ToolUse[] {
  if (message.type !== 'assistant') return [];
  return recordsOf(contentOf(message)).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof id === 'string' && typeof name === 'string' ? [{ id, name, input }] : [],
  );
}

/** What tools answered, in a `user` message; malformed results are left out. */
export function toolResultsOf(message: AnyMessage): readonly ToolResult[] {
  if (message.type !== 'user') return [];
  return recordsOf(contentOf(message)).flatMap(({ type, tool_use_id: toolUseId, content, is_error: isError }) =>
    type === 'tool_result' && typeof toolUseId === 'string'
      ? [{ toolUseId, text: textIn(content), content, isError: isError === true }]
      : [],
  );
}

/** True for the message that ends a turn. */
export function isResult(message: AnyMessage): boolean {
  return message.type === 'result';
}

/**
 * True for the result of a turn that failed, and for the sentence that stands in the model's place when the API gave no
 * answer. `is_error` decides, never the subtype (WIRE §0.5); an interrupted turn is no error (P3).
 */
export function isErrorMessage(message: AnyMessage): boolean {
  const value = parsedValueOf(message);
  if (message.type === 'assistant') return typeof value?.['error'] === 'string';
  if (message.type !== 'result') return false;
  const { is_error: isError, terminal_reason: reason, subtype } = value ?? {};
  if (typeof reason === 'string' && reason.startsWith('aborted_')) return false;
  // Up to 2.1.19 a limit that was reached comes with `is_error` false (WIRE §23).
  return isError === true || (typeof subtype === 'string' && subtype.startsWith('error_max_'));
}

/** The new text in a `stream_event`; undefined for every other event and message. */
export function textDeltaOf(message: AnyMessage): string | undefined {
  if (message.type !== 'stream_event') return undefined;
  // Looking at the bytes first spares most events the parser.
  if (message instanceof CliMessage && !message.line.includes(TEXT_DELTA)) return undefined;
  const event = parsedValueOf(message)?.['event'];
  const delta = isRecord(event) ? event['delta'] : undefined;
  return isRecord(delta) && delta['type'] === 'text_delta' ? stringOf(delta['text']) : undefined;
}

function contentOf(message: AnyMessage): unknown {
  if (message.type !== 'assistant' && message.type !== 'user') return undefined;
  const inner = parsedValueOf(message)?.['message'];
  return isRecord(inner) ? inner['content'] : undefined;
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = recordsOf(content).map(({ type, text }) => (type === 'text' ? stringOf(text) : undefined));
  return texts.join('');
}
