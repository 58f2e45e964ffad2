import { fromPromise } from 'xstate';
import type { PhaseDeadlines } from '../../machines/supervisor/supervisor.context.ts';
import type { SupervisorPhase } from '../../machines/supervisor/supervisor.events.ts';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import type { PhaseInput, PhaseOutput } from '../../machines/supervisor/supervisor.ports.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import { handoverCause } from '../session/handed-over.ts';
import { isAtWork, isCallableOff } from './awaited-work.ts';
import { DrainTally, type RemainingWork } from './drain-tally.ts';
import type { FleetEvent } from './fleet-event.ts';
import type { GroupRegistry } from './group-registry.ts';
import type { BuiltSession } from './session-factory.ts';

export interface ShutdownPhasesOptions {
  readonly clock: Clock;
  /** In order of start. */
  readonly sessions: () => Iterable<BuiltSession>;
  readonly groups: GroupRegistry;
  /** Resolves when everything that happened is stored, and the store let go of. */
  readonly flush: () => Promise<void>;
  /** Ends the processes that no session has, hurried or not. */
  readonly endWarm: (isHurried: boolean) => Promise<void>;
  readonly tell: (event: FleetEvent) => void;
}

/** How a drain may be shortened. */
export interface DrainOptions {
  /** How long turns may go on, in milliseconds, in place of `timeouts.drainMs`; `Infinity` for as long as they take. */
  readonly timeoutMs?: number | undefined;
  /** Fires: running turns are interrupted at once, and the drain goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** The deadlines of the phases, as the options of a supervisor name them. */
export function phaseDeadlines(timeouts: typeof DEFAULT_TIMEOUTS): PhaseDeadlines {
  return {
    admissionMs: timeouts.drainAdmissionMs,
    turnsMs: timeouts.drainMs,
    interruptMs: timeouts.drainInterruptMs,
    closeMs: timeouts.drainCloseMs,
    killMs: timeouts.drainKillMs,
    flushMs: timeouts.drainFlushMs,
  };
}

/** The way down of a supervisor: the machine says which phase it is, this does the work of each. */
export class ShutdownPhases {
  readonly #options: ShutdownPhasesOptions;
  readonly #tally: DrainTally;
  #groupsClosed: Promise<void> | undefined;
  #isHandover = false;
  /** Where a session that comes to be after the others were left is left, too. */
  #isCut = false;

  constructor(options: ShutdownPhasesOptions) {
    const { clock, sessions, groups, tell } = options;
    this.#options = options;
    this.#tally = new DrainTally({
      sessions,
      isBroughtBack: (id) => groups.bringsBack(id),
      isHandover: () => this.#isHandover,
      onChange: (phase, remaining) => tell({ type: 'drain.progressed', at: clock.now(), phase, remaining }),
      onLook: (phase, built) => {
        // What comes back into the queue while turns are interrupted finds no process any more.
        if (phase === 'interrupting') giveBack(built);
      },
    });
  }

  /** The machine with hands. */
  machine() {
    return supervisorMachine.provide({
      actors: {
        settleStarts: this.#port('stopping-admission', () => this.#callOffStarts()),
        finishTurns: this.#port('finishing-turns', () => this.#holdBack()),
        interruptTurns: this.#port('interrupting', () => this.#interrupt()),
        closeChildren: this.#port(
          'closing',
          () => this.#stop('close'),
          () => this.#options.endWarm(false),
        ),
        killChildren: this.#port(
          'killing',
          () => this.#stop('kill'),
          () => this.#options.endWarm(true),
        ),
        flushChildren: this.#port(
          'flushing',
          () => {},
          async () => {
            await this.#groupsClosed;
            await this.#options.flush();
          },
        ),
      },
    });
  }

  /** A session came to be, or is over for good. */
  added(built: BuiltSession): void {
    if (this.#isHandover) built.core.holdsBack = true;
    if (this.#isCut) leave(built);
    this.#tally.added(built);
  }

  removed(built: BuiltSession): void {
    this.#tally.removed(built);
  }

  awaited(): ReturnType<DrainTally['awaited']> {
    return this.#tally.awaited();
  }

  get remaining(): RemainingWork {
    return this.#tally.remaining;
  }

  #port(phase: SupervisorPhase, act: () => void, also: () => Promise<void> | undefined = () => undefined) {
    return fromPromise<PhaseOutput, PhaseInput>(async ({ input, signal }) => {
      this.#isHandover = input.isHandover;
      act();
      await Promise.all([this.#tally.settled(phase, signal), also()]);
      return { at: this.#options.clock.now() };
    });
  }

  #callOffStarts(): void {
    void this.#options.endWarm(false);
    const { groups } = this.#options;
    const isAtWork = (id: string) =>
      [...this.#options.sessions()].some((built) => built.session.id === id && !isIdle(built));
    groups.callOffStarts(isAtWork);
    for (const built of this.#newestFirst()) {
      if (!groups.has(built.session.id) && isCallableOff(built)) built.life.stop('kill');
    }
  }

  #interrupt(): void {
    const sessions = this.#newestFirst();
    // First everywhere: the end of a turn would send the next prompt out.
    for (const built of sessions) giveBack(built);
    for (const { session, life, conversation } of sessions) {
      if (life.incarnation === undefined || conversation.isQuiet) continue;
      const started = conversation.ledger.outstanding.filter(({ state }) => state === 'started');
      conversation.ledger.markInterrupted(started, stopped());
      // An interrupt that is refused or comes too late is followed by the close, and the turn tells its own end.
      session.interrupt({ cancelQueued: true }).catch(() => {});
    }
  }

  /** What waits stays in the queue, for whoever comes next. */
  #holdBack(): void {
    if (this.#isHandover) for (const { core } of this.#options.sessions()) core.holdsBack = true;
  }

  #stop(mode: 'close' | 'kill'): void {
    const { groups } = this.#options;
    const sessions = this.#newestFirst();
    if (this.#isHandover) {
      this.#isCut = true;
      for (const built of sessions) leave(built);
    }
    // Members are ended by their groups, in their order; what is left after the deadline is killed whoever's it is.
    for (const { session, life, log } of sessions)
      if (mode === 'kill' || !groups.has(session.id)) life.stop(mode, log.isSealed ? handoverCause() : undefined);
    this.#groupsClosed ??= groups.close();
  }

  #newestFirst(): BuiltSession[] {
    return [...this.#options.sessions()].reverse();
  }
}

/**
 * The last word in its log, and the end of what is at work: nothing of what its process still says, and nothing that is decided
 * here, may reach a log that another host goes on with. Asked to leave, a CLI would finish its turn, and take an end of its
 * input for an answer to its question (WIRE §15). One that is ending already, ends.
 */
function leave({ life, log, conversation, desk }: BuiltSession): void {
  if (log.isSealed || life.isOver || life.childSnapshot().matches('stopping')) return;
  const isCutOff = isAtWork({ life, conversation, desk });
  log.seal(life.epoch, { type: 'session.handed-over' });
  if (isCutOff) life.stop('kill', handoverCause());
}

function isIdle({ conversation }: BuiltSession): boolean {
  return conversation.isDrained;
}

function giveBack({ conversation }: BuiltSession): void {
  if (conversation.ledger.queued.length > 0) conversation.ledger.returnQueued(stopped());
}

function stopped(): TroupeError {
  return new TroupeError('SUPERVISOR_STOPPED', { reason: 'It drained, and the time for turns was over.' });
}
