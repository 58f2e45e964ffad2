import { CliMessage } from '../cli-message.ts';
import { isRecord, stringOf } from '../fields.ts';

type Block = 'text' | 'tool_use';

/**
 * `stream` lines as the events of the API that mean the same. They neither begin nor end nor name an answer: that is made up
 * here, so that pieces and whole are known to be one answer. `message` lines that follow bear the name.
 */
export class StreamSpelling {
  #count = 0;
  #open: { readonly id: string; readonly session: unknown; block: Block | undefined; index: number } | undefined;

  /** What the line means, in order; the line itself where that is nothing known. */
  stream(message: CliMessage): readonly CliMessage[] {
    const value = message.value ?? {};
    const { event } = value;
    if (isRecord(event)) return [eventMessage(message, value['session_id'], event)];
    if (event === 'delta') return this.#text(message, value);
    if (event === 'tool_use_start') return this.#toolUse(message, value);
    return [message];
  }

  /** The answer as a whole, which ends what was streamed of it. */
  assistant(message: CliMessage): readonly CliMessage[] {
    const open = this.#open;
    const { value } = message;
    const inner = value?.['message'];
    if (open === undefined || !isRecord(inner) || stringOf(value?.['parent_tool_use_id']) !== undefined)
      return [message];
    const named = CliMessage.translated(message.raw, {
      ...value,
      type: 'assistant',
      message: { ...inner, id: open.id },
    });
    return [named, ...this.end(message)];
  }

  /** What is still open is over. */
  end(message: CliMessage): readonly CliMessage[] {
    const open = this.#open;
    if (open === undefined) return [];
    const closed = this.#closeBlock(message);
    this.#open = undefined;
    return [...closed, eventMessage(message, open.session, { type: 'message_stop' })];
  }

  #text(message: CliMessage, value: Readonly<Record<string, unknown>>): readonly CliMessage[] {
    const { delta } = value;
    const text = stringOf(value['text']) ?? (isRecord(delta) ? stringOf(delta['text']) : stringOf(delta)) ?? '';
    const begun = this.#begin(message, 'text', { type: 'text', text: '' });
    return [...begun, this.#event(message, { type: 'content_block_delta', delta: { type: 'text_delta', text } })];
  }

  #toolUse(message: CliMessage, value: Readonly<Record<string, unknown>>): readonly CliMessage[] {
    const name = stringOf(value['name']) ?? stringOf(value['tool_name']) ?? '';
    const id = stringOf(value['id']) ?? stringOf(value['tool_use_id']) ?? '';
    return this.#begin(message, 'tool_use', { type: 'tool_use', id, name, input: {} });
  }

  #begin(message: CliMessage, block: Block, content: Record<string, unknown>): CliMessage[] {
    const begun: CliMessage[] = [];
    if (this.#open === undefined) {
      this.#count += 1;
      const session = message.value?.['session_id'];
      this.#open = { id: `stream-${this.#count}`, session, block: undefined, index: -1 };
      const inner = { id: this.#open.id, type: 'message', role: 'assistant', content: [], stop_reason: null };
      begun.push(eventMessage(message, session, { type: 'message_start', message: inner }));
    }
    if (this.#open.block === 'text' && block === 'text') return begun;
    begun.push(...this.#closeBlock(message));
    this.#open.block = block;
    this.#open.index += 1;
    begun.push(this.#event(message, { type: 'content_block_start', content_block: content }));
    return begun;
  }

  #closeBlock(message: CliMessage): readonly CliMessage[] {
    if (this.#open?.block === undefined) return [];
    const stop = this.#event(message, { type: 'content_block_stop' });
    this.#open.block = undefined;
    return [stop];
  }

  #event(message: CliMessage, event: Record<string, unknown>): CliMessage {
    return eventMessage(message, this.#open?.session, { index: this.#open?.index ?? 0, ...event });
  }
}

function eventMessage({ raw }: CliMessage, session: unknown, event: Record<string, unknown>): CliMessage {
  const { type, ...rest } = event;
  const about = session === undefined ? {} : { session_id: session };
  return CliMessage.translated(raw, {
    type: 'stream_event',
    event: { type, ...rest },
    parent_tool_use_id: null,
    ...about,
  });
}
