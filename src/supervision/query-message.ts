import type { KnownBlock } from '../wire/stream-json/content-block-schemas.ts';
import type { KnownMessage } from '../wire/stream-json/known-message.ts';

/** The fields that every release which has the message sends; the schemas must also take the releases that had them not. */
type Sure<T, Names extends keyof T> = T & { [Name in Names]-?: NonNullable<T[Name]> };
type Of<Type extends string> = Extract<KnownMessage, { type: Type }>;
type SystemOf<Subtype extends string> = Extract<KnownMessage, { type: 'system'; subtype: Subtype }>;
type From = 'uuid' | 'session_id';

/** One block-complete piece of the model's answer. */
export type SDKAssistantMessage = Sure<Of<'assistant'>, From> & {
  readonly message: { readonly id: string; readonly model: string; readonly content: KnownBlock[] };
  readonly parent_tool_use_id: string | null;
};

/** Tool results, and what the CLI itself says in the user's place. */
export type SDKUserMessageReceived = Of<'user'> & {
  readonly message: { readonly role: 'user'; readonly content: string | KnownBlock[] };
  readonly parent_tool_use_id: string | null;
};

type ResultFields =
  | From
  | 'duration_ms'
  | 'num_turns'
  | 'total_cost_usd'
  | 'usage'
  | 'modelUsage'
  | 'permission_denials';
type ResultOf<Subtype extends string> = Extract<Of<'result'>, { subtype: Subtype }>;

export type SDKResultSuccess = Sure<ResultOf<'success'>, ResultFields | 'result'> & {
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
};
export type SDKResultError = Sure<Exclude<Of<'result'>, { subtype: 'success' }>, ResultFields | 'errors'> & {
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
};
/** The end of a turn. `is_error` says whether it failed, also where the subtype is `success` (WIRE §0.5). */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** `system/init`: what the CLI is about to work with, at the start of each turn. */
export type SDKSystemMessage = Sure<SystemOf<'init'>, From> & {
  readonly cwd: string;
  readonly tools: string[];
  readonly model: string;
  readonly mcp_servers: { readonly name: string; readonly status: string }[];
};

export type SDKPartialAssistantMessage = Sure<Of<'stream_event'>, From>;

/**
 * What a query yields: the messages of the CLI under the names and with the fields of the official SDK. A message of a
 * newer release than this one knows passes all the same.
 */
export type QueryMessage =
  | SDKAssistantMessage
  | SDKUserMessageReceived
  | SDKResultMessage
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | Exclude<
      KnownMessage,
      { type: 'assistant' | 'user' | 'result' | 'stream_event' } | { type: 'system'; subtype: 'init' }
    >;

/** Turns on `session_state_changed` where the program asks for it itself; a session of Troupe always has it on. */
const STATE_EVENTS = 'CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS';
/** Facts that the CLI adds to the messages of a prompt which carried a uuid. */
const MARKS = [
  'user_message_uuid',
  'user_message_uuids',
  'owed_rows',
  'request_sent_wall_ms',
  'first_request_input_tokens',
  'first_request_cache_read_input_tokens',
];

/** Shows of the conversation what the official SDK shows, and hides what the CLI says only because Troupe asked for it. */
export class QueryView {
  /** Prompts of the program, by their uuids; those under `mine` got theirs here. */
  readonly #sent = new Set<string>();
  readonly #mine = new Set<string>();
  readonly #showsState: boolean;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#showsState = Boolean(env[STATE_EVENTS]);
  }

  /** Must be told of each prompt before it is written. */
  remember(id: string, isMine: boolean): void {
    this.#sent.add(id);
    if (isMine) this.#mine.add(id);
  }

  /** The message as the program sees it; undefined for one it does not. */
  show(value: Readonly<Record<string, unknown>>): QueryMessage | undefined {
    if (this.#isHidden(value)) return undefined;
    const marks = [value['user_message_uuid'], value['user_message_uuids']].flat().filter((id) => id !== undefined);
    const isMarkedByMe = marks.length > 0 && marks.every((id) => this.#mine.has(String(id)));
    const shown = isMarkedByMe
      ? Object.entries(value).filter(([name]) => !MARKS.includes(name))
      : Object.entries(value);
    // The CLI is the authority on its messages, so an unknown one goes under the type of the known ones (P6).
    return Object.fromEntries(shown) as unknown as QueryMessage;
  }

  #isHidden({ type, subtype, uuid, command_uuid: promptId, isReplay }: Readonly<Record<string, unknown>>): boolean {
    // The receipt of a prompt (WIRE §11), which the official SDK does not ask for.
    if (type === 'user') return typeof uuid === 'string' && isReplay === true && this.#sent.has(uuid);
    if (type === 'command_lifecycle') return this.#mine.has(String(promptId));
    return type === 'system' && subtype === 'session_state_changed' && !this.#showsState;
  }
}
