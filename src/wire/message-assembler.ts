import { isRecord, numberOf, parseRecord, recordsOf, stringOf } from './fields.ts';
import { type AnyMessage, parsedValueOf } from './message-value.ts';

/** A content block while it is written: the fields of the API, as far as they are known. */
export type AssembledBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * One message of the model, put together from its pieces. `running`: more may come · `complete` · `aborted`: cut off by an
 * interrupt, what was said stands · `abandoned`: the API broke off, another message takes its place and this one is void.
 */
export interface AssembledMessage {
  /** The API's id; undefined while only pieces of its middle were seen. */
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** The `Task` call of the subagent that speaks; undefined for the main conversation. */
  readonly parentToolUseId: string | undefined;
  readonly state: 'running' | 'complete' | 'aborted' | 'abandoned';
  readonly blocks: readonly AssembledBlock[];
  /** The text blocks joined. */
  readonly text: string;
  readonly stopReason: string | undefined;
}

interface Draft {
  block: Record<string, unknown> & { type: string };
  /** JSON of a tool's input, piece by piece. */
  json: string;
  /** The CLI has sent the whole block: later pieces change nothing. */
  isFinal: boolean;
}

interface Lane {
  id: string | undefined;
  model: string | undefined;
  readonly parentToolUseId: string | undefined;
  state: AssembledMessage['state'];
  stopReason: string | undefined;
  /** By the index that the events name; blocks that no event announced follow behind. */
  readonly drafts: Map<number, Draft>;
}

/** Conversations that speak at the same time; the one that was silent longest is forgotten first. */
const MAX_LANES = 256;
const MAX_BLOCKS = 10_000;

/**
 * Folds `stream_event`s, and the `assistant` messages that repeat each block as a whole, into the message they are parts
 * of (WIRE §10). Give it every message in order; without partial messages it joins the blocks of one answer all the same.
 * Subagents that speak in between are kept apart. Pieces without a beginning are taken as they are. Never throws.
 */
export class MessageAssembler {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Takes a message and returns what it made of the answer it belongs to; undefined when it belongs to none. The `result`
   * of a turn ends an answer whose end no piece told: there are none without partial messages, and up to 2.1.197 none after
   * an interrupt (measured).
   */
  push(message: AnyMessage): AssembledMessage | undefined {
    if (message.type === 'result') return this.#onResult(message);
    const isEvent = message.type === 'stream_event';
    if (!isEvent && message.type !== 'assistant') return undefined;
    const value = parsedValueOf(message);
    if (value === undefined) return undefined;
    const parent = stringOf(value['parent_tool_use_id']) || undefined;
    const lane = isEvent ? this.#onEvent(parent, value) : this.#onBlocks(parent, value);
    return lane === undefined ? undefined : shown(lane);
  }

  /** The newest answer of the main conversation, or of the subagent that this `Task` call started. */
  newest(parentToolUseId?: string): AssembledMessage | undefined {
    const lane = this.#lanes.get(parentToolUseId ?? '');
    return lane === undefined ? undefined : shown(lane);
  }

  #onEvent(parent: string | undefined, { event }: Readonly<Record<string, unknown>>): Lane | undefined {
    if (!isRecord(event)) return undefined;
    switch (event['type']) {
      case 'message_start':
        return this.#open(parent, isRecord(event['message']) ? event['message'] : {});
      case 'content_block_start':
        return startBlock(this.#lane(parent), event);
      case 'content_block_delta':
        return extendBlock(this.#lane(parent), event);
      case 'content_block_stop':
        return stopBlock(this.#lane(parent), event);
      case 'message_delta':
        return noteStopReason(this.#lane(parent), event['delta']);
      case 'message_stop':
        return stopMessage(this.#lane(parent));
      default:
        return undefined;
    }
  }

  /** A whole block replaces the one that was being written; a block nobody announced is appended. */
  #onBlocks(parent: string | undefined, value: Readonly<Record<string, unknown>>): Lane | undefined {
    const { message, aborted } = value;
    if (!isRecord(message)) return undefined;
    const id = stringOf(message['id']);
    let lane = this.#lane(parent);
    if (lane.id !== undefined && lane.id !== id) lane = this.#open(parent, message);
    lane.id ??= id;
    lane.model ??= stringOf(message['model']);
    for (const block of recordsOf(message['content'])) finishBlock(lane, block);
    if (aborted === true) lane.state = 'aborted';
    return lane;
  }

  #onResult(message: AnyMessage): AssembledMessage | undefined {
    const lane = this.#lanes.get('');
    if (lane?.state !== 'running') return undefined;
    const hasBlocks = [...lane.drafts.values()].some(({ isFinal }) => isFinal);
    lane.state = wasAborted(message) ? 'aborted' : hasBlocks ? 'complete' : 'abandoned';
    return shown(lane);
  }

  #open(parent: string | undefined, message: Record<string, unknown>): Lane {
    const lane: Lane = {
      id: stringOf(message['id']),
      model: stringOf(message['model']),
      parentToolUseId: parent,
      state: 'running',
      stopReason: undefined,
      drafts: new Map(),
    };
    this.#remember(parent, lane);
    return lane;
  }

  #lane(parent: string | undefined): Lane {
    const known = this.#lanes.get(parent ?? '');
    if (known === undefined) return this.#open(parent, {});
    this.#remember(parent, known);
    return known;
  }

