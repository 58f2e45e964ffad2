import { TroupeError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

/** The living session with this id. Throws SESSION_NOT_FOUND. */
export function knownSession(supervisor: Supervisor, id: string): Session {
  const session = supervisor.session(id);
  if (session === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
  return session;
}
