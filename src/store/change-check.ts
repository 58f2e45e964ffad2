import { TroupeError } from '../errors.ts';
import type { Change, LogHead } from './store.ts';
import { countOf, EVENT_OVERHEAD_BYTES, lastSeqOf, weightOf } from './stored-row.ts';

/** Where the log of a session stands that nobody has written to. */
export const EMPTY_HEAD: LogHead = { lastSeq: 0, firstSeq: 1, epoch: 0 };

/** The error when a change does not follow the head: a gap, a repetition, or an incarnation that was replaced (P7). */
export function conflictOf(head: LogHead, change: Omit<Change, 'records'>): TroupeError | undefined {
  const { sessionId, epoch } = change;
  if (epoch < head.epoch) {
    return conflict(`Incarnation ${epoch} was replaced by ${head.epoch}.`, {
      sessionId,
      epoch,
      storedEpoch: head.epoch,
    });
  }
  if (change.firstSeq !== undefined && head !== EMPTY_HEAD) {
    return conflict('Its log has begun already.', { sessionId, firstSeq: change.firstSeq });
  }
  let before = 0;
  let expected = change.firstSeq ?? head.lastSeq + 1;
  for (const { seq, epoch: own, count = 1 } of change.events) {
    if (seq !== expected) {
      return conflict(`Event ${seq} was given where ${expected} follows.`, { sessionId, seq, expectedSeq: expected });
    }
    const isOfItsTime = change.firstSeq === undefined ? own === epoch : own >= before && own <= epoch;
    if (!isOfItsTime) return conflict(`Event ${seq} is of incarnation ${own}.`, { sessionId, epoch: own });
    if (!Number.isSafeInteger(count) || count < 1)
      return conflict(`Event ${seq} is ${count} events.`, { sessionId, seq });
    before = own;
    expected += count;
  }
  return undefined;
}

/** The head after the change. */
export function headAfter(head: LogHead, { epoch, events, firstSeq }: Omit<Change, 'records'>): LogHead {
  const before = firstSeq === undefined ? head : { firstSeq, lastSeq: firstSeq - 1 };
  const last = events.at(-1);
  return { firstSeq: before.firstSeq, epoch, lastSeq: last === undefined ? before.lastSeq : lastSeqOf(last) };
}

export function conversationInUse(sessionId: string, conversationId: string, holder: string): TroupeError {
  return new TroupeError('CONVERSATION_IN_USE', {
    reason: `Session ${holder} has it.`,
    details: { sessionId, conversationId, holder },
  });
}

/** What the events of a change hold while they wait. */
export function sizeOfEvents({ events }: Pick<Change, 'events'>): number {
  return events.reduce((sum, { data }) => sum + data.length + EVENT_OVERHEAD_BYTES, 0);
}

/** What they count for retention. */
export function weightOfEvents({ events }: Pick<Change, 'events'>): number {
  return events.reduce((sum, event) => sum + weightOf(event.data.length, countOf(event)), 0);
}

function conflict(reason: string, details: Record<string, unknown>): TroupeError {
  return new TroupeError('STORE_CONFLICT', { reason, details });
}
