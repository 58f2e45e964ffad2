import type { SessionOutput } from '../../machines/session/session.context.ts';
import type { EndCause } from '../../machines/session/session.events.ts';

/** How a session ended for good. */
export interface SessionEnd {
  readonly cause: EndCause;
  readonly exit: SessionOutput['exit'];
}
