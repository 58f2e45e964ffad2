import { z } from 'zod';
import { TroupeError } from '../errors.ts';

/**
 * What a user message may carry beside its text, under the names of the official SDK. A field that is not listed goes to
 * the CLI as it is, too.
 */
export interface PromptFields {
  /** False: the text joins the conversation and no model is asked; the turn ends at once with an empty text. */
  readonly shouldQuery?: boolean;
  /** `now` ends the running turn, `next` (the CLI's default) goes into it, `later` waits for its end. */
  readonly priority?: 'now' | 'next' | 'later';
  /** No person wrote the text. Newer releases tell the model so. */
  readonly isSynthetic?: boolean;
  /** The text is meant word for word: as the option `untrusted`, on every release. */
  readonly client_composed?: true;
  readonly parent_tool_use_id?: string | null;
  readonly tool_use_result?: unknown;
  readonly origin?: Readonly<Record<string, unknown>>;
  readonly timestamp?: string;
  readonly pasted_content?: readonly unknown[];
  readonly inline_pastes?: readonly string[];
  readonly session_id?: string;
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  readonly [field: string]: unknown;
}

const Fields = z.looseObject({
  shouldQuery: z.boolean().optional(),
  priority: z.enum(['now', 'next', 'later']).optional(),
  isSynthetic: z.boolean().optional(),
  client_composed: z.literal(true).optional(),
  parent_tool_use_id: z.string().nullish(),
  origin: z.record(z.string(), z.unknown()).optional(),
  timestamp: z.string().optional(),
  pasted_content: z.array(z.unknown()).optional(),
  inline_pastes: z.array(z.string()).optional(),
  session_id: z.string().optional(),
  agent_id: z.string().optional(),
  subagent_type: z.string().optional(),
  task_description: z.string().optional(),
  type: z.never('the content of the prompt makes the message').optional(),
  message: z.never('the content of the prompt makes the message').optional(),
  uuid: z.never('the id of the prompt is its uuid').optional(),
});

/** Checks and copies the fields of a prompt; undefined when there are none. Throws INVALID_PROMPT with `details.field`. */
export function parsePromptFields(given: unknown, place = 'fields'): PromptFields | undefined {
  if (given === undefined) return undefined;
  const parsed = Fields.safeParse(given);
  if (!parsed.success) {
    const { path = [], message = 'is malformed' } = parsed.error.issues[0] ?? {};
    throw invalid([place, ...path].join('.'), message);
  }
  const fields = copyOf(given, place);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** What was accepted is what is sent, whatever its owner does with the object later. */
function copyOf(given: unknown, place: string): PromptFields {
  try {
    return JSON.parse(JSON.stringify(given)) as PromptFields;
  } catch (error) {
    throw invalid(place, `cannot be written as JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function invalid(field: string, reason: string): TroupeError {
  return new TroupeError('INVALID_PROMPT', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
