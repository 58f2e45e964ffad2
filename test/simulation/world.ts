import type { GroupOptions } from '../../src/launch/group-options.ts';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import type { Session } from '../../src/session/session.ts';
import { storedEventsOf } from '../../src/store/stored-row.ts';
import { sessionEventOf } from '../../src/store/stored-session-event.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { createRandom } from '../chaos/random.ts';
import { Chronicle } from './chronicle.ts';
import { CliMemory } from './cli-memory.ts';
import { type Call, Clients } from './clients.ts';
import { Faults } from './faults.ts';
import { ProcessWorld } from './process-world.ts';
import { NO_SABOTAGE, type Sabotage } from './sabotage.ts';
import { BYSTANDER, type Script, type WorldSetting } from './script.ts';
import { type SimulatedHost, simulatedHost } from './simulated-host.ts';
import { type Launch, simulatedSpawn } from './simulated-spawn.ts';
import { SimulatedStore } from './simulated-store.ts';
import { TeamStory } from './team.ts';
import { settled, type WorldClock, worldClock } from './world-clock.ts';

export const TIMEOUTS = {
  spawnMs: 5_000,
  initializeMs: 8_000,
  controlMs: 5_000,
  interruptMs: 6_000,
  closeGraceMs: 2_000,
  terminateGraceMs: 3_000,
  killGraceMs: 3_000,
  admissionMs: 10_000,
  storeMs: 4_000,
  drainMs: 10_000,
  drainAdmissionMs: 5_000,
  drainInterruptMs: 8_000,
  drainCloseMs: 20_000,
  drainKillMs: 5_000,
  drainFlushMs: 5_000,
  handoverMs: 5_000,
} as const;

/** What the sessions were told at run time, and who their next process must know it from. */
export interface LaunchNote {
  readonly launch: Launch;
  /** As the events told it when it was started; undefined where they were still on their way. */
  readonly known:
    | { readonly conversationId: string | undefined; readonly model: unknown; readonly lives: number }
    | undefined;
}

/** Everything there is in a run: machine, disk, hosts, processes, clients. */
export class World {
  readonly script: Script;
  readonly clock: WorldClock;
  readonly faults = new Faults();
  readonly processes = new ProcessWorld();
  readonly memory = new CliMemory();
  readonly store: SimulatedStore;
  readonly clients = new Clients();
  readonly launches: Launch[] = [];
  readonly notes: LaunchNote[] = [];
  readonly team = new TeamStory();
  readonly chronicles = new Map<string, Chronicle>();
  /** Chronicles of sessions whose id was taken again without a store to go on in. */
  readonly former: Chronicle[] = [];
  /** What went wrong outside of every promise: an error that nobody caught. */
  readonly surprises: string[] = [];
  /** Time that passed for timers. */
  passedMs = 0;
  /** Events of the sessions that the supervisors told. */
  eventCount = 0;
  hosts = 0;
  /** The wall clock leapt, or time passed unnoticed. */
  isTimeStrange = false;
  /** The host is being asked to end. */
  isOnTheWayDown = false;
  host: SimulatedHost;
  readonly #sabotage: Sabotage;
  readonly #inspect: ((event: unknown) => void) | undefined;

  constructor(script: Script, options: { sabotage?: Partial<Sabotage>; inspect?: (event: unknown) => void } = {}) {
    this.script = script;
    this.#sabotage = { ...NO_SABOTAGE, ...options.sabotage };
    this.#inspect = options.inspect;
    this.clock = worldClock(Date.UTC(2026, 0, 1));
    this.store = new SimulatedStore(this.faults);
    this.host = this.#newHost();
  }

  get setting(): WorldSetting {
    return this.script.setting;
  }

  chronicle(id: string): Chronicle {
    const known = this.chronicles.get(id) ?? new Chronicle(id);
    this.chronicles.set(id, known);
    return known;
  }

  session(id: string): Session | undefined {
    return this.host.supervisor.session(id);
  }

  /** The processes that live, the oldest first, without those that no step is about. */
  living(): Launch[] {
    return this.launches.filter(({ cli, sessionId }) => !cli.isGone && sessionId !== BYSTANDER);
  }

