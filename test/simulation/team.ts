import type { Strategy } from '../../machines/group/strategy.ts';
import type { GroupOptions, SessionChildOptions } from '../../src/launch/group-options.ts';
import type { Group } from '../../src/supervision/group.ts';
import type { GroupFleetEvent } from '../../src/supervision/group-fleet-event.ts';
import { createRandom, type Random } from '../chaos/random.ts';
import type { Launch } from './simulated-spawn.ts';
import type { World } from './world.ts';

export const TEAM = 'team';

/** Some of the sessions stand or fall together. */
export interface TeamSetting {
  readonly strategy: Strategy;
  readonly autoShutdown: 'never' | 'any_significant' | 'all_significant';
  /** In order of start. */
  readonly members: readonly TeamMember[];
}

interface TeamMember {
  readonly id: string;
  readonly restart: 'permanent' | 'transient' | 'temporary';
  readonly isSignificant: boolean;
}

export type TeamStep = {
  readonly do: 'team';
  readonly what: 'start' | 'hold' | 'close' | 'terminate' | 'restart-child' | 'delete' | 'add';
  readonly session: string;
};

/** By a chance of its own: a script without a team is what it was. */
export function teamOf(seed: number): TeamSetting | undefined {
  const random = createRandom(seed ^ 0x7ea3);
  if (random.chance(0.65)) return undefined;
  const autoShutdown = random.pick(['never', 'never', 'any_significant', 'all_significant'] as const);
  const ids = random.pick([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
  return {
    strategy: random.pick(['one_for_one', 'rest_for_one', 'rest_for_one', 'one_for_all']),
    autoShutdown,
    members: ids.map((id) => {
      const restart = random.pick(['permanent', 'transient', 'transient', 'temporary'] as const);
      const mayBe = autoShutdown !== 'never' && restart !== 'permanent';
      return { id, restart, isSignificant: mayBe && random.chance(0.5) };
    }),
  };
}

export function teamStepOf(random: Random, { members: [first, ...others] }: TeamSetting): TeamStep {
  const what = random.pick(['start', 'start', 'hold', 'close', 'terminate', 'restart-child', 'delete', 'add'] as const);
  return { do: 'team', what, session: random.pick([first?.id ?? '', ...others.map(({ id }) => id)]) };
}

/** Where a session that belongs to the team is asked to start, it is its team that starts it. */
export function isMember({ setting }: World, session: string): boolean {
  return setting.team?.members.some(({ id }) => id === session) === true;
}

/** Each child is started when the one before it is ready, and may wait for a slot first. */
const START_MS = 200_000;

export function askTeam(world: World, { what, session }: Omit<TeamStep, 'do'>): void {
  const { team } = world.setting;
  if (team === undefined) return;
  const group = groupOf(world);
  if (group === undefined) {
    if (what === 'start')
      world.ask('team-start', session, START_MS, () =>
        world.host.supervisor.group(world.groupOptions(optionsOf(team))),
      );
    return;
  }
  if (what !== 'start' && what !== 'add') stopMembers(world);
  // Whom its owner starts comes when it is told to, and not in its turn.
  if (what === 'restart-child' || what === 'add') world.team.forgetRound();
  world.ask(`team-${what}`, session, START_MS, (): unknown => {
    switch (what) {
      case 'start':
        return group.start();
      case 'hold':
        return group.hold('wish');
      case 'close':
        return group.close();
      case 'terminate':
        return group.terminateChild(session);
      case 'restart-child':
        return group.restartChild(session);
      case 'delete':
        return group.deleteChild(session);
      case 'add':
        return group.startChild(childOf(team, session));
    }
  });
}

function stopMembers({ setting, clients }: World): void {
  for (const { id } of setting.team?.members ?? []) clients.stopped.add(id);
}

export function groupOf({ host }: Pick<World, 'host'>): Group | undefined {
  return host.supervisor.groups().find(({ id }) => id === TEAM);
}

function optionsOf({ strategy, autoShutdown, members }: TeamSetting): GroupOptions {
  const children = members.map(({ id, restart, isSignificant }) => childWith(id, restart, isSignificant));
  return { id: TEAM, strategy, autoShutdown, children };
}

function childOf({ members }: TeamSetting, session: string): SessionChildOptions {
  const { restart = 'transient', isSignificant = false } = members.find(({ id }) => id === session) ?? {};
  return childWith(session, restart, isSignificant);
}

function childWith(id: string, type: TeamMember['restart'], significant: boolean): SessionChildOptions {
  return { id, significant, restart: { type } };
}

/** A restart that the team has told of, and has not finished. */
interface Round {
  readonly child: string;
  /** Who has to be down before the first of them starts, in the order of the team. */
  readonly together: readonly string[];
  /** So many processes there were. */
  readonly after: number;
}

/** What was seen of the team, and what contradicts its strategy. */
export class TeamStory {
  readonly contradictions: string[] = [];
  #round: Round | undefined;

  hear(world: World, event: GroupFleetEvent): void {
    const { team, intensity } = world.setting;
    this.#round = undefined;
    // The group says so itself: with the end of a significant member all of them are stopped (`autoShutdown`).
    if (event.type === 'group.state-changed' && event.state === 'stopping') stopMembers(world);
    if (team === undefined || event.type !== 'group.restarting') return;
    const { child, restarts } = event;
    if (restarts > intensity) this.contradictions.push(`restart ${restarts} of ${child}, and ${intensity} are allowed`);
    const order =
      groupOf(world)
        ?.children()
        .map(({ id }) => id) ?? [];
    const together = { one_for_one: [child], rest_for_one: order.slice(order.indexOf(child)), one_for_all: order };
    this.#round = { child, together: together[team.strategy], after: world.launches.length };
  }

  forgetRound(): void {
    this.#round = undefined;
  }

  /** Nobody comes back beside one that is still to fall with it, and each comes back behind those before it. */
  launched({ launches, processes }: World, launch: Launch): void {
    const { sessionId } = launch;
    const { child, together, after } = this.#round ?? { child: '', together: [], after: 0 };
    if (!together.includes(sessionId)) return;
    for (const [index, { sessionId: other, pid, host }] of launches.entries()) {
      if (index >= after || other === sessionId || host !== launch.host || !together.includes(other)) continue;
      if (processes.isAlive(pid))
        this.contradictions.push(`${sessionId} is started again for ${child}, and ${other} was not stopped`);
    }
    const later = launches.slice(after).filter((one) => one !== launch && one.host === launch.host);
    // One that slept meanwhile comes when it is asked.
    if (later.some((one) => one.sessionId === sessionId)) return;
    const ahead = later.find((one) => together.indexOf(one.sessionId) > together.indexOf(sessionId));
    if (ahead !== undefined) this.contradictions.push(`${sessionId} is started again behind ${ahead.sessionId}`);
  }
}
