import { randomUUID } from 'node:crypto';
import type { SupervisorStateName } from '../../machines/supervisor/supervisor.events.ts';
import { type AwakeClock, awakeClock, boundedClock, type Clock, systemClock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { RaiseAmounts } from '../launch/budget-options.ts';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import type { GroupOptions } from '../launch/group-options.ts';
import { assertPlain } from '../launch/plain-object.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { parseSupervisorOptions, type SupervisorOptions } from '../launch/supervisor-options.ts';
import { DrainCall, HandoverCall, parseCall, ShutdownCall } from '../session/call-options.ts';
import { causeOf } from '../session/exit-cause.ts';
import type { Session } from '../session/session.ts';
import { AccountRegistry } from './account-registry.ts';
import { barrierOf } from './account-seat.ts';
import { BudgetDesk, type BudgetHands } from './budget-desk.ts';
import { SessionBudgetHands } from './budget-hands.ts';
import { handOverToClaimant } from './claimed-store.ts';
import { assertConversationFree } from './conversation-use.ts';
import { closeOnAbort, endStartOnAbort, keptStart, whenReady } from './first-start.ts';
import type { FleetEvent } from './fleet-event.ts';
import { FleetObservers } from './fleet-observers.ts';
import { forkOptions } from './fork-options.ts';
import type { Group } from './group.ts';
import { GroupRegistry } from './group-registry.ts';
import { currentHost } from './host.ts';
import { endWithHost } from './host-loss.ts';
import { inheritedOptions, sessionOptionsIn } from './inherited-options.ts';
import { leaveOnSignal } from './leave-on-signal.ts';
import { assertRegistrable, isCalledOff, notAdmitted, sessionExists } from './not-admitted.ts';
import { ownConversationOf } from './own-conversation.ts';
import type { PrewarmOptions } from './prewarm.ts';
import type { ReapOptions, ReapReport } from './reap-orphans.ts';
import { type RecoveryHands, type RecoveryReport, recoverSessions } from './recovery.ts';
import { recoveryHands, recoverySetting } from './recovery-hands.ts';
import { restartSpec } from './restart-spec.ts';
import type { RestoredSession } from './restored-session.ts';
import { SecretKeeper } from './secret-keeper.ts';
import { type BuiltSession, buildSession } from './session-factory.ts';
import { type DrainOptions, ShutdownPhases } from './shutdown-phases.ts';
import { buildStartHouse, type StartHouse } from './start-house.ts';
import { StoreOpening } from './store-opening.ts';
import type { SupervisorExplanation } from './supervisor-explanation.ts';
import { SupervisorViews, type ViewedParts } from './supervisor-views.ts';
import { type SharedSurroundings, sharedSurroundings, surroundingsOf } from './surroundings.ts';
import { goOn, handOver, isHeld, planTakeover } from './takeover.ts';
import type { PrewarmedPool } from './warm-pool.ts';
import { WayDown } from './way-down.ts';

/** Creates a supervisor. Throws INVALID_OPTIONS naming the field. */
export function createSupervisor(options: SupervisorOptions = {}): Supervisor {
  assertPlain(options);
  return new Supervisor(parseSupervisorOptions(options));
}

/** Owns sessions: admits them, restarts them, stops them, and never loses one of their processes (P1). */
export class Supervisor extends SupervisorViews implements AsyncDisposable {
  readonly #options: SupervisorOptions;
  readonly #clock: Clock;
  readonly #awake: AwakeClock;
  readonly #house: StartHouse;
  readonly #opening: StoreOpening;
  readonly #way: WayDown;
  /** In order of start. */
  readonly #sessions = new Map<string, BuiltSession>();
  readonly #groups: GroupRegistry;
  readonly #accounts: AccountRegistry;
  readonly #observers: FleetObservers;
  readonly #phases: ShutdownPhases;
  readonly #budget: BudgetDesk;
  readonly #secrets: SecretKeeper;
  readonly #shared: SharedSurroundings;

  constructor(options: SupervisorOptions) {
    super();
    this.#secrets = new SecretKeeper(options, () => currentHost().env);
    const logger = this.#secrets.logger(options.logger);
    this.#observers = new FleetObservers(logger);
    const { inspect, onHostSignal } = options;
    this.#options = inspect === undefined ? options : { ...options, inspect: this.#observers.isolated(inspect) };
    this.#clock = options.clock === undefined ? systemClock : boundedClock(options.clock);
    this.#awake = awakeClock(this.#clock);
    const tell = (event: FleetEvent) => this.#observers.tell(event);
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#house = buildStartHouse(options, { clock: this.#clock, logger, tell });
    this.#opening = new StoreOpening({
      given: options,
      clock: this.#clock,
      storeMs: timeouts.storeMs,
      takeoverMs: timeouts.takeoverMs,
      onClaimed: handOverToClaimant({
        clock: this.#clock,
        handoverMs: timeouts.handoverMs,
        handover: (timeoutMs) => this.handover({ timeoutMs }),
        tell,
      }),
      tell,
      onLost: (error) => this.#loseStore(error),
      recover: ({ store }) => {
        const [budget, accounts] = [this.#budget, this.#accounts];
        const build: RecoveryHands['build'] = (plan) => this.#build(plan.id, plan.options, plan.groups, plan.restored);
        return recoverSessions(store, recoveryHands({ options, clock: this.#clock, budget, accounts, build }));
      },
    });
    this.#shared = sharedSurroundings({
      options: this.#options,
      clock: this.#clock,
      awake: this.#awake,
      warm: this.#house.warm,
      places: this.#house.admission,
      observers: this.#observers,
      secrets: this.#secrets,
      admitsPrompts: () => this.state === 'running',
      storeRefusal: () => this.#opening.refusal,
    });
    const machines = { clock: this.#clock, inspect: this.#options.inspect };
    this.#budget = new BudgetDesk({ ...machines, budget: options.budget ?? {} });
    this.#accounts = new AccountRegistry({ ...machines, quota: options.quota, tell });
    this.#groups = new GroupRegistry({
      ...machines,
      setting: {
        inherit: (own) => ({ ...inheritedOptions(options), ...own }),
        restart: restartSpec(options.restart, undefined),
      },
      tell,
      isTaken: (id) => this.#sessions.has(id) && !isHeld(this.#sessions.get(id)),
      assertAdmits: () => this.#assertAdmits(),
      whenKnown: this.#opening.isUsed ? (ids) => this.#storeReady(ids) : undefined,
      whenLeft: this.#opening.isUsed ? (id) => this.#opening.readyAgain(id) : undefined,
      buildSession: (id, input, groups) => {
        const held = this.#sessions.get(id);
        if (isHeld(held)) return this.#takeOver(held, input, groups);
        this.#assertFree(id, input);
        return this.#build(id, input, groups);
      },
    });
    this.#phases = new ShutdownPhases({
      clock: this.#clock,
      sessions: () => this.#sessions.values(),
      groups: this.#groups,
      flush: () => this.#opening.close(),
      endWarm: (isHurried) => this.#house.warm.close(isHurried),
      tell,
    });
    this.#way = new WayDown({ ...machines, phases: this.#phases, timeouts, tell });
    const { stopped } = this.#way;
    void stopped.then(() => [this.#budget.close(), this.#accounts.stop(), this.#opening.abandon()]);
    void stopped.then(() => this.#house.close());
    if (options.onHostLost === 'end') void stopped.then(endWithHost(logger));
    void stopped.then(leaveOnSignal(this, onHostSignal, timeouts.hostSignalMs));
  }

  /** Resolves when everything stored is known here, with what goes on of it; rejects with STORE_* where the store cannot be used. */
  get recovered(): Promise<RecoveryReport> {
    return this.#opening.recovered;
  }

  /** Why nothing new is admitted at this moment: SUPERVISOR_STOPPED, or the STORE_* of a store that cannot be written to. */
  get refusal(): TroupeError | undefined {
    return this.state === 'running' ? this.#opening.refusal : notAdmitted(this.state, this.#way.phase);
  }

  get state(): SupervisorStateName {
    return this.#way.state;
  }

  /**
   * Starts a session and resolves when it is ready for prompts. Rejects with INVALID_OPTIONS, SESSION_EXISTS,
   * CONVERSATION_IN_USE, AT_CAPACITY, BUDGET_REACHED, SUPERVISOR_STOPPED, ABORTED, or the reason the start failed; by then
   * the process tree of the failed start is gone. A session that is parked meanwhile is started, too: its prompts wait. With
   * `autoStart: false` it resolves at once and the first prompt starts the process. With the id of a session that a lost host
   * left and that is held, that one goes on with these options (docs/recovery.md).
   */
  async start(input: SessionOptions = {}): Promise<Session> {
    const read = sessionOptionsIn(input, this.#options);
    if (!this.#opening.isSettled) await this.#house.pace.lookUp(this.#opening.settled);
    const turn = this.#house.pace.turn(this.#opening.isUsed);
    if (turn !== undefined) await turn;
    const options = read();
    this.#assertAdmits();
    const id = options.id ?? `session-${randomUUID()}`;
    if (this.#opening.isUsed) await this.#house.pace.lookUp(this.#storeReady([id]));
    if (this.#groups.has(id)) throw sessionExists(id);
    const known = this.#sessions.get(id);
    const held = isHeld(known) ? known : undefined;
    if (held === undefined) this.#assertFree(id, options);
    const signal = options.signal ?? options.abortController?.signal;
    if (signal?.aborted === true) throw new TroupeError('ABORTED', { cause: signal.reason });
    const built = held === undefined ? this.#build(id, options, []) : this.#takeOver(held, options, []);
    if (held === undefined) built.life.begin();
    else await goOn(built);
    const kept = held === undefined ? keptStart(built) : undefined;
    if (options.autoStart !== false) await whenReady(built, { signal, isStopping: () => this.state !== 'running' });
    else if (signal !== undefined) endStartOnAbort(built, signal);
    if (options.abortController !== undefined) closeOnAbort(built, options.abortController.signal);
    if (kept !== undefined) await kept;
    return built.session;
  }

  /**
   * Keeps processes ready: a `start` with equal options takes one and is ready at once. Resolves when they are ready, as far as
   * there are free slots. Rejects with INVALID_OPTIONS, SUPERVISOR_STOPPED, or the reason not one process could start.
   */
  async prewarm(input: SessionOptions = {}, options: PrewarmOptions = {}): Promise<PrewarmedPool> {
    const own = this.#optionsOf(input);
    this.#assertAdmits();
    if (this.#opening.isUsed) await this.#storeReady();
    const built = buildSession(`warm-${randomUUID()}`, own, surroundingsOf(this.#shared, own));
    const pool = await this.#house.warm.prewarm(built, options, {
      newConversationId: this.#opening.isUsed ? randomUUID : undefined,
    });
    if (this.state === 'running') return pool;
    await pool.close();
    throw notAdmitted(this.state, this.#way.phase);
  }

  /**
   * Starts sessions that stand or fall together, in order, and resolves when all are ready. Rejects with INVALID_OPTIONS,
   * SESSION_EXISTS, AT_CAPACITY, SUPERVISOR_STOPPED, or the reason a start failed; by then those before it are ended, in
   * reverse order.
   */
  async group(options: GroupOptions): Promise<Group> {
    this.#assertAdmits();
    return this.#groups.start(options).catch((error: unknown) => {
      throw isCalledOff(error) && this.state !== 'running' ? notAdmitted(this.state, this.#way.phase) : error;
    });
  }

  /**
   * Ends now what hosts left behind that are gone, as before the first start, also with `reap: 'off'`; each is told as
   * `orphan.reaped` or `orphan.survived`. See `reapOrphans`.
   */
  reapOrphans(options: ReapOptions = {}): Promise<ReapReport> {
    return this.#house.sweep.run(options);
  }

  /**
   * Admits nothing new, lets running turns and accepted prompts end, interrupts those that go on after `timeoutMs` (default
   * `timeouts.drainMs`) or as soon as the signal fires, then stops every session. Each phase has its deadline, so it
   * resolves in bounded time, also where turns wait for people; `explain` and the fleet's `drain.progressed` say for
   * what. Idempotent: whoever asks again with a shorter time shortens it.
   */
  async drain(options: DrainOptions = {}): Promise<void> {
    await this.#way.drain(parseCall(DrainCall, options, 'options'));
  }

  /**
   * Leaves the sessions to the next supervisor that opens the store, and stops. Nothing new is admitted; what waits in a queue
   * stays there; running turns may end within `timeoutMs` (default `timeouts.handoverMs`), or until the signal fires. Then what
   * is still at work is cut off as by a loss of this host: `onPromptLost` says there what becomes of it, and open questions
   * stay open. Resolves when no process is left, everything is stored and the store is let go of (docs/shutdown.md). Idempotent.
   * Rejects with STORE_REQUIRED, the reason the store cannot be used, or SUPERVISOR_STOPPED where the sessions are being ended.
   */
  async handover(options: DrainOptions = {}): Promise<void> {
    const call = parseCall(HandoverCall, options, 'options');
    if (!this.#opening.isUsed) throw new TroupeError('STORE_REQUIRED');
    if (!this.#opening.isRecovered) await this.#opening.recovered;
    if (this.#opening.refusal !== undefined && this.state === 'running') throw this.#opening.refusal;
    await this.#way.handover(call);
  }

  /**
   * Stops every session, newest first and all at the same time, so that it takes one ladder and not one for each (R52).
   * After `timeoutMs`, at most `timeouts.drainCloseMs`, what is left is killed. In a drain it goes on to this at once.
   * Idempotent: whoever asks again with a shorter time shortens it.
   */
  async shutdown(options: { timeoutMs?: number | undefined } = {}): Promise<void> {
    const { timeoutMs } = parseCall(ShutdownCall, options, 'options');
    await this.#way.shutdown(timeoutMs);
  }

  /** What it is doing and, on the way down, what for and until when. */
  explain(): SupervisorExplanation {
    return this.#way.explain({
      sessions: this.#sessions.size,
      groups: this.groups().length,
      store: this.#opening.wait(),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  protected override get parts(): ViewedParts {
    const [sessions, groups, accounts] = [this.#sessions, this.#groups, this.#accounts];
    return {
      sessions,
      groups,
      accounts,
      opening: this.#opening,
      admission: this.#house.admission,
      pace: this.#house.pace,
      budget: this.#budget,
      observers: this.#observers,
    };
  }

  /** What is undefined counts as not given, so that it never hides what the supervisor says. */
  #optionsOf(input: unknown): SessionOptions {
    return sessionOptionsIn(input, this.#options)();
  }

  #assertFree(id: string, options: SessionOptions): void {
    assertRegistrable(id, this.#sessions, this.#options.limits?.maxRegistered ?? DEFAULT_LIMITS.maxRegistered);
    assertConversationFree(options, this.#sessions.values());
  }

  /** The session goes on where it is held: the same handle, log, queue and usage, with these options. */
  #takeOver(held: BuiltSession, options: SessionOptions, groups: readonly string[]): BuiltSession {
    const { id } = held.session;
    assertConversationFree(
      options,
      [...this.#sessions.values()].filter((built) => built !== held),
    );
    const plan = planTakeover(held, options, groups, recoverySetting(this.#options, this.#clock));
    this.#house.eviction.unwatch(held);
    this.#accounts.leave(id);
    const built = this.#build(id, plan.options, groups, plan.restored, held);
    handOver(held, built, plan);
    return built;
  }

  /** `groups`: those it is a member of, from the outermost. `former`: it goes on as this one. */
  #build(
    id: string,
    options: SessionOptions,
    groups: readonly string[],
    restored?: RestoredSession,
    former?: BuiltSession,
  ): BuiltSession {
    const { key, budget } = options;
    let hands: BudgetHands | undefined;
    const seat = this.#budget.seat(id, { key, groups, budget }, () => hands);
    const account = options.onQuota === 'ignore' ? undefined : this.#accounts.seat(id, options);
    const around = surroundingsOf(this.#shared, options, {
      barrier: barrierOf(account, seat),
      account,
      spending: seat.spending,
      raiseBudget: (amounts: RaiseAmounts) => this.#budget.raise({ kind: 'session', name: id }, amounts),
      fork: (given: SessionOptions) => this.#fork(id, given),
      isMember: groups.length > 0,
      groups,
      store: this.#opening.desk,
      head: this.#opening.headOf(id),
      own: this.#opening.isUsed && restored === undefined ? ownConversationOf(options, randomUUID()) : undefined,
      former: this.#opening.takeFormer(id),
    });
    const built = buildSession(id, options, around, restored, former);
    const { interruptMs: general = DEFAULT_TIMEOUTS.interruptMs } = this.#options.timeouts ?? {};
    const { interruptMs = general } = options.timeouts ?? {};
    hands = new SessionBudgetHands(built, this.#clock, interruptMs);
    this.#sessions.set(id, built);
    account?.follow(built);
    if (groups.length === 0) this.#house.eviction.watch(built);
    if (former === undefined) this.#follow(built);
    void built.life.ended.then(() => {
      this.#budget.leave(id);
      this.#sessions.delete(id);
      this.#opening.left(built);
      this.#phases.removed(built);
      this.#way.tell({ type: 'child.stopped' });
    });
    return built;
  }

  async #fork(id: string, given: SessionOptions): Promise<Session> {
    assertPlain(given);
    const built = this.#sessions.get(id);
    if (built === undefined) throw new TroupeError('SESSION_CLOSED', { details: { id } });
    return this.start(forkOptions(built, given));
  }

  #follow(built: BuiltSession): void {
    this.#way.tell({ type: 'child.started' });
    this.#phases.added(built);
    this.#observers.follow(built.session.id, built.log);
  }

  #assertAdmits(): void {
    const { refusal } = this;
    if (refusal !== undefined) throw refusal;
  }

  async #storeReady(ids: readonly string[] = []): Promise<void> {
    await this.#opening.ready(ids);
    this.#assertAdmits();
  }

  /** Somebody else writes to the store: what runs here must not go on beside it. */
  #loseStore(error: TroupeError): void {
    for (const { life } of this.#sessions.values()) life.stop('kill', causeOf(error));
  }
}
