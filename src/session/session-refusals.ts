import { TroupeError } from '../errors.ts';
import { sentenceOf } from './exit-cause.ts';
import { assertHere } from './handed-over.ts';
import type { SessionParts } from './session.ts';

/** Throws SESSION_CLOSED or HANDED_OVER. */
export function assertOpen({ id, log, life }: SessionParts): void {
  assertHere(log, id);
  const child = life.childSnapshot();
  if (!life.isOver && !child.matches('stopping')) return;
  const cause = child.context.cause;
  const wasAsked = cause === null || cause.code === 'closed';
  const reason = wasAsked ? undefined : `It had failed: ${sentenceOf(cause)}`;
  throw new TroupeError('SESSION_CLOSED', { reason, details: { id, state: life.state } });
}

/** What is missing may have been what said no: nothing runs without it. Throws OPTIONS_MISSING. */
export function assertWhole({ id, missing = [] }: SessionParts): void {
  if (missing.length === 0) return;
  const reason = `Missing: ${missing.join(', ')}. Start it under its id with them.`;
  throw new TroupeError('OPTIONS_MISSING', { reason, details: { id, missing } });
}

/** Throws SESSION_CLOSED, HANDED_OVER, SUPERVISOR_STOPPED, STORE_*, OPTIONS_MISSING or SESSION_QUARANTINED. */
export function assertTakesPrompts(parts: SessionParts): void {
  const { id, life } = parts;
  assertOpen(parts);
  if (!parts.admitsPrompts()) {
    const reason = 'Prompts that were accepted before still run; send this one to a session of another supervisor.';
    throw new TroupeError('SUPERVISOR_STOPPED', { reason, details: { id } });
  }
  const unkept = parts.storeRefusal?.();
  if (unkept !== undefined) throw unkept;
  assertWhole(parts);
  if (life.state !== 'quarantined') return;
  const cause = life.childSnapshot().context.cause;
  const reason = `${cause === null ? '' : sentenceOf(cause)} Call restart() to start it again.`.trim();
  throw new TroupeError('SESSION_QUARANTINED', { reason, details: { id, code: cause?.code } });
}
