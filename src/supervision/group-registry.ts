import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import {
  type GroupChild,
  type GroupSetting,
  memberIdsIn,
  parseGroupMember,
  parseGroupOptions,
  type SessionChild,
} from '../launch/group-options.ts';
import { type BuildMember, Group } from './group.ts';
import type { GroupFleetEvent } from './group-fleet-event.ts';

export interface GroupRegistryOptions {
  readonly clock: Clock;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly setting: GroupSetting;
  readonly tell: (event: GroupFleetEvent) => void;
  readonly isTaken: (id: string) => boolean;
  /** Throws SUPERVISOR_STOPPED on the way down. */
  readonly assertAdmits: () => void;
  readonly buildSession: BuildMember;
  /** Resolves when what a store has of those ids is known. Undefined without a store. */
  readonly whenKnown?: ((ids: readonly string[]) => Promise<void>) | undefined;
  /** Resolves when a session of that id that has ended can begin anew. Undefined without a store. */
  readonly whenLeft?: ((id: string) => Promise<void>) | undefined;
}

/** The outermost groups of a supervisor, and the ids that are kept for the members of all of them. */
export class GroupRegistry {
  readonly #options: GroupRegistryOptions;
  /** In order of start. */
  readonly #groups = new Map<string, Group>();
  /** Those whose first start is not over. */
  readonly #starting = new Set<Group>();
  /** Also while a member has no session. */
  readonly #claimed = new Set<string>();

  constructor(options: GroupRegistryOptions) {
    this.#options = options;
  }

  list(): Group[] {
    return [...this.#groups.values()];
  }

  /** The id belongs to a group, or to a member of one. */
  has(id: string): boolean {
    return this.#claimed.has(id);
  }

  async start(input: unknown): Promise<Group> {
    const parsed = parseGroupOptions(input, this.#options.setting);
    const { whenKnown } = this.#options;
    if (whenKnown !== undefined) await whenKnown(memberIdsIn(parsed));
    const group = this.#make(parsed);
    this.#groups.set(group.id, group);
    void group.ended.then(() => {
      this.#groups.delete(group.id);
      this.#claimed.delete(group.id);
    });
    this.#starting.add(group);
    try {
      await group.start();
    } catch (error) {
      await group.close();
      throw error;
    } finally {
      this.#starting.delete(group);
    }
    return group;
  }

  /** Ends the groups whose first start is not over, but for those with a member that has work. */
  callOffStarts(isAtWork: (id: string) => boolean): void {
    for (const group of this.#starting) if (!sessionIdsIn(group).some(isAtWork)) void group.close();
  }

  /** True when the session of this id has no process only until its group starts it again. */
  bringsBack(id: string): boolean {
    return this.list().some((group) => isBroughtBack(group, id));
  }

  /** Ends all groups at the same time, each with its members in reverse order. */
  async close(): Promise<void> {
    await Promise.all(this.list().map((group) => group.close()));
  }

  #make(parsed: GroupChild): Group {
    const mine: string[] = [];
    const claim = (child: SessionChild | GroupChild): string => {
      const id = this.#claim(child);
      mine.push(id);
      return id;
    };
    const { clock, inspect, setting, buildSession, tell, assertAdmits, whenKnown, whenLeft } = this.#options;
    try {
      return new Group(claim(parsed), parsed, {
        clock,
        inspect,
        chance: Math.random,
        buildSession,
        assertAdmits,
        whenKnown,
        whenLeft,
        claim,
        tell,
        free: (id) => this.#claimed.delete(id),
        parseMember: (input, autoShutdown) => parseGroupMember(input, autoShutdown, setting),
      });
    } catch (error) {
      // Two members with one id: none of them is there.
      for (const id of mine) this.#claimed.delete(id);
      throw error;
    }
  }

  #claim(child: SessionChild | GroupChild): string {
    const id = child.id ?? `${child.kind}-${randomUUID()}`;
    if (this.#claimed.has(id) || this.#options.isTaken(id)) {
      throw new TroupeError('SESSION_EXISTS', { reason: `("${id}")`, details: { field: 'id', id } });
    }
    this.#claimed.add(id);
    return id;
  }
}

function sessionIdsIn(group: Group): string[] {
  return group.children().flatMap(({ id }) => {
    const nested = group.group(id);
    return nested === undefined ? [id] : sessionIdsIn(nested);
  });
}

function isBroughtBack(group: Group, id: string): boolean {
  if (group.state !== 'running' && group.state !== 'starting') return false;
  return group.children().some((child) => {
    if (child.status !== 'up' && child.status !== 'restarting') return false;
    const nested = group.group(child.id);
    return nested === undefined ? child.id === id : isBroughtBack(nested, id);
  });
}
