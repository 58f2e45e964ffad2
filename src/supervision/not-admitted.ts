import type { SupervisorPhase, SupervisorStateName } from '../../machines/supervisor/supervisor.events.ts';
import { TroupeError } from '../errors.ts';

/** What a start gets, once its supervisor is on its way down. */
export function notAdmitted(state: SupervisorStateName, phase: SupervisorPhase): TroupeError {
  const what = state === 'stopped' ? 'It is stopped.' : `It is ${state}: what was accepted before is still let end.`;
  const reason = `${what} Start sessions with another supervisor; see explain().`;
  return new TroupeError('SUPERVISOR_STOPPED', { reason, details: { state, phase } });
}

/** A start that was ended because its supervisor stops, not by what went wrong with it. */
export function isCalledOff(error: unknown): boolean {
  return TroupeError.is(error) && error.code === 'SESSION_CLOSED';
}

/** Throws SESSION_EXISTS, or AT_CAPACITY where the supervisor keeps as many sessions as it may, with or without a process (P9). */
export function assertRegistrable(id: string, sessions: ReadonlyMap<string, unknown>, maxRegistered: number): void {
  if (sessions.has(id)) throw sessionExists(id);
  if (sessions.size < maxRegistered) return;
  const reason = `${sessions.size} sessions are kept, limits.maxRegistered allows no more: close some of them.`;
  throw new TroupeError('AT_CAPACITY', { reason, details: { field: 'limits.maxRegistered', limit: maxRegistered } });
}

export function sessionExists(id: string): TroupeError {
  return new TroupeError('SESSION_EXISTS', { reason: `("${id}")`, details: { field: 'id', id } });
}
