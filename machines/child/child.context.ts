import type { EndCause } from '../session/session.events.ts';
import { backoffMs, healthyAfterMs, type RestartSpec } from './child-spec.ts';
import { type Ending, isAskedFor, ruleOf } from './endings.ts';
import { countRestart } from './restart-window.ts';
import type { ComebackState, RestoredChild } from './restored-child.ts';

export interface ChildInput {
  readonly id: string;
  readonly restart: RestartSpec;
  /** False registers the session without a process; `child.start` starts it. */
  readonly autoStart: boolean;
  /** A member of a group: what an end means is not decided here, but by the group (DESIGN, strategies). */
  readonly isMember: boolean;
  /** Processes that served an earlier session with this id: those of this one go on counting. Default 0. */
  readonly incarnations?: number;
  /** What another host left of it, by `restoredChild`: it begins in the state that this names. */
  readonly restored?: RestoredChild;
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

/** An end that nobody asked for. */
export interface Failure {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly incarnation: number;
  readonly cause: EndCause;
}

export interface ChildContext extends Omit<ChildInput, 'restored' | 'incarnations'> {
  /** Where it began, when another host had it before. */
  readonly comeback: ComebackState | null;
  /** Number of the newest incarnation, from 1; before the first, that of the last one of an earlier session with this id, or 0. */
  readonly incarnation: number;
  readonly wasEverReady: boolean;
  readonly readyAt: number | null;
  /** Epoch milliseconds of the restarts that still count. */
  readonly restarts: readonly number[];
  /** Ends since the session was last healthy. */
  readonly failures: number;
  /** The newest ends that nobody asked for, oldest first, since somebody last started the session by hand. */
  readonly failed: readonly Failure[];
  /** The ending that was worth one restart, until a turn is completed. */
  readonly retriedFor: Ending | null;
  readonly backoffMs: number;
  /** When that wait is over, in epoch milliseconds; null before the first. */
  readonly backoffUntil: number | null;
  readonly pausedFor: PauseReason;
  /** Set while it is parked, and from the moment it is to be. */
  readonly parking: Parking | null;
  /** It slept when it was parked, and sleeps on afterwards. */
  readonly wasAsleep: boolean;
  /** Why the last incarnation ended, or why the session did. */
  readonly cause: EndCause | null;
  /** Why somebody ends it, where that is more than a wish. */
  readonly stoppedFor: EndCause | null;
}

export interface ChildOutput {
  readonly cause: EndCause;
}

/** Failures kept to explain a quarantine. */
const FAILURES_KEPT = 20;

/** Field by field: to spread the input in front of so many others costs several copies. */
export function initialChild(input: ChildInput): ChildContext {
  const { id, restart, autoStart, isMember, restored, incarnations = 0 } = input;
  if (restored !== undefined) {
    const { state, ...kept } = restored;
    return { id, restart, autoStart, isMember, ...kept, comeback: state, readyAt: null };
  }
  return {
    id,
    restart,
    autoStart,
    isMember,
    comeback: null,
    incarnation: incarnations,
    wasEverReady: false,
    readyAt: null,
    restarts: [],
    failures: 0,
    failed: [],
    retriedFor: null,
    backoffMs: 0,
    backoffUntil: null,
    pausedFor: 'hibernate',
    parking: null,
    wasAsleep: false,
    cause: null,
    stoppedFor: null,
  };
}

/**
 * What an end means: `stop` for good, `restart` after a wait, `quarantine`: kept, visible, startable by hand, or `hold`: kept
 * until its group says what follows.
 */
export type Consequence = 'stop' | 'restart' | 'quarantine' | 'hold';

/**
 * A first start that fails is the caller's error, not a crash to repeat; after a loss of the host no caller waits for it. What else follows stands in the table of endings;
 * the intensity limits the restarts that count (P8).
 */
export function consequenceOf(context: ChildContext, cause: EndCause, at: number): Consequence {
  if (context.isMember) return 'hold';
  const isFirst = !context.wasEverReady && context.comeback === null;
  if (isFirst || context.restart.type === 'temporary') return 'stop';
  const { ending } = judged(context, cause);
  const { consequence, isCounted } = ruleOf(ending);
  // OTP restarts a permanent child also after a normal end; where no process may start any more it cannot.
  if (consequence === 'stop' && (context.restart.type === 'transient' || ending === 'host-shutdown')) return 'stop';
  // A wall is no failure; who knows when it ends has parked the session before this is asked.
  if (consequence === 'quarantine' || consequence === 'park') return 'quarantine';
  if (consequence !== 'stop' && !isCounted) return 'restart';
  return countRestart(context.restarts, at, context.restart).allowed ? 'restart' : 'quarantine';
}

/** The cause as it counts here: what is worth one restart is worth no second one before a turn was completed (R62). */
export function judged(context: ChildContext, cause: EndCause): EndCause {
  const isAgain = ruleOf(cause.ending).consequence === 'restart-once' && context.retriedFor === cause.ending;
  if (!isAgain) return cause;
  return { ...cause, ending: 'repeating', details: { ...cause.details, again: cause.ending } };
}

/** What is remembered of every end. */
export function rememberedEnd(context: ChildContext, cause: EndCause, at: number): Partial<ChildContext> {
  const known = judged(context, cause);
  const failure: Failure = { at, incarnation: context.incarnation, cause: known };
  const isWorthOne = ruleOf(cause.ending).consequence === 'restart-once';
  return {
    cause: known,
    ...(isWorthOne ? { retriedFor: cause.ending } : {}),
    ...(isAskedFor(cause.ending) ? {} : { failed: [...context.failed, failure].slice(-FAILURES_KEPT) }),
  };
}

/** The context after an end that is followed by a restart. */
export function afterRestart(
  context: ChildContext,
  { cause, at, chance }: { cause: EndCause; at: number; chance: number },
): Partial<ChildContext> {
  const { isCounted, hasBackoff } = ruleOf(cause.ending);
  const isFree = !isCounted && !isAskedFor(cause.ending);
  const uptimeMs = context.readyAt === null ? 0 : at - context.readyAt;
  const failures = uptimeMs >= healthyAfterMs(context.restart.backoff) ? 1 : context.failures + 1;
  const waitMs = hasBackoff || isAskedFor(cause.ending) ? backoffMs(context.restart.backoff, failures, chance) : 0;
  return {
    failures,
    restarts: isFree ? context.restarts : countRestart(context.restarts, at, context.restart).restarts,
    backoffMs: waitMs,
    backoffUntil: at + waitMs,
  };
}
