import { TroupeError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import type { ObservedEvent } from '../store/session-event.ts';
import { applyEvent } from '../view/apply-event.ts';
import { type SessionView, startView } from '../view/session-view.ts';
import { viewEventOf } from './event-frame.ts';
import type { LiveFleet } from './live-fleet.ts';
import type { LiveSession } from './live-session.ts';

/** The session with this id: one that lives, or that ended not long ago. Throws SESSION_NOT_FOUND. */
export function knownSession(fleet: LiveFleet, id: string): Session {
  return liveSession(fleet, id).session;
}

/** What is known of it, by everything that was published. Rejects with SESSION_NOT_FOUND. */
export async function viewOf(fleet: LiveFleet, id: string): Promise<SessionView> {
  const live = fleet.get(id);
  if (live === undefined) return storedView(fleet, id);
  await live.ready;
  return live.view;
}

/** The events behind `after` that there are now. Rejects with SESSION_NOT_FOUND, as it is read. */
export async function* eventsOf(fleet: LiveFleet, id: string, after: number): AsyncGenerator<ObservedEvent, void> {
  const live = fleet.supervisor.session(id) === undefined ? fleet.get(id) : undefined;
  if (live === undefined) {
    yield* fleet.supervisor.read(id, { from: after });
    return;
  }
  // It ended not long ago: its handle still has what it held.
  for await (const event of live.session.events({ from: after })) {
    if (event.type === 'replay.completed') return;
    yield event;
  }
}

/** Of one that is over and that only the store knows any more: as its log tells it. */
async function storedView({ supervisor }: LiveFleet, id: string): Promise<SessionView> {
  let view = startView({ id, groups: [] });
  for await (const event of supervisor.read(id)) if ('epoch' in event) view = applyEvent(view, viewEventOf(event));
  return view;
}

/** The same with what its readers see of it. Throws SESSION_NOT_FOUND. */
export function liveSession(fleet: LiveFleet, id: string): LiveSession {
  const live = fleet.get(id);
  if (live === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
  return live;
}
