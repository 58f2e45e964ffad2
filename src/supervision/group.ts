import { type Actor, createActor, fromCallback, fromPromise } from 'xstate';
import type { GroupEvent, GroupStateName, MembersCommand } from '../../machines/group/group.events.ts';
import { groupMachine } from '../../machines/group/group.machine.ts';
import type { MembersInput } from '../../machines/group/group.ports.ts';
import type { AutoShutdown, Strategy } from '../../machines/group/strategy.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { GroupChild, GroupOptions, SessionChild, SessionChildOptions } from '../launch/group-options.ts';
import { memberIdsIn } from '../launch/group-options.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { errorOf, sentenceOf } from '../session/exit-cause.ts';
import type { Session } from '../session/session.ts';
import { becauseOf, type GroupChildView, type GroupExplanation } from './group-explanation.ts';
import type { GroupFleetEvent } from './group-fleet-event.ts';
import type { EndListener, GroupMember, HoldFor } from './group-member.ts';
import { MemberRestarts, readCause } from './member-restarts.ts';
import type { BuiltSession } from './session-factory.ts';
import { SessionMember } from './session-member.ts';

/** Puts the session of a member together; `groups` are the groups it stands in, from the outermost. */
export type BuildMember = (id: string, options: SessionOptions, groups: readonly string[]) => BuiltSession;

export interface GroupSurroundings {
  readonly clock: Clock;
  readonly inspect: ((event: unknown) => void) | undefined;
  /** A number from 0 to 1, for the jitter of the backoff. */
  readonly chance: () => number;
  /** Throws SUPERVISOR_STOPPED where nothing new may begin. */
  readonly assertAdmits: () => void;
  readonly buildSession: BuildMember;
  /** Resolves when what a store has of those ids is known. Undefined without a store. */
  readonly whenKnown: ((ids: readonly string[]) => Promise<void>) | undefined;
  /** Resolves when a session of that id that has ended can begin anew. Undefined without a store. */
  readonly whenLeft: ((id: string) => Promise<void>) | undefined;
  /** Keeps the id for the child, and makes one where none was given. Throws where it is taken. */
  readonly claim: (child: SessionChild | GroupChild) => string;
  readonly free: (id: string) => void;
  readonly tell: (event: GroupFleetEvent) => void;
  readonly parseMember: (input: unknown, autoShutdown: AutoShutdown) => SessionChild | GroupChild;
}

/** Sessions, and groups of them, that stand or fall together: made by `supervisor.group`. */
export class Group implements GroupMember {
  readonly kind = 'group';
  readonly id: string;
  readonly strategy: Strategy;
  readonly restart: GroupChild['restart'];
  readonly significant: boolean;
  /** Resolves when it has ended for good, with the error when it was not asked to. Never rejects. */
  readonly ended: Promise<{ readonly error: TroupeError | undefined }>;
  readonly #options: GroupChild;
  readonly #around: GroupSurroundings;
  readonly #members = new Map<string, SessionMember | Group>();
  readonly #restarts: MemberRestarts;
  readonly #actor: Actor<typeof groupMachine>;
  readonly #watchers = new Set<() => void>();
  /** Members that the group has forgotten, and that are being ended. */
  readonly #leaving = new Map<string, Promise<void>>();
  #wish: 'start' | 'hold' | 'close' = 'hold';
  #isStarting = false;
  #heldFor: HoldFor = 'restart';

