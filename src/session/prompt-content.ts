import { TroupeError } from '../errors.ts';
import { faultOfBlock } from './prompt-blocks.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { PromptContent } from './prompt-record.ts';

const MAX_ID_LENGTH = 200;

/** Checks a prompt at the edge: the API refuses blank text, and one malformed line would end the CLI (WIRE §14). */
export function parsePromptContent(content: unknown): PromptContent {
  if (typeof content === 'string') {
    if (content.trim() === '') throw invalid('content', 'the text is empty or blank');
    return content;
  }
  if (!Array.isArray(content)) throw invalid('content', 'expected a text or an array of content blocks');
  if (content.length === 0) throw invalid('content', 'there is no content block');
  content.forEach((block, index) => {
    const isBlock =
      typeof block === 'object' && block !== null && typeof (block as { type?: unknown }).type === 'string';
    if (!isBlock) throw invalid(`content[${index}]`, 'expected an object with a string "type"');
    const fault = faultOfBlock(block as Record<string, unknown>);
    if (fault !== undefined) throw invalid(`content[${index}].${fault.field}`, fault.reason);
  });
  const isBlank = content.every(({ type, text }) => type === 'text' && String(text).trim() === '');
  if (isBlank) throw invalid('content', 'the text is empty or blank');
  return copyOf(content);
}

/** Finds what the process could not be told of a prompt. */
export type PromptInspection = (prompt: {
  readonly content: PromptContent;
  readonly fields: PromptFields | undefined;
  readonly isUntrusted: boolean;
}) => { readonly field: string; readonly reason: string } | undefined;

/** Throws INVALID_PROMPT for a prompt that would reach the process without a part of it. */
export function assertCarried(prompt: Parameters<PromptInspection>[0], inspect: PromptInspection | undefined): void {
  const fault = inspect?.(prompt);
  if (fault !== undefined) throw invalid(fault.field, fault.reason);
}

/** What was accepted is what is sent, whatever its owner does with the object later. */
function copyOf(content: readonly unknown[]): PromptContent {
  try {
    return JSON.parse(JSON.stringify(content)) as PromptContent;
  } catch (error) {
    throw invalid(
      'content',
      `it cannot be written as JSON (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** A prompt id travels as JSON and never becomes a flag; it has to be a short, printable line. */
export function parsePromptId(id: unknown, isSecret: (text: string) => boolean): string {
  const isUsable = typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH && /^[\x20-\x7e]+$/.test(id);
  if (!isUsable) throw invalid('id', `expected 1 to ${MAX_ID_LENGTH} printable ASCII characters`);
  // The CLI answers by this id, and would be heard with another one.
  if (isSecret(id)) throw invalid('id', 'must not hold a secret');
  return id;
}

function invalid(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_PROMPT', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
