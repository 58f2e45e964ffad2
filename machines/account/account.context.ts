import { type BackoffSpec, backoffMs } from '../child/child-spec.ts';
import type { AccountComeback, RestoredAccount } from './restored-account.ts';

/** What is done about walls: data only. Milliseconds; null where there is no bound. */
export interface AccountPolicy {
  /** False: nothing goes on until somebody says so. */
  readonly autoResume: boolean;
  /** Nothing goes on by itself after this moment, in epoch milliseconds. */
  readonly resumeUntil: number | null;
  /** Nothing goes on by itself when it takes longer, counted from the first wall. */
  readonly maxWaitMs: number | null;
  /** Waited after the reset that was told: clocks differ. */
  readonly skewMs: number;
  /** The most that chance adds to it. */
  readonly jitterMs: number;
  /** Between two sessions that go on. */
  readonly staggerMs: number;
  /** How long the one that tries may be without an answer. */
  readonly probeMs: number;
  /** The wait where the reset is not known, or has passed and did not help. */
  readonly backoff: BackoffSpec;
}

export interface AccountInput {
  readonly key: string;
  readonly policy: AccountPolicy;
  /** What another host left of it, by `restoredAccount`: it begins in the state that this names. */
  readonly restored?: RestoredAccount;
}

export interface Wall {
  readonly window: string;
  readonly resetsAt: number | null;
}

export interface WaitingSession {
  readonly id: string;
  readonly hasWork: boolean;
}

export interface AccountContext extends Omit<AccountInput, 'restored'> {
  readonly comeback: AccountComeback;
  readonly walls: readonly Wall[];
  /** Since when it has not been open. */
  readonly walledSince: number | null;
  /** When it is tried again, in epoch milliseconds; null when somebody has to say so. */
  readonly resumeAt: number | null;
  /** Walls in a row that told no reset one could wait for. */
  readonly blindWalls: number;
  /** Oldest first. */
  readonly waiting: readonly WaitingSession[];
  /** The one session that tries. */
  readonly probe: string | null;
  readonly probedAt: number;
  /** Why nobody can log in. */
  readonly lock: string | null;
}

export function initialAccount({ restored, ...input }: AccountInput): AccountContext {
  const fresh: AccountContext = {
    ...input,
    ...AT_REST,
    comeback: 'open',
    waiting: [],
    probe: null,
    probedAt: 0,
    lock: null,
  };
  if (restored === undefined) return fresh;
  const { state: comeback, now: probedAt, ...kept } = restored;
  return { ...fresh, ...kept, comeback, probedAt };
}

/** What an open account remembers of its walls: nothing. */
export const AT_REST = { walls: [], walledSince: null, resumeAt: null, blindWalls: 0 } as const;

export interface LimitReached {
  readonly window: string;
  readonly resetsAt: number | null;
  readonly at: number;
  readonly chance: number;
}

/**
 * The context after a limit refused work. A reset that is known counts, of several the last; one that is not, or that has
 * passed, is waited for with a growing, bounded delay. What says nothing new while a wall stands changes nothing.
 */
export function walledBy(context: AccountContext, limit: LimitReached, isWalled: boolean): Partial<AccountContext> {
  const { policy } = context;
  const walledSince = context.walledSince ?? limit.at;
  const known = limit.resetsAt !== null && limit.resetsAt > limit.at ? limit.resetsAt : null;
  if (isWalled && known === null) return {};
  const wall: Wall = { window: limit.window, resetsAt: limit.resetsAt };
  const others = isWalled ? context.walls.filter(({ window }) => window !== limit.window) : [];
  const walls = [...others, wall].slice(-MAX_WALLS);
  const blindWalls = known === null ? context.blindWalls + 1 : 0;
  if (known === null) {
    const resumeAt = limit.at + backoffMs(policy.backoff, blindWalls, limit.chance);
    return { walls, walledSince, blindWalls, resumeAt: allowedAt({ ...context, walledSince }, resumeAt) };
  }
  const last = Math.max(known, ...others.map(({ resetsAt }) => resetsAt ?? 0));
  const resumeAt = last + policy.skewMs + Math.round(policy.jitterMs * limit.chance);
  return { walls, walledSince, blindWalls, resumeAt: allowedAt({ ...context, walledSince }, resumeAt) };
}

/** There are a handful of windows, whatever a broken peer says. */
const MAX_WALLS = 16;

/** The wall again, because the one that tried had no answer at all. */
export function walledBySilence(context: AccountContext): Partial<AccountContext> {
  const { policy } = context;
  const blindWalls = context.blindWalls + 1;
  const at = context.probedAt + policy.probeMs;
  const resumeAt = at + backoffMs(policy.backoff, blindWalls, 0.5);
  const walledSince = context.walledSince ?? at;
  return { blindWalls, walledSince, probe: null, resumeAt: allowedAt({ ...context, walledSince }, resumeAt) };
}

function allowedAt({ policy, walledSince }: AccountContext, resumeAt: number): number | null {
  const { autoResume, resumeUntil, maxWaitMs } = policy;
  if (!autoResume || (resumeUntil !== null && resumeAt > resumeUntil)) return null;
  return maxWaitMs !== null && walledSince !== null && resumeAt - walledSince > maxWaitMs ? null : resumeAt;
}

/** The line with that session in it: it keeps its place. */
export function withWaiting(context: AccountContext, session: WaitingSession): readonly WaitingSession[] {
  const isKnown = context.waiting.some(({ id }) => id === session.id);
  if (!isKnown) return [...context.waiting, session];
  return context.waiting.map((other) => (other.id === session.id ? session : other));
}

export function withoutWaiting(context: AccountContext, left: string): readonly WaitingSession[] {
  return context.waiting.filter(({ id }) => id !== left);
}
