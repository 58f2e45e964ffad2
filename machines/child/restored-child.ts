import type { EndCause } from '../session/session.events.ts';
import type { ChildContext, Failure, Parking, PauseReason } from './child.context.ts';
import type { ChildStateName } from './child.events.ts';
import type { Ending } from './endings.ts';

/** What of a child outlives its host, as JSON. Moments are epoch milliseconds: a wait that was planned ends when it was to end. */
export interface PersistedChild {
  readonly state: ChildStateName;
  readonly incarnation: number;
  readonly wasEverReady: boolean;
  readonly restarts: readonly number[];
  readonly failures: number;
  readonly failed: readonly Failure[];
  readonly retriedFor: Ending | null;
  /** The wait that was chosen before the last restart, in milliseconds. */
  readonly backoffMs: number;
  /** When that wait is over. */
  readonly backoffUntil: number | null;
  readonly pausedFor: PauseReason;
  readonly parking: Parking | null;
  readonly wasAsleep: boolean;
  readonly cause: EndCause | null;
  readonly stoppedFor: EndCause | null;
}

/** The states a session can come back in: those in which it has no process, and waits for none to end. */
export const COMEBACK_STATES = [
  'hibernated',
  'waiting',
  'held',
  'parked',
  'backing-off',
  'quarantined',
  'stopped',
] as const satisfies readonly ChildStateName[];
export type ComebackState = (typeof COMEBACK_STATES)[number];

/** As `ChildInput.restored` takes it. */
export interface RestoredChild extends PersistedChild {
  readonly state: ComebackState;
}

export interface RestoreFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Prompts wait for it, or were lost on their way: it needs a process. */
  readonly hasWork: boolean;
}

/** What is to be kept of a child, at any moment: `restoredChild` makes of it what another host goes on with. */
export function persistedChild(context: ChildContext, state: ChildStateName): PersistedChild {
  const { incarnation, wasEverReady, restarts, failures, failed, retriedFor, pausedFor, wasAsleep } = context;
  const { backoffMs, backoffUntil, parking, cause, stoppedFor } = context;
  return {
    state,
    incarnation,
    wasEverReady,
    restarts,
    failures,
    failed,
    retriedFor,
    backoffMs,
    backoffUntil,
    pausedFor,
    parking,
    wasAsleep,
    cause,
    stoppedFor,
  };
}

/**
 * The child as another host goes on with it. No process outlives its host, so what was on the way to somewhere is there: the
 * end that was asked for has come, the pause has begun, and one that ran is started again where it has work, and sleeps
 * where it has none. A loss of the host is no failure of the session: it counts as no restart.
 */
export function restoredChild(kept: PersistedChild, { now, hasWork }: RestoreFacts): RestoredChild {
  const state = comebackOf(kept, hasWork);
  const isParked = state === 'parked';
  return {
    ...kept,
    state,
    // A clock that was set back must not keep them for ever.
    restarts: kept.restarts.filter((at) => at <= now),
    backoffMs: state === 'backing-off' ? leftOf(kept, now) : kept.backoffMs,
    parking: isParked ? kept.parking : null,
    wasAsleep: isParked && kept.wasAsleep && !hasWork,
    cause: kept.state === 'stopping' ? kept.stoppedFor : kept.cause,
  };
}

function comebackOf({ state, pausedFor, parking }: PersistedChild, hasWork: boolean): ComebackState {
  const atWork = hasWork ? 'waiting' : 'hibernated';
  switch (state) {
    case 'running':
    case 'waiting':
    case 'hibernated':
      return atWork;
    case 'pausing':
      if (pausedFor === 'hold') return 'held';
      return pausedFor === 'park' && parking !== null ? 'parked' : atWork;
    case 'parked':
      return parking === null ? atWork : 'parked';
    case 'stopping':
    case 'stopped':
      return 'stopped';
    default:
      return state;
  }
}

/** Never longer than the wait that was chosen, whatever became of the clock meanwhile. */
function leftOf({ backoffMs, backoffUntil }: PersistedChild, now: number): number {
  return Math.max(0, Math.min(backoffMs, (backoffUntil ?? now) - now));
}
