import { randomUUID } from 'node:crypto';
import { type Actor, createActor, fromPromise } from 'xstate';
import type { SupervisorEvent, SupervisorStateName } from '../../machines/supervisor/supervisor.events.ts';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import { boundedClock, type Clock, systemClock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import type { GroupOptions } from '../launch/group-options.ts';
import { readPlainValue } from '../launch/plain-value.ts';
import { parseSessionOptions, type SessionOptions } from '../launch/session-options.ts';
import { parseSupervisorOptions, type SupervisorOptions } from '../launch/supervisor-options.ts';
import type { PermissionRequest } from '../permissions/permission-request.ts';
import { parseCall, ShutdownCall } from '../session/call-options.ts';
import type { Session } from '../session/session.ts';
import { openSubprocess } from '../transport/subprocess-transport.ts';
import { AdmissionControl } from './admission.ts';
import { assertConversationFree } from './conversation-use.ts';
import { closeOnAbort, endStartOnAbort, whenReady } from './first-start.ts';
import type { FleetEvent } from './fleet-event.ts';
import { FleetObservers } from './fleet-observers.ts';
import type { Group } from './group.ts';
import { GroupRegistry } from './group-registry.ts';
import { endWithHost } from './host-loss.ts';
import { hostSignals } from './host-signals.ts';
import type { ReapOptions, ReapReport } from './reap-orphans.ts';
import { type BuiltSession, buildSession, restartSpec } from './session-factory.ts';
import { SessionSlot } from './session-slot.ts';
import { StartSweep } from './start-sweep.ts';

/** Creates a supervisor. Throws INVALID_OPTIONS naming the field. */
export function createSupervisor(options: SupervisorOptions = {}): Supervisor {
  assertPlain(options);
  return new Supervisor(parseSupervisorOptions(options));
}

/** Owns sessions: admits them, restarts them, stops them, and never loses one of their processes (P1). */
export class Supervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions;
  readonly #clock: Clock;
  readonly #admission: AdmissionControl;
  readonly #actor: Actor<typeof supervisorMachine>;
  /** In order of start. */
  readonly #sessions = new Map<string, BuiltSession>();
  readonly #groups: GroupRegistry;
  readonly #observers: FleetObservers;
  readonly #stopped: Promise<void>;
  readonly #sweep: StartSweep;

  constructor(options: SupervisorOptions) {
    this.#observers = new FleetObservers(options.logger);
    const { inspect } = options;
    this.#options = inspect === undefined ? options : { ...options, inspect: this.#observers.isolated(inspect) };
    this.#clock = options.clock === undefined ? systemClock : boundedClock(options.clock);
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { admissionMs, drainMs, hostSignalMs } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#admission = new AdmissionControl({ ...limits, admissionMs }, this.#clock);
    this.#sweep = new StartSweep({
      // A transport of the caller's own marks no process of this machine with its host.
      isOn: (options.reap ?? (options.spawn === undefined ? 'orphans' : 'off')) === 'orphans',
      timeouts: options.timeouts,
      logger: options.logger,
      now: () => this.#clock.now(),
      tell: (event) => this.#observers.tell(event),
    });
    this.#groups = new GroupRegistry({
      clock: this.#clock,
      inspect: this.#options.inspect,
      setting: {
        inherit: (own) => ({ ...this.#inherited(), ...own }),
        restart: restartSpec(options.restart, undefined),
      },
      tell: (event) => this.#observers.tell(event),
      isTaken: (id) => this.#sessions.has(id),
      buildSession: (id, input) => {
        this.#assertFree(id, input);
        return this.#build(id, input, true);
      },
    });
    const machine = supervisorMachine.provide({
      actors: {
        finishTurns: fromPromise<void>(() => this.#finishTurns()),
        stopChildren: fromPromise<void>(() => this.#stopChildren('close')),
      },
    });
    this.#actor = createActor(machine, {
      input: { drainMs },
      clock: this.#clock,
      ...(this.#options.inspect === undefined ? {} : { inspect: this.#options.inspect }),
    });
    this.#stopped = new Promise((resolve) => {
      this.#actor.subscribe((snapshot) => {
        if (snapshot.status === 'done') resolve();
      });
    });
    this.#actor.start();
    if (options.onHostLost === 'end') void this.#stopped.then(endWithHost(options.logger));
    if (options.onHostSignal === 'shutdown') {
      const forget = hostSignals.add({ shutdown: () => this.shutdown({ timeoutMs: hostSignalMs }) });
      void this.#stopped.then(forget);
    }
  }

  get state(): SupervisorStateName {
    return this.#actor.getSnapshot().value;
  }

  /**
   * Starts a session and resolves when it is ready for prompts. Rejects with INVALID_OPTIONS, SESSION_EXISTS,
   * CONVERSATION_IN_USE, AT_CAPACITY, SUPERVISOR_STOPPED, ABORTED, or the reason the start failed; by then the process
   * tree of the failed start is gone. A session that is parked meanwhile is started, too: its prompts wait. With
   * `autoStart: false` it resolves at once and the first prompt starts the process.
   */
  async start(input: SessionOptions = {}): Promise<Session> {
    const options = this.#optionsOf(input);
    if (this.state !== 'running') throw new TroupeError('SUPERVISOR_STOPPED', { details: { state: this.state } });
    const id = options.id ?? `session-${randomUUID()}`;
    if (this.#groups.has(id)) throw existing(id);
    this.#assertFree(id, options);
    const signal = options.signal ?? options.abortController?.signal;
    if (signal?.aborted === true) throw new TroupeError('ABORTED', { cause: signal.reason });
    const built = this.#build(id, options, false);
    built.life.begin();
    if (options.autoStart !== false) await whenReady(built, signal);
    else if (signal !== undefined) endStartOnAbort(built, signal);
    if (options.abortController !== undefined) closeOnAbort(built, options.abortController.signal);
    return built.session;
  }

  /**
   * Starts sessions that stand or fall together, in order, and resolves when all are ready. Rejects with INVALID_OPTIONS,
   * SESSION_EXISTS, AT_CAPACITY, SUPERVISOR_STOPPED, or the reason a start failed; by then those before it are ended, in
   * reverse order.
   */
  async group(options: GroupOptions): Promise<Group> {
    if (this.state !== 'running') throw new TroupeError('SUPERVISOR_STOPPED', { details: { state: this.state } });
    return this.#groups.start(options);
  }

  /** The outermost groups, in order of start. */
  groups(): Group[] {
    return this.#groups.list();
  }

  /** The session with this id, while it lives. */
  session(id: string): Session | undefined {
    return this.#sessions.get(id)?.session;
  }

  /** The living sessions, in order of start. */
  list(): Session[] {
    return [...this.#sessions.values()].map(({ session }) => session);
  }

  /** Every open permission request of every session, oldest first. */
  inbox(): (PermissionRequest & { readonly sessionId: string })[] {
    return [...this.#sessions.values()]
      .flatMap(({ session, desk }) => desk.pending().map((request) => ({ ...request, sessionId: session.id })))
      .sort((left, right) => left.askedAt - right.askedAt);
  }

  /** Sessions holding a slot, waiting for one, and starting. */
  load(): { readonly sessions: number; readonly waiting: number; readonly starting: number } {
    return this.#admission.load;
  }

  /** Calls the listener with every event of every session. Returns the way to stop it. A listener that throws is logged. */
  on(kind: 'event', listener: (event: FleetEvent) => void): () => void {
    if (kind !== 'event' || typeof listener !== 'function') {
      const field = kind === 'event' ? 'listener' : 'kind';
      throw new TroupeError('INVALID_OPTIONS', { reason: `"${field}" is not usable here.`, details: { field } });
    }
    return this.#observers.add(listener);
  }

  /**
   * Ends now what hosts left behind that are gone, as before the first start, also with `reap: 'off'`; each is told as
   * `orphan.reaped` or `orphan.survived`. See `reapOrphans`.
   */
  reapOrphans(options: ReapOptions = {}): Promise<ReapReport> {
    return this.#sweep.run(options);
  }

  /** Admits nothing new, lets running turns and queued prompts end, then stops every session. */
  async drain(): Promise<void> {
    if (this.state !== 'stopped') this.#tellMachine({ type: 'supervisor.drain' });
    await this.#stopped;
  }

  /**
   * Stops every session, newest first and all at the same time, so that it takes one ladder and not one for each (R52).
   * After `timeoutMs` what is left is killed. Idempotent.
   */
  async shutdown(options: { timeoutMs?: number | undefined } = {}): Promise<void> {
    const { timeoutMs = Number.POSITIVE_INFINITY } = parseCall(ShutdownCall, options, 'options');
    if (this.state !== 'stopped') this.#tellMachine({ type: 'supervisor.shutdown' });
    const timer = this.#clock.setTimeout(() => void this.#stopChildren('kill'), timeoutMs);
    await this.#stopped;
    this.#clock.clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #tellMachine(event: SupervisorEvent): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event);
  }

  /** What is undefined counts as not given, so that it never hides what the supervisor says. */
  #optionsOf(input: unknown): SessionOptions {
    assertPlain(input);
    const own = readPlainValue(input).value;
    // A value that cannot even be read is reported by the schema, not merged.
    return parseSessionOptions(isPlain(own) ? { ...this.#inherited(), ...own } : input);
  }

  #inherited(): Partial<SessionOptions> {
    const { pathToClaudeCodeExecutable, env, configDir } = this.#options;
    return {
      ...(pathToClaudeCodeExecutable === undefined ? {} : { pathToClaudeCodeExecutable }),
      ...(env === undefined ? {} : { env }),
      ...(configDir === undefined ? {} : { configDir }),
    };
  }

  #assertFree(id: string, options: SessionOptions): void {
    if (this.#sessions.has(id)) throw existing(id);
    assertConversationFree(options, this.#sessions.values());
  }

  #build(id: string, options: SessionOptions, isMember: boolean): BuiltSession {
    const slot = this.#slot(options);
    const { spawn, inspect, permissions, restart, timeouts, limits } = this.#options;
    const built = buildSession(id, options, {
      clock: this.#clock,
      open: spawn ?? openSubprocess,
      inspect,
      admission: slot,
      isMember,
      admitsPrompts: () => this.state === 'running',
      onListenerError: (error) => this.#observers.complain(error),
      isolated: (observer) => this.#observers.isolated(observer),
      permissions,
      restart,
      timeouts,
      limits,
    });
    this.#sessions.set(id, built);
    this.#actor.send({ type: 'child.started' });
    built.log.listen((event) => {
      if (this.#observers.isHeard) this.#observers.tell({ ...event, sessionId: id });
    });
    void built.life.ended.then(() => {
      slot.end();
      this.#sessions.delete(id);
      this.#tellMachine({ type: 'child.stopped' });
    });
    return built;
  }

  #slot({ key, configDir, env }: SessionOptions): SessionSlot {
    return new SessionSlot({
      control: this.#admission,
      key,
      configDir: configDir ?? env?.['CLAUDE_CONFIG_DIR'],
      before: (signal) => this.#sweep.before(signal),
    });
  }

  async #finishTurns(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    // What a parked session keeps would run when nobody is here any more: its prompts are given back with its end.
    await Promise.all(
      sessions.map(({ conversation, life }) =>
        conversation.until(() => conversation.isDrained || life.state === 'parked'),
      ),
    );
  }

  async #stopChildren(mode: 'close' | 'kill'): Promise<void> {
    const newestFirst = [...this.#sessions.values()].reverse();
    // Members are ended by their groups, in their order; what is left after the deadline is killed whoever's it is.
    const alone = newestFirst.filter(({ session }) => mode === 'kill' || !this.#groups.has(session.id));
    for (const { life } of alone) life.stop(mode);
    await this.#groups.close();
    await Promise.all(newestFirst.map(({ life }) => life.ended));
  }
}

function existing(id: string): TroupeError {
  return new TroupeError('SESSION_EXISTS', { reason: `("${id}")`, details: { field: 'id', id } });
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function assertPlain(options: unknown): void {
  if (isPlain(options)) return;
  throw new TroupeError('INVALID_OPTIONS', {
    reason: '"options": must be a plain object.',
    details: { field: 'options', reason: 'must be a plain object' },
  });
}