  #remember(parent: string | undefined, lane: Lane): void {
    const key = parent ?? '';
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    const oldest = this.#lanes.keys().next();
    if (this.#lanes.size > MAX_LANES && oldest.done !== true) this.#lanes.delete(oldest.value);
  }
}

/** Up to 2.1.19 an interrupt has no reason but this subtype, which is no error (WIRE §23). */
function wasAborted(message: AnyMessage): boolean {
  const value = parsedValueOf(message);
  if (stringOf(value?.['terminal_reason'])?.startsWith('aborted_') === true) return true;
  return value?.['subtype'] === 'error_during_execution' && value['is_error'] === false;
}

function startBlock(lane: Lane, { index, content_block: block }: Record<string, unknown>): Lane {
  const type = isRecord(block) ? stringOf(block['type']) : undefined;
  if (type !== undefined && isRecord(block)) draftAt(lane, index, { ...block, type });
  return lane;
}

/** The kind of block that a piece is part of, for pieces whose block was never announced. */
const BLOCK_OF: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
};

function extendBlock(lane: Lane, { index, delta }: Record<string, unknown>): Lane {
  const kind = isRecord(delta) ? stringOf(delta['type']) : undefined;
  const type = kind === undefined ? undefined : BLOCK_OF[kind];
  if (!isRecord(delta) || type === undefined) return lane;
  const draft = draftAt(lane, index, { type });
  if (draft === undefined || draft.isFinal || draft.block.type !== type) return lane;
  if (kind === 'input_json_delta') draft.json += stringOf(delta['partial_json']) ?? '';
  else {
    const field = kind === 'signature_delta' ? 'signature' : type;
    draft.block[field] = `${stringOf(draft.block[field]) ?? ''}${stringOf(delta[field]) ?? ''}`;
  }
  return lane;
}

function stopBlock(lane: Lane, { index }: Record<string, unknown>): Lane {
  const draft = lane.drafts.get(numberOf(index) ?? -1);
  if (draft === undefined || draft.isFinal || draft.json === '') return lane;
  draft.block['input'] = parseRecord(draft.json) ?? draft.block['input'];
  return lane;
}

function noteStopReason(lane: Lane, delta: unknown): Lane {
  if (isRecord(delta)) lane.stopReason = stringOf(delta['stop_reason']) ?? lane.stopReason;
  return lane;
}

/** Without a reason the end is one that the CLI made up: for an interrupt, or for a stream that broke (WIRE §8, §13). */
function stopMessage(lane: Lane): Lane {
  if (lane.state === 'running') lane.state = lane.stopReason === undefined ? 'abandoned' : 'complete';
  return lane;
}

function finishBlock(lane: Lane, given: Record<string, unknown>): void {
  const type = stringOf(given['type']);
  if (type === undefined) return;
  const block = { ...given, type };
  const open = [...lane.drafts.values()].find((draft) => !draft.isFinal && draft.block.type === type);
  if (open !== undefined) Object.assign(open, { block, isFinal: true });
  else if (lane.drafts.size < MAX_BLOCKS) {
    const last = Math.max(-1, ...lane.drafts.keys());
    lane.drafts.set(last + 1, { block, json: '', isFinal: true });
  }
}

function draftAt(lane: Lane, index: unknown, block: Draft['block']): Draft | undefined {
  const at = numberOf(index) ?? 0;
  const known = lane.drafts.get(at);
  if (known !== undefined || lane.drafts.size >= MAX_BLOCKS) return known;
  const draft: Draft = { block, json: '', isFinal: false };
  lane.drafts.set(at, draft);
  return draft;
}

function shown(lane: Lane): AssembledMessage {
  const ordered = [...lane.drafts].toSorted(([one], [other]) => one - other).map(([, draft]) => ({ ...draft.block }));
  return {
    id: lane.id,
    model: lane.model,
    parentToolUseId: lane.parentToolUseId,
    state: lane.state,
    blocks: ordered,
    text: ordered.reduce((text, block) => text + (block.type === 'text' ? (stringOf(block['text']) ?? '') : ''), ''),
    stopReason: lane.stopReason,
  };
}
