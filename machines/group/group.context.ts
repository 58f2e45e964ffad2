import type { BackoffSpec } from '../child/child-spec.ts';
import type { EndCause } from '../session/session.events.ts';
import type { GroupStateName } from './group.events.ts';
import type { RestoredGroup } from './restored-group.ts';
import type { GroupRules, MemberSpec, MemberState } from './strategy.ts';

export interface GroupInput extends GroupRules {
  readonly id: string;
  readonly backoff: BackoffSpec;
  /** A member of another group: its giving up is that group's to answer. */
  readonly isNested: boolean;
  /** In order of start. */
  readonly members: readonly MemberSpec[];
  /** What another host left of it, by `restoredGroup`: it begins in the state that this names, with those members. */
  readonly restored?: RestoredGroup;
}

export interface GroupContext extends Omit<GroupInput, 'members' | 'restored'> {
  /** Where it began. */
  readonly comeback: GroupStateName;
  /** What was left of the wait before members start again, where another host began it; in milliseconds. */
  readonly leftMs: number;
  readonly members: readonly MemberState[];
  /** Epoch milliseconds of the restarts that still count. */
  readonly restarts: readonly number[];
  /** When the members that are being restarted may start, at the earliest; null when nothing waits. */
  readonly startsAt: number | null;
  /** It ends because its significant members have. */
  readonly isShuttingDown: boolean;
  /** Why the group gave up, shut itself down, or could not start. */
  readonly cause: EndCause | null;
}

export interface GroupOutput {
  readonly cause: EndCause;
}

export function initialGroup({ members, restored, ...input }: GroupInput): GroupContext {
  if (restored !== undefined) {
    const { state: comeback, ...kept } = restored;
    return { ...input, ...kept, comeback };
  }
  return {
    ...input,
    comeback: 'starting',
    leftMs: 0,
    members: members.map((member) => ({ ...member, status: 'up' })),
    restarts: [],
    startsAt: null,
    isShuttingDown: false,
    cause: null,
  };
}
