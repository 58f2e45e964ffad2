import { randomUUID } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import { parsePromptContent } from '../session/prompt-content.ts';
import type { PromptContent } from '../session/prompt-record.ts';

/** One message of a streamed prompt, in the shape the official SDK takes. */
export interface UserMessageInput {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: PromptContent };
  /** The id of the prompt (P2). Default: made up here, and then no message mentions it. */
  readonly uuid?: string;
  readonly parent_tool_use_id?: string | null;
  readonly session_id?: string;
  readonly [key: string]: unknown;
}

/** A text, or user messages as they come. */
export type QueryPrompt = string | AsyncIterable<UserMessageInput>;

export interface ReadPrompt {
  readonly content: PromptContent;
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
  if (!isRecord(value) || !isRecord(value['message'])) throw invalid(`prompt[${index}]`, 'expected a user message');
  const { uuid, message } = value;
  const content = parsePromptContent(message['content']);
  return typeof uuid === 'string' ? { content, id: uuid, isMine: false } : { content, id: randomUUID(), isMine: true };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function invalid(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_PROMPT', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
