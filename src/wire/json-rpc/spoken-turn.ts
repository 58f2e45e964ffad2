import { isRecord, numberOf, stringOf } from '../fields.ts';
import type { Params } from './peer-line.ts';

type Neutral = { readonly type: string } & Readonly<Record<string, unknown>>;
type Tell = (value: Neutral) => void;

/** A text that grows beyond it is told in several blocks, so that it need not be held whole. */
const MAX_HELD_CHARACTERS = 2 ** 20;

const FAILED: ReadonlySet<unknown> = new Set(['failed', 'error', 'lost', 'rejected']);
const INTERRUPTED: ReadonlySet<unknown> = new Set(['interrupted', 'cancelled', 'canceled', 'aborted', 'stopped']);

/** A message of the host that the engine has not answered yet. */
export interface OpenPrompt {
  readonly uuid: string;
  readonly content: unknown;
}

export interface TurnFacts {
  readonly sessionId: string;
  readonly tools: readonly string[];
  readonly isPartial: boolean;
}

/** What an engine tells of the turn under way, as the CLI would have told it. */
export class SpokenTurn {
  #isOpen = false;
  #messageId = '';
  #made = 0;
  #text = '';
  #isStreaming = false;
  /** All text of the present answer, for a result that repeats none. */
  #answer = '';
  #stopReason: string | undefined;
  #lastTool: string | undefined;
  #totalCostUsd = 0;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The engine shows itself: the first that is told of a turn, before anything of it. */
  open(prompt: OpenPrompt | undefined, facts: TurnFacts, tell: Tell): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#answer = '';
    this.#stopReason = undefined;
    this.#lastTool = undefined;
    tell({ type: 'system', subtype: 'init', session_id: facts.sessionId, tools: facts.tools, mcp_servers: [] });
    if (prompt === undefined) return;
    const message = { role: 'user', content: prompt.content };
    tell({ type: 'user', message, uuid: prompt.uuid, session_id: facts.sessionId, isReplay: true });
  }

  token({ token, message_id: id }: Params, facts: TurnFacts, tell: Tell): void {
    if (typeof token !== 'string' || token === '') return;
    this.#enter(stringOf(id), facts, tell);
    if (facts.isPartial) {
      if (!this.#isStreaming) this.#startBlock(facts, tell);
      this.#event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: token } }, facts, tell);
    }
    this.#text += token;
    this.#answer = (this.#answer + token).slice(-MAX_HELD_CHARACTERS);
    if (this.#text.length > MAX_HELD_CHARACTERS) this.#closeBlock(facts, tell);
  }

  toolStarted(params: Params, facts: TurnFacts, tell: Tell): void {
    const { name, input, message_id: messageId, tool_use_id: id, parent_tool_use_id: parent } = params;
    // What a subagent does stands beside the answer under way.
    if (typeof parent !== 'string') this.#enter(stringOf(messageId), facts, tell);
    this.#closeBlock(facts, tell);
    if (typeof parent !== 'string') this.#answer = '';
    const toolId = stringOf(id) ?? this.#madeUp('tool');
    this.#lastTool = toolId;
    const block = {
      type: 'tool_use',
      id: toolId,
      name: stringOf(name) ?? 'unknown',
      input: isRecord(input) ? input : {},
    };
    this.#assistant(block, typeof parent === 'string' ? parent : null, facts, tell);
  }

  toolEnded(params: Params, { sessionId }: TurnFacts, tell: Tell): void {
    const { tool_use_id: id, is_error: isError, error, parent_tool_use_id: parent } = params;
    const block = {
      type: 'tool_result',
      tool_use_id: stringOf(id) ?? this.#lastTool ?? '',
      content: contentOf(params),
      ...(isError === true || (error !== undefined && error !== null) ? { is_error: true } : {}),
    };
    const message = { role: 'user', content: [block] };
    const parentId = typeof parent === 'string' ? parent : null;
    tell({ type: 'user', message, parent_tool_use_id: parentId, session_id: sessionId });
  }

  completed({ stop_reason: reason }: Params, facts: TurnFacts, tell: Tell): void {
    this.#stopReason = stringOf(reason);
    this.#closeMessage(facts, tell);
  }

  /** The turn ends with what the engine answered to the message. */
  end(prompt: OpenPrompt | undefined, outcome: Params, facts: TurnFacts, tell: Tell): void {
    this.open(prompt, facts, tell);
    this.#closeMessage(facts, tell);
    this.#isOpen = false;
    this.#totalCostUsd += numberOf(outcome['cost_usd']) ?? 0;
    const { usage, cost_usd: cost } = outcome;
    tell({
      type: 'result',
      ...this.#words(outcome),
      session_id: facts.sessionId,
      ...(isRecord(usage) ? { usage } : {}),
      ...(typeof cost === 'number' ? { total_cost_usd: this.#totalCostUsd } : {}),
      ...(this.#stopReason === undefined ? {} : { stop_reason: this.#stopReason }),
      ...(prompt === undefined ? {} : { user_message_uuid: prompt.uuid, user_message_uuids: [prompt.uuid] }),
    });
    this.#messageId = '';
  }

  /** How it went, in the words of the CLI. A status that nobody knows is an end like any other, unless there is an error beside it. */
  #words({ status, error, text }: Params): Record<string, unknown> {
    const isInterrupted = INTERRUPTED.has(status);
    const isFailed = FAILED.has(status) || (error !== undefined && error !== null && !isInterrupted);
    if (isInterrupted) {
      return { subtype: 'error_during_execution', is_error: false, terminal_reason: 'aborted_streaming' };
    }
    const said = stringOf(text);
    if (!isFailed) return { subtype: 'success', is_error: false, result: said ?? this.#answer };
    const reason = reasonOf(error) ?? said ?? (this.#answer || 'The engine gave no reason.');
    return { subtype: 'error_during_execution', is_error: true, errors: [reason], result: reason };
  }

  /** Another id begins another answer; without ids one answer lasts until a tool or the end. */
  #enter(id: string | undefined, facts: TurnFacts, tell: Tell): void {
    const next = id ?? (this.#messageId || this.#madeUp('message'));
    if (next === this.#messageId) return;
    this.#closeBlock(facts, tell);
    this.#answer = '';
    this.#messageId = next;
  }

  #startBlock(facts: TurnFacts, tell: Tell): void {
    this.#isStreaming = true;
    const message = { id: this.#messageId, type: 'message', role: 'assistant', content: [] };
    this.#event({ type: 'message_start', message }, facts, tell);
    this.#event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, facts, tell);
  }

  #closeBlock(facts: TurnFacts, tell: Tell): void {
    if (this.#isStreaming) {
      this.#event({ type: 'content_block_stop', index: 0 }, facts, tell);
      this.#event({ type: 'message_stop' }, facts, tell);
    }
    this.#isStreaming = false;
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#assistant({ type: 'text', text }, null, facts, tell);
  }

  #closeMessage(facts: TurnFacts, tell: Tell): void {
    this.#closeBlock(facts, tell);
  }

  #assistant(block: Record<string, unknown>, parent: string | null, { sessionId }: TurnFacts, tell: Tell): void {
    const message = { id: this.#messageId, type: 'message', role: 'assistant', content: [block], stop_reason: null };
    tell({ type: 'assistant', message, parent_tool_use_id: parent, session_id: sessionId });
  }

  #event(event: Record<string, unknown>, { sessionId }: TurnFacts, tell: Tell): void {
    tell({ type: 'stream_event', event, session_id: sessionId, parent_tool_use_id: null });
  }

  #madeUp(what: string): string {
    this.#made += 1;
    return `json-rpc-${what}-${this.#made}`;
  }
}

function contentOf({ content, text, output, result, error }: Params): unknown {
  for (const given of [content, text, output, result, error]) {
    if (typeof given === 'string' || Array.isArray(given)) return given;
    if (given !== undefined && given !== null) return JSON.stringify(given);
  }
  return '';
}

function reasonOf(error: unknown): string | undefined {
  if (isRecord(error)) return stringOf(error['message']) ?? JSON.stringify(error);
  return stringOf(error);
}
