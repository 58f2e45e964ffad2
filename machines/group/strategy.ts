import type { RestartType } from '../child/child-spec.ts';
import { isAskedFor, isFinal, ruleOf } from '../child/endings.ts';
import { countRestart } from '../child/restart-window.ts';
import type { EndCause } from '../session/session.events.ts';

/** Who is restarted with a member that failed: it alone, everybody, or it and those that were started after it. */
export type Strategy = 'one_for_one' | 'one_for_all' | 'rest_for_one';
/** Whether the group ends when members end by themselves: never, with the first significant one, or with the last. */
export type AutoShutdown = 'never' | 'any_significant' | 'all_significant';

export interface MemberSpec {
  readonly id: string;
  readonly restart: RestartType;
  /** Its own end may be the end of the group (`autoShutdown`). */
  readonly significant: boolean;
}

/**
 * `up`: it runs, or is being started. `ended`: it ended by itself and is not to come back. `terminated`: its owner took it
 * down. `set-aside`: its cause would only repeat itself.
 */
export type MemberStatus = 'up' | 'restarting' | 'ended' | 'terminated' | 'set-aside';

export interface MemberState extends MemberSpec {
  readonly status: MemberStatus;
}

export interface GroupRules {
  readonly strategy: Strategy;
  readonly autoShutdown: AutoShutdown;
  /** More than `intensity` restarts within `periodMs` give up. */
  readonly intensity: number;
  readonly periodMs: number;
}

/** What the end of a member means for the group. */
export type GroupVerdict =
  /** Nothing but that: a `transient` member keeps its place, a `temporary` one is forgotten. */
  | { readonly kind: 'let-go'; readonly members: readonly MemberState[] }
  | { readonly kind: 'shut-down'; readonly members: readonly MemberState[] }
  /** `hold` is stopped in this order, then `start` is started in this order. */
  | {
      readonly kind: 'restart';
      readonly members: readonly MemberState[];
      readonly hold: readonly string[];
      readonly start: readonly string[];
      readonly restarts: readonly number[];
    }
  /** The member's cause would only repeat itself, and nobody depends on it. */
  | { readonly kind: 'set-aside'; readonly members: readonly MemberState[] }
  | { readonly kind: 'give-up'; readonly restarts: readonly number[] };

export interface MemberEnd {
  readonly id: string;
  readonly cause: EndCause;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The rules of OTP for one end of one member. An end of a member that is not up changes nothing. */
export function verdictOn(
  end: MemberEnd,
  members: readonly MemberState[],
  restarts: readonly number[],
  rules: GroupRules,
): GroupVerdict {
  const member = members.find(({ id }) => id === end.id);
  if (member === undefined || (member.status !== 'up' && member.status !== 'restarting')) {
    return { kind: 'let-go', members };
  }
  const isNormal = isAskedFor(end.cause.ending);
  if (member.restart === 'temporary' || (member.restart === 'transient' && isNormal)) {
    const left = without(member, members);
    return { kind: endsGroup(member, left, rules.autoShutdown) ? 'shut-down' : 'let-go', members: left };
  }
  // It would burn restarts for nothing (P8); where others depend on the member they cannot go on without it.
  if (isFinal(end.cause.ending)) {
    if (rules.strategy !== 'one_for_one') return { kind: 'give-up', restarts };
    return { kind: 'set-aside', members: withStatus(members, [member.id], 'set-aside') };
  }
  const isFree = !isNormal && !ruleOf(end.cause.ending).isCounted;
  const counted = isFree ? { allowed: true, restarts } : countRestart(restarts, end.at, rules);
  if (!counted.allowed) return { kind: 'give-up', restarts: counted.restarts };
  return { kind: 'restart', ...restartPlan(member, members, rules.strategy), restarts: counted.restarts };
}

/**
 * A restart takes the place of one that is under way: where members depend on each other it also does what that had left.
 * `temporary` members that are stopped with the others do not come back, and are forgotten. A `transient` one that had ended
 * does come back, as in OTP: the others begin anew, and may need it. What its owner took down stays down.
 */
function restartPlan(failed: MemberState, members: readonly MemberState[], strategy: Strategy) {
  const isFirst = ({ id, status }: MemberState) => id === failed.id || status === 'restarting';
  const from = strategy === 'one_for_all' ? 0 : members.findIndex(isFirst);
  const affected = strategy === 'one_for_one' ? [failed] : members.slice(from);
  const isThere = ({ status }: MemberState) => status === 'up' || status === 'restarting';
  const stopped = affected.filter(isThere);
  const start = affected
    .filter(({ restart, status }) => restart !== 'temporary' && status !== 'terminated' && status !== 'set-aside')
    .map(({ id }) => id);
  const gone = stopped.filter(({ restart }) => restart === 'temporary').map(({ id }) => id);
  return {
    members: withStatus(
      members.filter(({ id }) => !gone.includes(id)),
      start,
      'restarting',
    ),
    hold: stopped
      .filter(({ id }) => id !== failed.id)
      .map(({ id }) => id)
      .reverse(),
    start,
  };
}

function without(member: MemberState, members: readonly MemberState[]): readonly MemberState[] {
  if (member.restart === 'temporary') return members.filter(({ id }) => id !== member.id);
  return withStatus(members, [member.id], 'ended');
}

export function withStatus(
  members: readonly MemberState[],
  ids: readonly string[],
  status: MemberStatus,
): readonly MemberState[] {
  return members.map((member) => (ids.includes(member.id) ? { ...member, status } : member));
}

/** Only an end of its own counts: who is stopped by its group is not heard of here. */
function endsGroup(member: MemberState, left: readonly MemberState[], autoShutdown: AutoShutdown): boolean {
  if (!member.significant || autoShutdown === 'never') return false;
  if (autoShutdown === 'any_significant') return true;
  return !left.some(({ significant, status }) => significant && (status === 'up' || status === 'restarting'));
}
