import { randomUUID } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import { parsePromptContent } from '../session/prompt-content.ts';
import { type PromptFields, parsePromptFields } from '../session/prompt-fields.ts';
import type { PromptContent } from '../session/prompt-record.ts';

/** One message of a streamed prompt, in the shape the official SDK takes; its fields reach the CLI as they are. */
export interface UserMessageInput extends PromptFields {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: PromptContent };
  /** The id of the prompt (P2). Default: made up here, and then no message mentions it. */
  readonly uuid?: string;
}

/** A text, or user messages as they come. */
export type QueryPrompt = string | AsyncIterable<UserMessageInput>;

export interface ReadPrompt {
  readonly content: PromptContent;
  readonly fields?: PromptFields | undefined;
  readonly id: string;
  /** The id was made up here. */
  readonly isMine: boolean;
}

/** Checked before a process is started for it. Throws INVALID_PROMPT. */
export function assertPrompt(prompt: unknown): asserts prompt is QueryPrompt {
  if (typeof prompt === 'string') void parsePromptContent(prompt);
  else if (!isRecord(prompt) || !(Symbol.asyncIterator in prompt)) {
    throw invalid('prompt', 'expected a text or an async iterable of user messages');
  }
}

/** A text as the official SDK writes it. */
export function textPrompt(text: string): ReadPrompt {
  return { content: [{ type: 'text', text }], id: randomUUID(), isMine: true };
}

/** A stream is as foreign as any other input: what is no user message is named by its place. Throws INVALID_PROMPT. */
export function readUserMessage(value: unknown, index: number): ReadPrompt {
  const place = `prompt[${index}]`;
  if (!isRecord(value) || !isRecord(value['message'])) throw invalid(place, 'expected a user message');
  const { type, uuid, message, ...rest } = value;
  if (type !== undefined && type !== 'user') throw invalid(`${place}.type`, 'expected "user"');
  if (typeof uuid !== 'string' && uuid !== undefined && uuid !== null)
    throw invalid(`${place}.uuid`, 'expected a text');
  const { role, content: given, ...others } = message as Record<string, unknown>;
  if (role !== undefined && role !== 'user') throw invalid(`${place}.message.role`, 'expected "user"');
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`${place}.message.${other}`, 'is no field of a user message');
  const read = { content: parsePromptContent(given), fields: parsePromptFields(rest, place) };
  return typeof uuid === 'string' ? { ...read, id: uuid, isMine: false } : { ...read, id: randomUUID(), isMine: true };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function invalid(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_PROMPT', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
