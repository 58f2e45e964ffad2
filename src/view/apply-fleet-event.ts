import { EMPTY_FLEET, type FleetView, type FleetViewEvent, type SessionSummary } from './fleet-view.ts';

/** The fleet after the event. Pure; a kind that this release does not know changes nothing. */
export function applyFleetEvent(fleet: FleetView, event: FleetViewEvent): FleetView {
  switch (event.type) {
    case 'snapshot': {
      const { type: _type, ...told } = event;
      return { ...EMPTY_FLEET, ...told };
    }
    case 'session.changed':
      return { ...fleet, sessions: withSession(fleet.sessions, event.session) };
    case 'session.removed':
      return {
        ...fleet,
        sessions: fleet.sessions.filter(({ id }) => id !== event.sessionId),
        permissions: fleet.permissions.filter(({ sessionId }) => sessionId !== event.sessionId),
      };
    case 'permission.requested': {
      const { permission } = event;
      const others = fleet.permissions.filter(({ globalId }) => globalId !== permission.globalId);
      return { ...fleet, permissions: [...others, permission] };
    }
    case 'permission.settled':
      return { ...fleet, permissions: fleet.permissions.filter(({ globalId }) => globalId !== event.globalId) };
    case 'supervisor.phase-changed': {
      const { deadlineAt: _deadlineAt, ...kept } = fleet;
      const { phase, deadlineAt } = event;
      return { ...kept, phase, ...(deadlineAt === undefined ? {} : { deadlineAt }) };
    }
    default:
      return fleet;
  }
}

function withSession(sessions: readonly SessionSummary[], session: SessionSummary): readonly SessionSummary[] {
  const index = sessions.findIndex(({ id }) => id === session.id);
  return index < 0 ? [...sessions, session] : sessions.with(index, session);
}
