import { TroupeError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import type { SessionView } from '../view/session-view.ts';
import type { LiveFleet } from './live-fleet.ts';
import type { LiveSession } from './live-session.ts';

/** The session with this id: one that lives, or that ended not long ago. Throws SESSION_NOT_FOUND. */
export function knownSession(fleet: LiveFleet, id: string): Session {
  return liveSession(fleet, id).session;
}

/** What is known of it, by everything that was published. Rejects with SESSION_NOT_FOUND. */
export async function viewOf(fleet: LiveFleet, id: string): Promise<SessionView> {
  const live = liveSession(fleet, id);
  await live.ready;
  return live.view;
}

function liveSession(fleet: LiveFleet, id: string): LiveSession {
  const live = fleet.get(id);
  if (live === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
  return live;
}
