import type { EndCause } from '../session/session.events.ts';
import { backoffMs, healthyAfterMs, type RestartSpec } from './child-spec.ts';
import { countRestart } from './restart-window.ts';

export interface ChildInput {
  readonly id: string;
  readonly restart: RestartSpec;
  /** False registers the session without a process; `child.start` starts it. */
  readonly autoStart: boolean;
  /** A member of a group: what an end means is not decided here, but by the group (DESIGN, strategies). */
  readonly isMember: boolean;
}

/**
 * What follows when the process has ended because of that: sleep until a prompt comes, wait for the group, a new process, or
 * wait until what stands in the way is gone.
 */
export type PauseReason = 'hibernate' | 'hold' | 'restart' | 'park';

/** Why a session may not work at present: a limit of its account, its login, or its money. */
export type ParkReason = 'quota' | 'auth' | 'budget';

export interface Parking {
  readonly reason: ParkReason;
  /** Epoch milliseconds of the planned end; null when somebody has to act. */
  readonly until: number | null;
  /** One sentence: what is in the way, and who or what ends it. */
  readonly note: string;
}

export interface ChildContext extends ChildInput {
  /** Number of the newest incarnation, from 1; 0 before the first. */
  readonly incarnation: number;
  readonly wasEverReady: boolean;
  readonly readyAt: number | null;
  /** Epoch milliseconds of the restarts that still count. */
  readonly restarts: readonly number[];
  /** Ends since the session was last healthy. */
  readonly failures: number;
  readonly backoffMs: number;
  readonly pausedFor: PauseReason;
  /** Set while it is parked, and from the moment it is to be. */
  readonly parking: Parking | null;
  /** It slept when it was parked, and sleeps on afterwards. */
  readonly wasAsleep: boolean;
  /** Why the last incarnation ended, or why the session did. */
  readonly cause: EndCause | null;
}

export interface ChildOutput {
  readonly cause: EndCause;
}

export function initialChild(input: ChildInput): ChildContext {
  return {
    ...input,
    incarnation: 0,
    wasEverReady: false,
    readyAt: null,
    restarts: [],
    failures: 0,
    backoffMs: 0,
    pausedFor: 'hibernate',
    parking: null,
    wasAsleep: false,
    cause: null,
  };
}

/**
 * What an end means: `stop` for good, `restart` after a wait, `quarantine`: kept, visible, startable by hand, or `hold`: kept
 * until its group says what follows.
 */
export type Consequence = 'stop' | 'restart' | 'quarantine' | 'hold';

/**
 * A first start that fails is the caller's error, not a crash to repeat. A permanent cause would only fail again, so it
 * burns no restart (P8).
 */
export function consequenceOf(context: ChildContext, cause: EndCause, at: number): Consequence {
  if (context.isMember) return 'hold';
  if (!context.wasEverReady || context.restart.type === 'temporary') return 'stop';
  if (cause.code === 'closed' && context.restart.type === 'transient') return 'stop';
  if (cause.permanent && cause.code !== 'closed') return 'quarantine';
  return countRestart(context.restarts, at, context.restart).allowed ? 'restart' : 'quarantine';
}

/** The context after an end that is followed by a restart. */
export function countedRestart(context: ChildContext, at: number, chance: number): Partial<ChildContext> {
  const uptimeMs = context.readyAt === null ? 0 : at - context.readyAt;
  const failures = uptimeMs >= healthyAfterMs(context.restart.backoff) ? 1 : context.failures + 1;
  return {
    failures,
    restarts: countRestart(context.restarts, at, context.restart).restarts,
    backoffMs: backoffMs(context.restart.backoff, failures, chance),
  };
}
