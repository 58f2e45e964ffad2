import { TroupeError } from '../../errors.ts';
import type { ObservedEvent } from '../../store/session-event.ts';
import type { CliMessage } from '../../wire/cli-message.ts';
import { factOf } from '../../wire/facts.ts';
import type { RunOutput } from './run-output.ts';

/** What the result of the prompt itself does not tell. */
export interface ShownTurns {
  /** Tool calls that were refused, in all turns. */
  readonly denials: number;
  /** What the last turn of the CLI's own said when it failed: the report of a background agent, say. */
  readonly lateFailure: string | undefined;
}

/**
 * Shows the messages from the start of the prompt to the end of the session: also those of the turns in which background
 * agents report, after the result of the prompt (WIRE §0.6). Throws SUBSCRIBER_LAGGED when messages are missing (P6).
 */
export async function showTurns(
  events: AsyncIterable<ObservedEvent>,
  promptId: string,
  output: RunOutput,
): Promise<ShownTurns> {
  let phase: 'before' | 'prompt' | 'after' = 'before';
  let inResults = 0;
  let byPolicy = 0;
  let lateFailure: string | undefined;
  for await (const event of events) {
    if (event.type === 'subscriber.lagged' || event.type === 'log.truncated') {
      throw new TroupeError('SUBSCRIBER_LAGGED', { details: { ...event } });
    }
    if (event.type === 'prompt.started' && event.promptId === promptId) phase = 'prompt';
    if (event.type === 'prompt.ended' && event.promptId === promptId) phase = 'after';
    // Refusals of a subagent are in nobody's result.
    if (event.type === 'permission.settled' && event.outcome === 'denied' && event.by === 'policy') byPolicy += 1;
    if (event.type !== 'message' || phase === 'before') continue;
    output.show(event.message);
    const result = resultOf(event.message);
    if (result === undefined) continue;
    inResults += result.permissionDenials;
    if (phase === 'after') lateFailure = result.isError ? (result.text ?? result.errors.join('; ')) : undefined;
  }
  output.end();
  return { denials: Math.max(inResults, byPolicy), lateFailure };
}

function resultOf(message: CliMessage) {
  if (message.type !== 'result') return undefined;
  const fact = factOf(message);
  return fact?.type === 'turn.result' ? fact : undefined;
}
