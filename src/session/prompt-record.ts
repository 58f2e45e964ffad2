import type { TroupeError } from '../errors.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { TurnResult } from './turn-result.ts';

/** What a prompt may be: plain text, or content blocks as the Messages API takes them. */
export type PromptContent = string | readonly Readonly<Record<string, unknown>>[];

/**
 * What happens to a prompt while the session works: `enqueue` waits for its own turn (the default), `steer` goes into
 * the running turn, `interrupt` ends the running turn first, `reject` refuses with SESSION_BUSY.
 */
export type OnBusy = 'enqueue' | 'steer' | 'interrupt' | 'reject';

export interface PromptOptions {
  /** The prompt's id: the same id with the same content is the same prompt. Default: made up. */
  readonly id?: string | undefined;
  /** Default `enqueue`. */
  readonly onBusy?: OnBusy | undefined;
  /**
   * The text is somebody else's: text that begins with `/` runs no command, and `@file` reads no file into the prompt.
   * Default false. On releases before 2.1.248 such text is followed by a block that says `(end of message)`.
   */
  readonly untrusted?: boolean | undefined;
  /** Further fields of the user message, as the official SDK names them: `shouldQuery`, `priority`, `isSynthetic` … */
  readonly fields?: PromptFields | undefined;
  /** Who sends it, for the log (`prompt.accepted`). Default: not told. */
  readonly from?: string | undefined;
}

/** One prompt on its way: queued → delivered → started → ended, the last exactly once (P2). */
export interface PromptRecord {
  readonly id: string;
  /** Emptied when the prompt has ended: it is not sent again. */
  content: PromptContent;
  readonly onBusy: OnBusy;
  /** Its text is somebody else's: it must not act as a command, and must not pull files into the prompt. */
  readonly isUntrusted: boolean;
  /** What its message carries beside the content. */
  readonly fields: PromptFields | undefined;
  /** `seq` of `prompt.accepted`: where reading the turn begins. */
  readonly acceptedSeq: number;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  endedAt: number | undefined;
  /** Of content and fields as they were: a repeated id is known by it. */
  readonly digest: string;
  state: 'queued' | 'delivered' | 'started' | 'ended';
  /** The CLI acknowledged it by a replay since the last result: the sign of older versions (WIRE §11). */
  isEchoed: boolean;
  /** The CLI is done with it but not with the turn it was folded into: that turn's result is its own (WIRE §11). */
  isFolded: boolean;
  wasInterruptAsked: boolean;
  /** A process had it once, and was lost before it ended. */
  wasDelivered: boolean;
  /** By what the CLI knows it: `id`, or what it was begun anew with after a loss. */
  wireId: string;
  /** It was sent once more under the id that the CLI may know. */
  isRepeated: boolean;
  /** Why it is held: its process was lost, and somebody has to decide. */
  doubt: TroupeError | undefined;
  /** Why it was interrupted, where that was nobody's wish: a deadline. */
  interruptReason: TroupeError | undefined;
  /** `seq` of its newest `prompt.started`. */
  startedSeq: number | undefined;
  result: TurnResult | undefined;
}
