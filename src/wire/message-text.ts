import type { CliMessage } from './cli-message.ts';
import { isRecord, recordsOf, stringOf } from './fields.ts';

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** Normally an object; whatever the model produced. */
  readonly input: unknown;
}

const TEXT_DELTA = Buffer.from('"text_delta"');

/** The text of a message: its text blocks joined, the result of a `result`, the piece in a `stream_event`; else empty. */
export function textOf(message: CliMessage): string {
  if (message.type === 'stream_event') return textDeltaOf(message) ?? '';
  if (message.type === 'result') return stringOf(message.value?.['result']) ?? '';
  const content = contentOf(message);
  if (typeof content === 'string') return content;
  const texts = recordsOf(content).map((block) => (block['type'] === 'text' ? stringOf(block['text']) : undefined));
  return texts.join('');
}

/** The tool calls in a message of the model; malformed ones are left out. */
export function toolUsesOf(message: CliMessage): readonly ToolUse[] {
  if (message.type !== 'assistant') return [];
  return recordsOf(contentOf(message)).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof id === 'string' && typeof name === 'string' ? [{ id, name, input }] : [],
  );
}

/** True for the message that ends a turn. */
export function isResult(message: CliMessage): boolean {
  return message.type === 'result';
}

/** The new text in a `stream_event`; undefined for every other event and message. */
export function textDeltaOf(message: CliMessage): string | undefined {
  // Looking at the bytes first spares most events the parser.
  if (message.type !== 'stream_event' || !message.raw.includes(TEXT_DELTA)) return undefined;
  const event = message.value?.['event'];
  const delta = isRecord(event) ? event['delta'] : undefined;
  return isRecord(delta) && delta['type'] === 'text_delta' ? stringOf(delta['text']) : undefined;
}

function contentOf(message: CliMessage): unknown {
  if (message.type !== 'assistant' && message.type !== 'user') return undefined;
  const inner = message.value?.['message'];
  return isRecord(inner) ? inner['content'] : undefined;
}
