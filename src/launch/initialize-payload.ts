import type { SessionOptions } from './session-options.ts';

/**
 * The fields of the `initialize` request, without its subtype, pure. It travels on stdin, so a value may have any size
 * (R94). A text replaces the system prompt, an empty one leaves the CLI's bare minimum, and without the option nothing
 * is sent and the CLI's own prompt stays. (Shapes checked against the requests that CLI 2.1.332 then makes.)
 */
export function initializePayload({ systemPrompt, agents, outputFormat }: SessionOptions): Record<string, unknown> {
  return {
    ...(typeof systemPrompt === 'string' ? { systemPrompt: [systemPrompt] } : appended(systemPrompt)),
    ...(agents === undefined ? {} : { agents }),
    ...(outputFormat === undefined ? {} : { jsonSchema: outputFormat.schema }),
  };
}

function appended(preset: Exclude<SessionOptions['systemPrompt'], string>): Record<string, unknown> {
  return preset?.append === undefined ? {} : { appendSystemPrompt: preset.append };
}