  ask(name: string, session: string, withinMs: number, work: () => unknown): Call {
    const call = { name, session, host: this.host.name, calledAt: this.passedMs, withinMs };
    return this.clients.track(call, async () => work());
  }

  /** The group as the setting has it, or as it was broken on purpose. */
  groupOptions(options: GroupOptions): GroupOptions {
    return this.#sabotage.group(options);
  }

  /** The session is being stopped by somebody: what runs in it may end as interrupted. */
  stopAll(): void {
    for (const id of this.chronicles.keys()) this.clients.stopped.add(id);
  }

  async pass(ms: number): Promise<void> {
    // In pieces, so that slow readers read meanwhile and the healthy CLI works.
    for (let left = ms; left > 0; left -= 5_000) {
      const piece = Math.min(left, 5_000);
      await this.clock.advance(piece);
      this.passedMs += piece;
      await this.finishBystander();
    }
  }

  /** Its CLI is healthy: what it got to do, it does, also where it got it late because others held the slots. */
  async finishBystander(): Promise<void> {
    for (const { sessionId, cli } of this.launches) if (sessionId === BYSTANDER) cli.act('finish');
    await settled();
  }

  /** The host is gone as by SIGKILL, and another one opens its store. */
  async loseHost(salt: number): Promise<void> {
    const random = createRandom(this.script.seed + salt);
    const { host } = this;
    host.lose();
    this.processes.loseHost(host.name);
    this.store.loseHost(() => random.chance(0.5));
    this.faults.disarm();
    await settled();
    // The ends of their pipes are gone with it; some notice at once, some go on for a while.
    for (const { cli } of this.launches) {
      if (cli.isGone) continue;
      if (random.chance(0.3)) cli.act('finish');
      if (random.chance(0.6)) cli.inputEnded();
    }
    await this.openNextHost();
  }

  async openNextHost(): Promise<void> {
    this.isOnTheWayDown = false;
    this.store.release();
    await settled();
    this.clients.hostIsGone((id) => this.chronicles.get(id)?.isVolatile === true);
    if (this.setting.hasStore) {
      const ids = new Set(this.chronicles.keys());
      for await (const { sessionId } of this.store.disk.sessions()) ids.add(sessionId);
      for (const id of ids) await this.#reread(id);
    }
    for (let tries = 0; tries < 3; tries += 1) {
      const { isComplete } = await this.processes.sweep();
      if (!isComplete) this.surprises.push('the sweep was not complete');
      this.host = this.#newHost();
      const { supervisor } = this.host;
      const opening = this.ask('recover', '', 20_000, () => supervisor.recovered);
      await settled();
      if (typeof opening.outcome === 'string') break;
      // What was asked of it waits for nobody: whoever cannot read the store is started anew.
      this.host.lose();
      this.processes.loseHost(this.host.name);
    }
    this.#followAgain();
    await this.startBystander();
  }

  async startBystander(): Promise<void> {
    if (this.session(BYSTANDER) !== undefined || this.store.isHolding) return;
    const { supervisor } = this.host;
    this.ask('start', BYSTANDER, 60_000, () => supervisor.start({ id: BYSTANDER, restart: { type: 'transient' } }));
    await settled();
  }

  /** What the prompt with that id says. */
  textOf(promptId: string): string {
    return this.clients.prompts.find(({ id }) => id === promptId)?.text ?? '';
  }

  /** There is no store: with the host everything is gone. */
  forgetSessions(): void {
    this.former.push(...this.chronicles.values());
    this.chronicles.clear();
  }

