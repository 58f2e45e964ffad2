import type { CliMessage } from '../wire/cli-message.ts';
import { SpokenText } from './spoken-text.ts';

/** The pieces of `SpokenText` in these messages, as they come. */
export async function* textPieces(messages: AsyncIterable<CliMessage>): AsyncGenerator<string, void, void> {
  const spoken = new SpokenText();
  for await (const message of messages) {
    const piece = spoken.take(message);
    if (piece !== '') yield piece;
  }
}
