import { hasFeature } from '../wire/features.ts';
import type { PromptContent } from './prompt-record.ts';

/**
 * The CLI looks for a command and for `@file` in the last text of a prompt, and nowhere else (measured on 2.1.197 and
 * 2.1.332, alone, merged and folded into a turn). So this text stands behind somebody else's.
 */
const END = { type: 'text', text: '(end of message)' };

/**
 * A prompt whose text cannot act: its words reach the model as they are, and no release runs them or reads files for them.
 * Newer ones are told so (`client_composed`); the others get the text as a block of its own with a harmless one behind it.
 */
export function inertContent(content: PromptContent, cliVersion: string | undefined): PromptContent {
  if (hasFeature(cliVersion, undefined, 'verbatimPrompts')) return content;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return blocks.some(canAct) ? [...blocks, END] : content;
}

function canAct({ type, text }: Readonly<Record<string, unknown>>): boolean {
  return type === 'text' && typeof text === 'string' && (text.trimStart().startsWith('/') || text.includes('@'));
}
