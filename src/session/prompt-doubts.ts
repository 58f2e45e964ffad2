import { TroupeError } from '../errors.ts';
import type { Conversation } from './conversation.ts';

/** `retry`: begin it anew, whatever its tools may have done already. `fail`: it ends as `lost`. */
export type DoubtAnswer = 'retry' | 'fail';

/** A prompt that was running when its process was lost; nothing runs in its session until somebody decides. */
export interface PromptDoubt {
  /** Of the prompt. */
  readonly id: string;
  /** Why its process was lost. */
  readonly code: string;
  readonly message: string;
}

const ANSWERS: readonly unknown[] = ['retry', 'fail'] satisfies readonly DoubtAnswer[];

/** The prompts of a session with `onPromptLost: 'ask'` about which somebody has to decide. */
export class PromptDoubts {
  readonly #conversation: Conversation;
  readonly #assertHere: () => void;

  /** `assertHere` throws where another supervisor goes on with the session. */
  constructor(conversation: Conversation, assertHere: () => void) {
    this.#conversation = conversation;
    this.#assertHere = assertHere;
  }

  /** Oldest first. */
  pending(): readonly PromptDoubt[] {
    return this.#conversation.ledger.inDoubt.map(({ id, doubt }) => {
      return { id, code: doubt?.code ?? 'PROMPT_LOST', message: doubt?.message ?? '' };
    });
  }

  /**
   * Decides about a prompt. True: decided, and the prompts behind it go on. False: no such prompt is in doubt, any more or at
   * all; the first answer won. Throws INVALID_ANSWER for anything but `retry` and `fail`, and HANDED_OVER.
   */
  resolve(id: string, answer: DoubtAnswer): boolean {
    if (!ANSWERS.includes(answer)) {
      throw new TroupeError('INVALID_ANSWER', { reason: 'Say "retry" or "fail".', details: { field: 'answer' } });
    }
    this.#assertHere();
    if (!this.#conversation.ledger.resolveDoubt(id, answer)) return false;
    this.#conversation.goOn();
    return true;
  }
}
