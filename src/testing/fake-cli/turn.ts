import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from './scenario.ts';
import type { PromptState } from './session-memory.ts';

/** One user message of the host. */
export interface Prompt {
  readonly text: string;
  readonly content: unknown;
  readonly uuid: string | undefined;
  /** 0 now, 1 next, 2 later. */
  readonly rank: number;
}

/** One turn: the prompts it answers, how far it got, and the signal that stops its steps. */
export class Turn {
  readonly prompts: readonly Prompt[];
  /** Prompts taken in while a tool ran (WIRE §11). */
  readonly folded: Prompt[] = [];
  readonly denials: JsonObject[] = [];
  readonly startedAt = Date.now();
  readonly messageId: string;
  /** Text streamed so far. */
  said = '';
  hasAnswered = false;
  isStreaming = false;
  isEnded = false;
  costUsd = 0.00044;
  tool: { readonly id: string; readonly name: string; readonly input: JsonObject } | undefined;
  /** Tells the MCP server of a running tool call that nobody waits any more. */
  abandonCall: (() => void) | undefined;
  readonly #controller = new AbortController();

  constructor(prompts: readonly Prompt[], messageId: string) {
    this.prompts = prompts;
    this.messageId = messageId;
  }

  get text(): string {
    return this.prompts.map((prompt) => prompt.text).join('\n');
  }

  get uuids(): string[] {
    return [...this.prompts, ...this.folded].flatMap((prompt) => prompt.uuid ?? []);
  }

  get lastUuid(): string | undefined {
    return this.prompts.at(-1)?.uuid;
  }

  get isOver(): boolean {
    return this.isEnded || this.#controller.signal.aborted;
  }

  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  abort(): void {
    this.#controller.abort();
    this.abandonCall?.();
  }

  /** Waits; an interrupt ends the wait early. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#controller.signal }).catch(() => {});
  }
}

/** Reads a `user` line. */
export function promptOf(message: JsonObject): Prompt {
  const content = (message.message as JsonObject).content;
  return {
    text: textOf(content),
    content,
    uuid: typeof message.uuid === 'string' ? message.uuid : undefined,
    rank: message.priority === 'now' ? 0 : message.priority === 'later' ? 2 : 1,
  };
}

/** The final state of a prompt in `command_lifecycle`. */
export type Outcome = Extract<PromptState, 'completed' | 'cancelled'>;

function textOf(content: unknown): string {
  if (typeof content === 'string' && content !== '') return content;
  if (!Array.isArray(content)) return '(no content)';
  return content.map((block: JsonObject) => (typeof block.text === 'string' ? block.text : '')).join('');
}
