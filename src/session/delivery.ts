import type { PromptContent, PromptRecord } from './prompt-record.ts';

/** The way from the conversation to the incarnation that serves it. */
export interface Delivery {
  readonly epoch: number;
  /** Puts the prompt on the CLI's input, in call order. */
  deliver(record: PromptRecord, content: PromptContent): void;
  /** The CLI began or stopped working. */
  setWorking(isWorking: boolean): void;
  /** Whether the CLI owes a turn: a prompt was delivered that has no outcome, or a turn is open. May be told again. */
  setOwed(isOwed: boolean): void;
  /** How many background tasks run; may be told again. */
  setTasks(count: number): void;
  /** A turn opened: its deadline begins. */
  turnStarted(): void;
  /** A turn has its result: an interrupt that was meant for it is over. */
  turnEnded(): void;
}
