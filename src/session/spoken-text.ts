import type { CliMessage } from '../wire/cli-message.ts';
import { isRecord, stringOf } from '../wire/fields.ts';
import { textDeltaOf, textOf } from '../wire/message-text.ts';
import { subagentOf } from '../wire/subagent.ts';

/**
 * The text of the main conversation in pieces, each character once: as it is written where partial messages come, else
 * block by block (WIRE §10). What subagents say is left out.
 */
export class SpokenText {
  #id: string | undefined;
  /** Characters of the present answer that were given away, and that the whole blocks hold so far. */
  #given = 0;
  #whole = 0;

  /** The API's id of the answer that is being written; undefined before the first, and where only its middle was seen. */
  get messageId(): string | undefined {
    return this.#id;
  }

  /** The new text in the next message; empty when it says nothing new. */
  take(message: CliMessage): string {
    if (message.type === 'stream_event') return this.#takePiece(message);
    return message.type === 'assistant' && subagentOf(message) === undefined ? this.#takeWhole(message) : '';
  }

  #takePiece(message: CliMessage): string {
    const delta = textDeltaOf(message);
    // Most events are deltas: only the others are looked into for the beginning of an answer.
    if (delta === undefined) {
      this.#enter(startedBy(message));
      return '';
    }
    if (delta === '' || subagentOf(message) !== undefined) return '';
    this.#given += delta.length;
    return delta;
  }

  #takeWhole(message: CliMessage): string {
    this.#enter(idOf(message.value?.['message']));
    const text = textOf(message);
    this.#whole += text.length;
    if (this.#whole <= this.#given) return '';
    const missing = text.slice(Math.max(0, text.length - (this.#whole - this.#given)));
    this.#given = this.#whole;
    return missing;
  }

  #enter(next: string | undefined): void {
    if (next === undefined || next === this.#id) return;
    this.#id = next;
    this.#given = 0;
    this.#whole = 0;
  }
}

function startedBy(message: CliMessage): string | undefined {
  const event = message.value?.['event'];
  if (!isRecord(event) || event['type'] !== 'message_start' || subagentOf(message) !== undefined) return undefined;
  return idOf(event['message']);
}

function idOf(inner: unknown): string | undefined {
  return isRecord(inner) ? stringOf(inner['id']) : undefined;
}
