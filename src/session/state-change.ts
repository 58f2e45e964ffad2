import type { ChildStateName } from '../../machines/child/child.events.ts';
import type { SessionStateName } from '../../machines/session/session.events.ts';

/** Where a session went, in which of its processes, and when. */
export interface StateChange {
  readonly state: SessionStateName | ChildStateName;
  readonly epoch: number;
  readonly at: number;
}
