import type { EndCause } from '../../machines/session/session.events.ts';
import { TroupeError } from '../errors.ts';
import type { EventLog } from '../store/event-log.ts';
import { causeOf } from './exit-cause.ts';

/** What is asked of a session here, after another host may go on with it, is asked of the wrong one. */
export function handedOver(details: Readonly<Record<string, unknown>> = {}): TroupeError {
  const reason = 'Ask the supervisor that opens the store next for it, by its id.';
  return new TroupeError('HANDED_OVER', { reason, details });
}

/** Throws HANDED_OVER where another supervisor goes on with the session. */
export function assertHere(log: Pick<EventLog, 'isSealed'>, sessionId: string): void {
  if (log.isSealed) throw handedOver({ id: sessionId });
}

/** Why what rested on the log comes to nothing: it has what it was to have in no store. */
export function unkeptBecause(
  log: Pick<EventLog, 'isSealed' | 'lostBecause'>,
  details: Readonly<Record<string, unknown>> = {},
): TroupeError {
  return log.isSealed ? handedOver(details) : (log.lostBecause ?? new TroupeError('STORE_TAKEN_OVER'));
}

/** Why its process is ended here. */
export function handoverCause(): EndCause {
  return causeOf(handedOver());
}
