import type { CliMessage } from '../wire/cli-message.ts';
import { isRecord, stringOf } from '../wire/fields.ts';
import { textDeltaOf, textOf } from '../wire/message-text.ts';
import { subagentOf } from '../wire/subagent.ts';

/**
 * The text of the main conversation in pieces, each character once: as it is written where partial messages come, else
 * block by block (WIRE §10). What subagents say is left out.
 */
export async function* textPieces(messages: AsyncIterable<CliMessage>): AsyncGenerator<string, void, void> {
  let id: string | undefined;
  /** Characters of the present answer that were given away, and that the whole blocks hold so far. */
  let given = 0;
  let whole = 0;
  const enter = (next: string | undefined) => {
    if (next === undefined || next === id) return;
    id = next;
    given = 0;
    whole = 0;
  };
  for await (const message of messages) {
    if (message.type === 'stream_event') {
      const delta = textDeltaOf(message);
      // Most events are deltas: only the others are looked into for the beginning of an answer.
      if (delta === undefined) enter(startedBy(message));
      else if (delta !== '' && subagentOf(message) === undefined) {
        given += delta.length;
        yield delta;
      }
    } else if (message.type === 'assistant' && subagentOf(message) === undefined) {
      enter(idOf(message.value?.['message']));
      const text = textOf(message);
      whole += text.length;
      if (whole <= given) continue;
      const missing = text.slice(Math.max(0, text.length - (whole - given)));
      given = whole;
      yield missing;
    }
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