  /** The turns of what this host knows of: their results are told here now. */
  #followAgain(): void {
    for (const prompt of this.clients.prompts) {
      const turn = this.session(prompt.session)?.turn(prompt.id);
      if (turn !== undefined) this.clients.follow(prompt, turn);
    }
  }

  /** What the store has and nobody saw was on its way; what it has not is lost, where that was said. */
  async #reread(id: string): Promise<void> {
    const chronicle = this.chronicle(id);
    const head = await this.store.disk.head(id);
    const lastSeq = head?.lastSeq ?? 0;
    if (lastSeq < chronicle.lastSeq) {
      if (!chronicle.isVolatile) {
        chronicle.contradictions.push(`${id}: event ${chronicle.lastSeq} was told, and the store ends with ${lastSeq}`);
      }
      chronicle.forgetBehind(lastSeq);
    }
    for await (const event of this.store.disk.read({ sessionId: id, after: 0 })) {
      if ('firstSeq' in event) continue;
      // Several lines may stand in one row.
      for (const one of storedEventsOf(event)) chronicle.see(sessionEventOf(one));
    }
    chronicle.isVolatile = false;
  }

  #newHost(): SimulatedHost {
    this.hosts += 1;
    const name = `host-${this.hosts}`;
    const host = simulatedHost({
      name,
      clock: (isAlive) => this.#sabotage.clock(this.#delaying(this.clock.view(isAlive))),
      options: (isAlive) => this.#optionsOf(name, isAlive),
    });
    host.supervisor.on('event', (event) => {
      for (const told of this.#sabotage.events(event)) this.#hear(told, host);
    });
    return host;
  }

  #hear(event: FleetEvent, host: SimulatedHost): void {
    if (!host.isAlive()) return;
    if ('groupId' in event) this.team.hear(this, event);
    if (!('seq' in event) || !('sessionId' in event)) return;
    this.eventCount += 1;
    const { sessionId, ...own } = event;
    const known = this.chronicle(sessionId);
    if (!this.setting.hasStore && known.lives > 0 && own.seq === 1) {
      this.former.push(known);
      this.chronicles.delete(sessionId);
    }
    this.chronicle(sessionId).see(own);
  }

  /** A timer that is late is a fault like any other. */
  #delaying(clock: ReturnType<WorldClock['view']>): ReturnType<WorldClock['view']> {
    const { faults } = this;
    return {
      now: clock.now,
      clearTimeout: clock.clearTimeout,
      setTimeout: (handler, ms) => clock.setTimeout(handler, ms + (faults.next('timer') === undefined ? 0 : 1_500)),
      get openTimers() {
        return clock.openTimers;
      },
    };
  }

  #optionsOf(name: string, isAlive: () => boolean): SupervisorOptions {
    const { setting, script } = this;
    const never = (ms: number) => (ms === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : ms);
    const spawn = simulatedSpawn({
      processes: this.processes,
      memory: this.memory,
      faults: this.faults,
      launches: this.launches,
      seed: script.seed,
      host: name,
      isHostAlive: isAlive,
      onLaunch: (launch) => this.#note(launch),
    });
    const store = setting.hasStore ? { store: this.#sabotage.store(this.store.view(isAlive)) } : {};
    return this.#sabotage.options({
      pathToClaudeCodeExecutable: '/simulated/claude',
      env: {},
      spawn: this.#sabotage.spawn(spawn, this),
      ...store,
      ...(this.#inspect === undefined ? {} : { inspect: this.#inspect }),
      onPromptLost: setting.onPromptLost,
      restart: {
        type: setting.restart,
        intensity: setting.intensity,
        periodMs: 60_000,
        backoff: { minMs: 500, maxMs: 4_000, factor: 2, jitter: 0 },
      },
      admission: { evictIdle: setting.evictIdle },
      limits: {
        // The one that nothing is about has its place.
        maxSessions: setting.maxSessions + 1,
        maxStarting: setting.maxStarting,
        maxPromptQueue: setting.maxPromptQueue,
        maxLogItems: setting.maxLogItems,
        maxSubscriberBufferItems: setting.maxSubscriberBufferItems,
      },
      timeouts: {
        ...TIMEOUTS,
        idleMs: never(setting.idleMs),
        permissionMs: never(setting.permissionMs),
        turnMs: never(setting.turnMs),
        stallMs: setting.stallMs,
        stallInterruptMs: setting.stallMs * 2,
        // Its tools take no time: one that is silent never heard that it may run.
        toolStallMs: setting.stallMs,
        toolStallInterruptMs: setting.stallMs * 2,
      },
    });
  }

  #note(launch: Launch): void {
    this.team.launched(this, launch);
    const chronicle = this.chronicles.get(launch.sessionId);
    if (chronicle === undefined) return;
    const { view, lives } = chronicle;
    const isCurrent = this.session(launch.sessionId)?.snapshot().seq === chronicle.lastSeq;
    const known = { conversationId: view.conversationId, model: view.settings['model'], lives };
    this.notes.push({ launch, known: isCurrent && view.ended === undefined ? known : undefined });
  }
}
