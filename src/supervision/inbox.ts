import type { PermissionRequest } from '../permissions/permission-request.ts';
import type { BuiltSession } from './session-factory.ts';

/** Every open permission request of these sessions, oldest first. */
export function inboxOf(sessions: Iterable<BuiltSession>): (PermissionRequest & { readonly sessionId: string })[] {
  return [...sessions]
    .flatMap(({ session, desk }) => desk.pending().map((request) => ({ ...request, sessionId: session.id })))
    .sort((left, right) => left.askedAt - right.askedAt);
}
