import type { ChildContext } from '../../machines/child/child.context.ts';
import type { ChildStateName } from '../../machines/child/child.events.ts';
import type { SessionFact } from '../store/session-event.ts';
import { endFacts, failureFacts } from './exit-cause.ts';

/** What the log is told of a state of supervision beside its name. */
export function childFacts(state: ChildStateName, context: ChildContext, isMakingRoom: boolean): SessionFact[] {
  const cause = context.cause === null ? undefined : endFacts(context.cause);
  if (state === 'parked') return context.parking === null ? [] : [{ type: 'session.parked', ...context.parking }];
  if (state === 'hibernated') return [{ type: 'session.hibernated', ...(isMakingRoom ? { reason: 'evicted' } : {}) }];
  if (cause === undefined) return [];
  if (state === 'quarantined') {
    return [{ type: 'session.quarantined', cause, failures: context.failed.map(failureFacts) }];
  }
  if (state !== 'backing-off') return [];
  const { backoffMs: delayMs, restarts } = context;
  return [{ type: 'session.restarting', cause, delayMs, restarts: restarts.length }];
}

/** Nothing will serve the prompts that wait, until somebody starts the session again. */
export function isReturning(state: ChildStateName, from: string): boolean {
  return (state === 'hibernated' && from === 'waiting') || state === 'quarantined';
}
