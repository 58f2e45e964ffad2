import type { MessageReply, ProseBlock, ReplyBlock, ToolUseBlock } from './reply.ts';

/** Characters of tool input in one `input_json_delta`. */
export const TOOL_INPUT_PIECE_CHARACTERS = 64;
/** Thinking blocks carry a signature; the CLI hands it back without looking into it. */
const SIGNATURE = 'c2lnbmF0dXJl';

const INPUT_TOKENS = 10;
const OUTPUT_TOKENS = 20;

/** One event of a streamed message; `delayMs` passes before it is sent. */
export interface MessageEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly delayMs: number;
}

/** What a message is called, beside what it says. */
export interface MessageHead {
  readonly id: string;
  readonly model: string;
}

/** Gives every tool call without an id one from `nextToolId`, so that all ways of sending the message agree on it. */
export function nameTools(reply: MessageReply, nextToolId: () => string): MessageReply {
  return {
    ...reply,
    blocks: reply.blocks.map((block) =>
      block.type === 'tool_use' ? { ...block, id: block.id ?? nextToolId() } : block,
    ),
  };
}

/** The events of a streamed answer, in the order the Messages API documents. */
export function* messageEvents(reply: MessageReply, head: MessageHead): Generator<MessageEvent, void, undefined> {
  const message = { ...envelope(head), content: [], stop_reason: null, usage: usage(reply, 1) };
  yield event('message_start', { message });
  for (const [index, block] of reply.blocks.entries()) {
    yield event('content_block_start', { index, content_block: emptyBlock(block) });
    yield* block.type === 'tool_use' ? inputDeltas(block, index) : proseDeltas(block, index);
    yield event('content_block_stop', { index });
  }
  const delta = { stop_reason: reply.stopReason, stop_sequence: null };
  yield event('message_delta', { delta, usage: usage(reply) });
  yield event('message_stop', {});
}

/** The same answer in one piece, as `stream: false` asks for it. */
export function wholeMessage(reply: MessageReply, head: MessageHead): Readonly<Record<string, unknown>> {
  return {
    ...envelope(head),
    content: reply.blocks.map(wholeBlock),
    stop_reason: reply.stopReason,
    usage: usage(reply),
  };
}

/** How long all delays between the pieces of an answer take together. */
export function streamingMs(reply: MessageReply): number {
  return reply.blocks
    .filter((block) => block.type !== 'tool_use')
    .reduce((sum, block) => sum + block.delayMs * Math.max(0, block.pieces.length - 1), 0);
}

function* proseDeltas(block: ProseBlock, index: number): Generator<MessageEvent, void, undefined> {
  for (const [position, piece] of block.pieces.entries()) {
    const delta =
      block.type === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece };
    yield event('content_block_delta', { index, delta }, position === 0 ? 0 : block.delayMs);
  }
  if (block.type === 'thinking') {
    yield event('content_block_delta', { index, delta: { type: 'signature_delta', signature: SIGNATURE } });
  }
}

function* inputDeltas(block: ToolUseBlock, index: number): Generator<MessageEvent, void, undefined> {
  const json = JSON.stringify(block.input);
  for (let start = 0; start < json.length; start += TOOL_INPUT_PIECE_CHARACTERS) {
    const piece = json.slice(start, start + TOOL_INPUT_PIECE_CHARACTERS);
    yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } });
  }
}

function emptyBlock(block: ReplyBlock): Readonly<Record<string, unknown>> {
  if (block.type === 'tool_use') return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  return block.type === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
}

function wholeBlock(block: ReplyBlock): Readonly<Record<string, unknown>> {
  if (block.type === 'tool_use') return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  const content = block.pieces.join('');
  return block.type === 'text'
    ? { type: 'text', text: content }
    : { type: 'thinking', thinking: content, signature: SIGNATURE };
}

function envelope(head: MessageHead): Readonly<Record<string, unknown>> {
  return { id: head.id, type: 'message', role: 'assistant', model: head.model, stop_sequence: null };
}

/** At the start of a stream one token has been said. */
function usage({ usage: given = {} }: MessageReply, outputTokens?: number): Readonly<Record<string, number>> {
  return {
    input_tokens: given.inputTokens ?? INPUT_TOKENS,
    cache_creation_input_tokens: given.cacheCreationTokens ?? 0,
    cache_read_input_tokens: given.cacheReadTokens ?? 0,
    output_tokens: outputTokens ?? given.outputTokens ?? OUTPUT_TOKENS,
  };
}

function event(name: string, data: Readonly<Record<string, unknown>>, delayMs = 0): MessageEvent {
  return { name, data: { type: name, ...data }, delayMs };
}