  /** `onEnded` makes it a member of another group, and hears of every end that was not asked for. */
  constructor(id: string, options: GroupChild, around: GroupSurroundings, onEnded?: EndListener) {
    this.id = id;
    this.strategy = options.strategy;
    this.restart = options.restart;
    this.significant = options.significant;
    this.#options = options;
    this.#around = {
      ...around,
      buildSession: (member, own, groups) => around.buildSession(member, own, [id, ...groups]),
    };
    for (const child of options.children) this.#adopt(child);
    this.#restarts = new MemberRestarts({
      clock: around.clock,
      isEachAlone: options.strategy === 'one_for_one',
      member: (member) => this.#members.get(member),
      isWanted: (member) => this.children().some(({ id, status }) => id === member && status === 'restarting'),
      onStarted: (member) => this.#tell({ type: 'member.started', id: member }),
      onFailed: (member, cause) => this.#memberEnded(member, cause),
    });
    this.#actor = this.#makeActor(onEnded !== undefined);
    this.ended = new Promise((resolve) => {
      this.#actor.subscribe((snapshot) => {
        this.#sweep();
        for (const watcher of [...this.#watchers]) watcher();
        if (snapshot.value === 'held' && this.#wish === 'start' && !this.#isStarting) onEnded?.(this.#cause);
        if (snapshot.status !== 'done') return;
        const { cause } = snapshot.output;
        resolve({ error: cause.code === 'closed' ? undefined : errorOf(cause) });
      });
    });
  }

  get state(): GroupStateName {
    const { value } = this.#actor.getSnapshot();
    // Left in the same breath: nobody meets it there.
    return value === 'known' ? 'starting' : value;
  }

  /** The children in order of start. */
  children(): GroupChildView[] {
    return this.#actor.getSnapshot().context.members.map((member) => {
      const { kind = 'session', state = 'stopped' } = this.#members.get(member.id) ?? {};
      return { ...member, kind, state };
    });
  }

  /** The session that is a direct child of the group; undefined when it has none at present. */
  session(id: string): Session | undefined {
    const member = this.#members.get(id);
    return member instanceof SessionMember ? member.session : undefined;
  }

  /** The group that is a direct child of this one. */
  group(id: string): Group | undefined {
    const member = this.#members.get(id);
    return member instanceof Group ? member : undefined;
  }

  explain(): GroupExplanation {
    const { restarts, startsAt } = this.#actor.getSnapshot().context;
    const { intensity, periodMs } = this.#options;
    return {
      id: this.id,
      state: this.state,
      strategy: this.strategy,
      because: becauseOf(this.state, this.#actor.getSnapshot().context.cause),
      restarts: { count: restarts.length, intensity, periodMs },
      startsAt: startsAt ?? undefined,
      children: this.children(),
    };
  }

  /**
   * Adds a child and starts it, as the last one. Rejects with INVALID_OPTIONS, SESSION_EXISTS, SUPERVISOR_STOPPED when the group
   * does not run, or the reason the start failed; then it is no child.
   */
  async startChild(options: SessionChildOptions | GroupOptions): Promise<GroupChildView> {
    this.#assertRunning();
    const parsed = this.#around.parseMember(options, this.#options.autoShutdown);
    if (this.#around.whenKnown !== undefined) {
      await this.#around.whenKnown(memberIdsIn(parsed));
      this.#assertRunning();
    }
    const member = this.#adopt(parsed);
    const { id, restart, significant } = member;
    this.#tell({ type: 'member.added', member: { id, restart, significant } });
    try {
      await member.bringUp();
    } catch (error) {
      this.#tell({ type: 'member.deleted', id });
      await this.#leaving.get(id);
      throw errorOf(readCause(error));
    }
    return this.#viewOf(id);
  }

  /** Stops a child and keeps it; it is not restarted, and `restartChild` starts it again. Rejects with CHILD_NOT_FOUND. */
  async terminateChild(id: string): Promise<void> {
    const member = this.#memberOf(id);
    this.#tell({ type: 'member.terminated', id });
    await member.hold('wish');
  }

  /** Starts a child that was terminated, set aside, or has ended. Rejects with CHILD_NOT_FOUND, CHILD_RUNNING, or the reason. */
  async restartChild(id: string): Promise<GroupChildView> {
    this.#assertRunning();
    const member = this.#memberOf(id);
    this.#assertDown(id);
    this.#tell({ type: 'member.wanted', id });
    try {
      await member.bringUp();
    } catch (error) {
      this.#tell({ type: 'member.terminated', id });
      throw errorOf(readCause(error));
    }
    return this.#viewOf(id);
  }

  /** Ends a child that is down for good and forgets it. Rejects with CHILD_NOT_FOUND or CHILD_RUNNING. */
  async deleteChild(id: string): Promise<void> {
    this.#memberOf(id);
    this.#assertDown(id);
    this.#tell({ type: 'member.deleted', id });
    await this.#leaving.get(id);
  }

  /** Resolves when all its children run; rejects with the reason. After a quarantine it begins with a clean slate. */
  start(): Promise<void> {
    return this.bringUp().catch((cause: unknown) => Promise.reject(errorOf(readCause(cause))));
  }

  /** The group above it starts it: as `start`, with the cause of a failure as the machines know it. */
  async bringUp(): Promise<void> {
    this.#wish = 'start';
    this.#isStarting = true;
    try {
      if (this.#actor.getSnapshot().status === 'active') this.#tell({ type: 'group.start' });
      this.#actor.start();
      await this.#until(() => this.state === 'running' || this.state === 'held' || this.state === 'stopped');
    } finally {
      this.#isStarting = false;
    }
    if (this.state !== 'running') throw this.#cause;
  }

  /** Stops every child, in reverse order, and keeps them; `start` goes on. Resolves when their processes are gone. */
  async hold(wait: HoldFor): Promise<void> {
    this.#wish = 'hold';
    this.#heldFor = wait;
    this.#tell({ type: 'group.hold' });
    await this.#until(() => this.state === 'held' || this.state === 'stopped');
  }

  /** The group above it has given up. */
  setAside(): void {
    this.#tell({ type: 'group.quarantine' });
  }

  /** Ends every child, in reverse order, and the group. Resolves when all their processes are gone. Idempotent. */
  async close(): Promise<void> {
    this.#wish = 'close';
    this.#tell({ type: 'group.stop' });
    this.#actor.start();
    await this.#until(() => this.state === 'stopped');
    for (const member of this.#members.values()) this.#around.free(member.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #makeActor(isNested: boolean): Actor<typeof groupMachine> {
    const { clock, inspect } = this.#around;
    const { strategy, autoShutdown, intensity, periodMs, backoff } = this.#options;
    const machine = groupMachine.provide({
      actors: {
        startMembers: fromPromise<void, MembersInput>(({ input, signal }) => this.#startAll(input.ids, signal)),
        holdMembers: fromPromise<void, MembersInput>(({ input }) =>
          this.#each(input.ids, (member) => member.hold(this.#heldFor)),
        ),
        endMembers: fromPromise<void, MembersInput>(({ input }) => this.#each(input.ids, (member) => member.close())),
        members: fromCallback<MembersCommand | GroupEvent>(({ receive }) => {
          receive((command) => {
            if (command.type === 'members.restart') void this.#restarts.carryOut(command);
            if (command.type === 'members.set-aside') this.#setAside(command.ids);
          });
          return () => this.#restarts.recall();
        }),
      },
    });
    const members = [...this.#members.values()].map(({ id, restart, significant }) => ({ id, restart, significant }));
    const actor = createActor(machine, {
      input: { id: this.id, strategy, autoShutdown, intensity, periodMs, backoff, isNested, members },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    this.#report(actor);
    return actor;
  }

  #report(actor: Actor<typeof groupMachine>): void {
    const { tell, clock } = this.#around;
    const told = () => ({ groupId: this.id, at: clock.now() });
    let from: GroupStateName | undefined;
    actor.on('state.entered', ({ state }) => {
      tell({ ...told(), type: 'group.state-changed', state, from });
      from = state;
    });
    actor.on('member.restarting', ({ id: child, cause, type: _, ...plan }) => {
      const because = { code: cause.code, message: sentenceOf(cause) };
      tell({ ...told(), type: 'group.restarting', child, cause: because, ...plan });
    });
  }

  async #startAll(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const started: GroupMember[] = [];
    try {
      for (const id of ids) {
        if (signal.aborted) return;
        // Meanwhile its owner may have taken it down.
        const isUp = this.children().some((child) => child.id === id && child.status === 'up');
        const member = isUp ? this.#members.get(id) : undefined;
        await member?.bringUp();
        if (member !== undefined) started.push(member);
      }
      const lost = this.#lost;
      this.#lost = undefined;
      if (lost !== undefined) throw lost;
    } catch (error) {
      for (const member of started.reverse()) await member.hold('restart');
      throw readCause(error);
    }
  }

  /** Why a member ended that was started while others still are: the start of the group has failed. */
  #lost: EndCause | undefined;

  #memberEnded(id: string, cause: EndCause): void {
    if (this.state === 'starting') this.#lost ??= cause;
    this.#tell({ type: 'member.ended', id, cause, at: this.#around.clock.now(), chance: this.#around.chance() });
  }

  #setAside(ids: readonly string[]): void {
    for (const id of ids) this.#members.get(id)?.setAside();
  }

  async #each(ids: readonly string[], act: (member: GroupMember) => Promise<void>): Promise<void> {
    for (const id of ids) {
      const member = this.#members.get(id);
      if (member !== undefined) await act(member);
    }
  }

  #adopt(child: SessionChild | GroupChild): SessionMember | Group {
    const id = this.#around.claim(child);
    const onEnded: EndListener = (cause) => {
      // It was about to be taken down: an end of its own before that is no second failure, as in OTP.
      if (!this.#restarts.isToStop(id)) this.#memberEnded(id, cause);
    };
    const member =
      child.kind === 'group'
        ? new Group(id, child, this.#around, onEnded)
        : new SessionMember(id, child, {
            build: (...about) => this.#around.buildSession(...about, []),
            whenLeft: this.#around.whenLeft,
            onEnded,
          });
    this.#members.set(id, member);
    return member;
  }

  /** Ends what the group has forgotten. Its id is taken until its processes are gone. */
  #sweep(): void {
    const known = new Set(this.#actor.getSnapshot().context.members.map(({ id }) => id));
    for (const member of this.#members.values()) {
      if (!known.has(member.id) && !this.#leaving.has(member.id)) this.#leaving.set(member.id, this.#drop(member));
    }
  }

  async #drop(member: GroupMember): Promise<void> {
    await this.#restarts.stopped(member.id);
    await member.close();
    this.#members.delete(member.id);
    this.#leaving.delete(member.id);
    this.#around.free(member.id);
  }

  #tell(event: GroupEvent): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event);
  }

  #until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return;
        this.#watchers.delete(check);
        resolve();
      };
      this.#watchers.add(check);
      check();
    });
  }

  #memberOf(id: string): SessionMember | Group {
    const member = this.#members.get(id);
    if (member === undefined) throw new TroupeError('CHILD_NOT_FOUND', { details: { group: this.id, id } });
    return member;
  }

  #viewOf(id: string): GroupChildView {
    const view = this.children().find((child) => child.id === id);
    // A temporary child may have ended, and been forgotten, in the same breath.
    if (view === undefined) throw new TroupeError('CHILD_NOT_FOUND', { details: { group: this.id, id } });
    return view;
  }

  #assertDown(id: string): void {
    const { status } = this.#viewOf(id);
    if (status !== 'up' && status !== 'restarting') return;
    throw new TroupeError('CHILD_RUNNING', { details: { group: this.id, id, status } });
  }

  #assertRunning(): void {
    this.#around.assertAdmits();
    if (this.state === 'running') return;
    throw new TroupeError('SUPERVISOR_STOPPED', { details: { group: this.id, state: this.state } });
  }

  get #cause(): EndCause {
    const { cause } = this.#actor.getSnapshot().context;
    return cause ?? { code: 'closed', message: 'The group was stopped.', ending: 'asked' };
  }
}
