import { createHash } from 'node:crypto';
import type { PromptFields } from './prompt-fields.ts';
import type { PromptContent } from './prompt-record.ts';

/** By what a repeated id is known to mean the same prompt, also when its content is long forgotten. */
export function digestOf(content: PromptContent, fields: PromptFields | undefined): string {
  const whole = fields === undefined ? content : { content, fields };
  return createHash('sha256').update(JSON.stringify(whole)).digest('base64');
}
