import type { Clock } from '../clock.ts';
import type { Conversation } from './conversation.ts';
import type { SessionLife } from './session-life.ts';
import { within } from './within.ts';

/** How long a finished background agent may take to open the turn in which it reports. */
const AGENT_REPORT_MS = 30_000;

/** Resolves when no prompt and no background agent of the session works any more, at most after `ceilingMs`. */
export async function untilSettled(
  { conversation, clock, life }: { conversation: Conversation; clock: Clock; life: SessionLife },
  ceilingMs: number,
): Promise<void> {
  const endsAt = clock.now() + ceilingMs;
  const leftMs = () => Math.max(0, endsAt - clock.now());
  const isQuiet = () => life.isOver || conversation.isQuiet;
  const isReported = () => life.isOver || !conversation.tasks.isTurnExpected;
  do {
    await within(conversation, clock, leftMs(), isQuiet);
    await within(conversation, clock, Math.min(leftMs(), AGENT_REPORT_MS), isReported);
    // The turn in which an agent reports may start the next one, and its result is not yet the idle state.
  } while (!isQuiet() && leftMs() > 0);
}
