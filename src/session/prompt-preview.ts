import type { PromptContent } from './prompt-record.ts';

/** Enough to know a prompt again in a list. */
const MOST_CHARACTERS = 200;

/** The beginning of its text, for the log; nothing for a prompt without any. */
export function previewOf(content: PromptContent): { readonly preview?: string } {
  const texts = typeof content === 'string' ? [content] : content.map(({ text }) => text);
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof text === 'string' ? { preview: text.slice(0, MOST_CHARACTERS) } : {};
}
