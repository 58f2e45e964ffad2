import type { CliMessage } from '../../wire/cli-message.ts';
import { isResult, textDeltaOf, textOf } from '../../wire/message-text.ts';

/** What `troupe run` shows of the turns. */
export interface RunOutput {
  show(message: CliMessage): void;
  /** Nothing more will come. */
  end(): void;
}

type Write = (text: string | Buffer) => void;

/** Lines after a result that are held back at the most. */
const MAX_HELD_LINES = 1_000;

/** The text of the main agent as it streams, of later turns too; tools and subagents stay silent. */
export function textOutput(write: Write): RunOutput {
  let hasText = false;
  let endsLine = true;
  const put = (text: string) => {
    write(text);
    hasText = true;
    endsLine = text.endsWith('\n');
  };
  const endLine = () => {
    if (!endsLine) write('\n');
    endsLine = true;
  };
  return {
    show(message) {
      if (isResult(message)) {
        // Local commands and the like answer without a stream; what went wrong is not an answer.
        const text = message.value?.['is_error'] === true ? '' : textOf(message);
        if (!hasText && text !== '') put(text);
        endLine();
        hasText = false;
        return;
      }
      if (message.type !== 'stream_event') return;
      const { value } = message;
      if (typeof value?.['parent_tool_use_id'] === 'string') return;
      // Two blocks of text are two paragraphs.
      if (isBlockStart(value) && hasText) endLine();
      const delta = textDeltaOf(message);
      if (delta !== undefined && delta !== '') put(delta);
    },
    end: endLine,
  };
}

/** Every line of the CLI up to the last result, byte for byte. */
export function jsonOutput(write: Write): RunOutput {
  let held: CliMessage[] | undefined;
  const put = (message: CliMessage) => {
    write(message.line);
    write('\n');
  };
  const release = () => {
    for (const message of held ?? []) put(message);
    held = undefined;
  };
  return {
    show(message) {
      // What only says that the work is done must not push the result from the last line, where scripts look for it.
      if (held !== undefined && isBookkeeping(message) && held.length < MAX_HELD_LINES) {
        held.push(message);
        return;
      }
      release();
      put(message);
      if (isResult(message)) held = [];
    },
    end() {},
  };
}

function isBookkeeping({ type }: CliMessage): boolean {
  return type === 'system' || type === 'command_lifecycle';
}

function isBlockStart(value: Record<string, unknown> | undefined): boolean {
  const event = value?.['event'];
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'content_block_start';
}
