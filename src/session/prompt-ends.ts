import { randomUUID } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import type { OnPromptLost } from '../launch/session-options.ts';
import type { PromptOutcome } from '../store/session-event.ts';
import type { ResultFacts } from '../wire/facts.ts';
import type { PromptFate } from './loss-policy.ts';
import type { PromptRecord } from './prompt-record.ts';
import { endedWithoutResult, type TurnResult } from './turn-result.ts';

/** The list of a result is cut at 64 names, and older CLIs give none (WIRE §11): only a list that is whole excludes. */
export function mayCover({ promptUuids }: ResultFacts, id: string): boolean {
  return promptUuids.length === 0 || promptUuids.length >= 64 || promptUuids.includes(id);
}

/** Makes a prompt ready to be sent once more. */
export function prepare(record: PromptRecord, fate: PromptFate): void {
  record.state = 'queued';
  record.isEchoed = false;
  record.wasDelivered = true;
  record.isRepeated = fate === 'again';
  record.doubt = undefined;
  record.interruptReason = undefined;
  // The CLI would drop what it knows by this id.
  if (fate === 'anew') record.wireId = randomUUID();
}

export function endedAsLost(id: string, error?: TroupeError): TurnResult {
  // One that says the same says it once.
  const isSame = error?.code === 'PROMPT_LOST';
  const because = error === undefined || isSame ? {} : { because: error.code };
  const reason = isSame ? error.reason : error?.message;
  const lost = new TroupeError('PROMPT_LOST', { reason, cause: error, details: { id, ...because } });
  return endedWithoutResult('lost', id, lost);
}

/** By default the prompt is lost with what ended its process; whoever declared that it must not run again hears that. */
export function lostBy(onLost: OnPromptLost, id: string, error: TroupeError): TurnResult {
  return onLost === 'fail' ? endedAsLost(id, error) : endedWithoutResult('lost', id, error);
}

/**
 * A prompt that no process ever saw was cancelled. One that waits to be sent again may have done half its work: it was
 * interrupted by its owner, or failed with its process (P2).
 */
export function givenBackAs(record: PromptRecord, error: TroupeError | undefined): PromptOutcome {
  if (!record.wasDelivered) return 'cancelled';
  const wasAsked = error === undefined || error.code === 'SESSION_CLOSED' || error.code === 'SUPERVISOR_STOPPED';
  return wasAsked ? 'interrupted' : 'failed';
}
