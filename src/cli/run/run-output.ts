import type { TurnResult } from '../../session/turn-result.ts';
import type { CliMessage } from '../../wire/cli-message.ts';
import { textDeltaOf } from '../../wire/message-text.ts';

/** What `troupe run` shows of a turn. */
export interface RunOutput {
  show(message: CliMessage): void;
  end(result: TurnResult): void;
}

type Write = (text: string | Buffer) => void;

/** The text of the main agent as it streams; tools and subagents stay silent. */
export function textOutput(write: Write): RunOutput {
  let hasText = false;
  let endsLine = true;
  const put = (text: string) => {
    write(text);
    hasText = true;
    endsLine = text.endsWith('\n');
  };
  return {
    show(message) {
      if (message.type !== 'stream_event') return;
      const { value } = message;
      if (typeof value?.['parent_tool_use_id'] === 'string') return;
      // Two blocks of text are two paragraphs.
      if (isBlockStart(value) && hasText && !endsLine) put('\n');
      const delta = textDeltaOf(message);
      if (delta !== undefined && delta !== '') put(delta);
    },
    end(result) {
      // Local commands and the like answer without a stream.
      if (!hasText && result.text !== undefined && result.text !== '') put(result.text);
      if (!endsLine) write('\n');
    },
  };
}

/** Every line of the CLI, byte for byte. */
export function jsonOutput(write: Write): RunOutput {
  return {
    show(message) {
      write(message.raw);
      write('\n');
    },
    end() {},
  };
}

function isBlockStart(value: Record<string, unknown> | undefined): boolean {
  const event = value?.['event'];
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'content_block_start';
}
