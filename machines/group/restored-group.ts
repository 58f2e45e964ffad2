import type { EndCause } from '../session/session.events.ts';
import type { GroupContext } from './group.context.ts';
import type { GroupStateName } from './group.events.ts';
import type { MemberState } from './strategy.ts';

/** What of a group outlives its host, as JSON. Moments are epoch milliseconds. */
export interface PersistedGroup {
  readonly state: GroupStateName;
  readonly members: readonly MemberState[];
  readonly restarts: readonly number[];
  readonly startsAt: number | null;
  readonly isShuttingDown: boolean;
  readonly cause: EndCause | null;
}

/** As `GroupInput.restored` takes it. */
export interface RestoredGroup extends PersistedGroup {
  readonly leftMs: number;
}

export function persistedGroup(context: GroupContext, state: GroupStateName): PersistedGroup {
  const { members, restarts, startsAt, isShuttingDown, cause } = context;
  return { state, members, restarts, startsAt, isShuttingDown, cause };
}

/**
 * The group as another host goes on with it: in the same state, for what it was about can be done again. A restart of
 * members waits until the moment it was to. The loss of the host ended every member and is the failure of none: it counts
 * as no restart, and each comes back by itself.
 */
export function restoredGroup(kept: PersistedGroup, now: number, maxWaitMs: number): RestoredGroup {
  const leftMs = kept.startsAt === null ? 0 : Math.max(0, Math.min(maxWaitMs, kept.startsAt - now));
  // A clock that was set back must not keep them for ever.
  return { ...kept, restarts: kept.restarts.filter((at) => at <= now), leftMs };
}
