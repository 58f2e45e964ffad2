import type { EndCause } from '../session/session.events.ts';
import type { Parking } from './child.context.ts';

export type IncarnationEvent =
  | { type: 'incarnation.ready'; at: number }
  /** A turn was completed: what ended a process before has not hindered this one. */
  | { type: 'incarnation.progressed' }
  /** The incarnation is over and its process tree is gone. `chance` (0 … 1) feeds the jitter of the backoff. */
  | { type: 'incarnation.ended'; cause: EndCause; at: number; chance: number };

export type ChildCommand =
  /** Starts, or starts again at once: wakes a registered session, ends a backoff, leaves quarantine. */
  | { type: 'child.start' }
  /** Ends the process and keeps the session; the next `child.start` resumes it. */
  | { type: 'child.hibernate' }
  /** The same, by the group of the session: only the group starts it again. */
  | { type: 'child.hold' }
  /** A new process in the place of the present one, when that has ended. Counts as no restart. */
  | { type: 'child.restart' }
  /** The group has given up. */
  | { type: 'child.quarantine' }
  /** Ends the process and keeps the session, and its prompts, until `child.unpark`. Told again, the newest word holds. */
  | ({ type: 'child.park' } & Parking)
  /** What stood in the way is gone: it goes on as before. */
  | { type: 'child.unpark' }
  /** With a cause, that is why the session ended, whatever the process says. */
  | { type: 'child.stop'; mode: 'close' | 'kill'; cause?: EndCause };

export type ChildEvent = IncarnationEvent | ChildCommand;

export type IncarnationCommand = { type: 'incarnation.close' } | { type: 'incarnation.kill' };

export const CHILD_STATES = [
  'hibernated',
  'waiting',
  'running',
  'pausing',
  'held',
  'parked',
  'backing-off',
  'quarantined',
  'stopping',
  'stopped',
] as const;
export type ChildStateName = (typeof CHILD_STATES)[number];

export type ChildNotice = { type: 'state.entered'; state: ChildStateName };
