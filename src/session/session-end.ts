import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import type { SessionFact } from '../store/session-event.ts';
import { endFacts } from './exit-cause.ts';

/** How a session ended for good. */
export interface SessionEnd {
  readonly cause: EndCause;
  readonly exit: SessionOutput['exit'];
}

/** The same as the last event of its log. */
export function endedFact({ cause, exit }: SessionEnd, wasForced: boolean): SessionFact {
  const { exitCode, signal } = exit ?? {};
  return {
    type: 'session.ended',
    cause: endFacts(cause),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(wasForced ? { wasForced: true } : {}),
  };
}
