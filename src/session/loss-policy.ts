import type { TroupeError } from '../errors.ts';
import type { OnPromptLost } from '../launch/session-options.ts';
import type { PromptRecord } from './prompt-record.ts';

/**
 * What becomes of an unfinished prompt. `again`: sent with the same id, and the CLI decides whether that is the same prompt.
 * `anew`: sent with a new id, as a prompt of its own. `in-doubt`: held until somebody decides. `lost`: ended.
 */
export type PromptFate = 'again' | 'anew' | 'in-doubt' | 'lost';

/** What a session says of its prompts. */
export interface PromptRules {
  /** Of those that wait. */
  readonly maxQueued: number;
  readonly onLost: OnPromptLost;
}

/** What becomes of unfinished prompts when their process is gone. */
export interface LossPolicy {
  /** True when a new incarnation follows. */
  readonly isRestarting: boolean;
  /** True when this CLI deduplicates prompts by uuid across a resume (`msg_lifecycle_v1`): sending again is safe (P2). */
  readonly canSendAgain: boolean;
  /** True when the owner asked for the end: the unfinished turn was interrupted, nothing failed. */
  readonly wasAsked: boolean;
  readonly error: TroupeError;
}

/**
 * The process is gone and another one follows. `canSendAgain`: this CLI knows a prompt by its id across a resume, and runs
 * it only if it had not got as far as a tool (P2, WIRE §11, §15); older ones repeat it, or drop it without a word.
 */
export function fateAfterLoss(state: PromptRecord['state'], onLost: OnPromptLost, canSendAgain: boolean): PromptFate {
  if (onLost === 'fail') return 'lost';
  // Not begun, and known by its id: it cannot run twice, so there is nothing to ask.
  if (onLost === 'ask') return canSendAgain && state !== 'started' ? 'again' : 'in-doubt';
  if (canSendAgain) return 'again';
  return onLost === 'retry' ? 'anew' : 'lost';
}

/** The CLI was sent it again and calls it done without a result: it will not take up the turn that was cut off. */
export function fateWhenRefused(onLost: OnPromptLost): PromptFate {
  if (onLost === 'retry') return 'anew';
  return onLost === 'ask' ? 'in-doubt' : 'lost';
}
