import type { EndCause } from '../session/session.events.ts';
import type { MemberSpec } from './strategy.ts';

export type MemberNews =
  /** It ended, by itself or by a failure, or could not be started again. `chance` (0 … 1) feeds the jitter of the backoff. */
  | { type: 'member.ended'; id: string; cause: EndCause; at: number; chance: number }
  | { type: 'member.started'; id: string };

export type GroupCommand =
  /** Starts all members again after a quarantine, or in the turn of the group above. */
  | { type: 'group.start' }
  /** Stops the members and keeps them, by the group above. */
  | { type: 'group.hold' }
  /** The group above has given up. */
  | { type: 'group.quarantine' }
  | { type: 'group.stop' }
  | { type: 'member.added'; member: MemberSpec }
  /** Its owner took it down: kept, not restarted. */
  | { type: 'member.terminated'; id: string }
  /** It is to run again after it was terminated, set aside, or had ended. */
  | { type: 'member.wanted'; id: string }
  | { type: 'member.deleted'; id: string };

export type GroupEvent = MemberNews | GroupCommand;

/** What the machine tells those who carry it out. */
export type MembersCommand =
  | { type: 'members.restart'; hold: readonly string[]; start: readonly string[]; delayMs: number }
  | { type: 'members.set-aside'; ids: readonly string[] };

export const GROUP_STATES = [
  'starting',
  'running',
  'giving-up',
  'holding',
  'held',
  'quarantined',
  'stopping',
  'stopped',
] as const;
export type GroupStateName = (typeof GROUP_STATES)[number];

export type GroupNotice =
  | { type: 'state.entered'; state: GroupStateName }
  | {
      type: 'member.restarting';
      id: string;
      cause: EndCause;
      start: readonly string[];
      delayMs: number;
      restarts: number;
    };
