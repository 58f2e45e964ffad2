import { type Actor, createActor } from 'xstate';
import {
  SUPERVISOR_STATES,
  type SupervisorEvent,
  type SupervisorPhase,
  type SupervisorStateName,
} from '../../machines/supervisor/supervisor.events.ts';
import type { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import { onAbort } from './abort-watch.ts';
import type { FleetEvent } from './fleet-event.ts';
import { type DrainOptions, phaseDeadlines, type ShutdownPhases } from './shutdown-phases.ts';
import { explainPhases, type SupervisorExplanation } from './supervisor-explanation.ts';

export interface WayDownOptions {
  readonly phases: ShutdownPhases;
  readonly timeouts: typeof DEFAULT_TIMEOUTS;
  readonly clock: Clock;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly tell: (event: FleetEvent) => void;
}

/** The machine of a supervisor: what it is asked for on the way down, and where it is. */
export class WayDown {
  /** Resolves when the supervisor is stopped. */
  readonly stopped: Promise<void>;
  readonly #options: WayDownOptions;
  readonly #actor: Actor<typeof supervisorMachine>;
  readonly #createdAt: number;
  #phase: SupervisorPhase = 'running';

  constructor(options: WayDownOptions) {
    const { phases, timeouts, clock, inspect, tell } = options;
    this.#options = options;
    this.#createdAt = clock.now();
    this.#actor = createActor(phases.machine(), {
      input: { deadlines: phaseDeadlines(timeouts) },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    this.#actor.on('phase.entered', ({ phase, at, deadlineAt }) => {
      const from = this.#phase;
      this.#phase = phase;
      tell({ type: 'supervisor.phase-changed', at, phase, from, deadlineAt: deadlineAt ?? undefined });
    });
    this.stopped = new Promise((resolve) => {
      this.#actor.subscribe((snapshot) => {
        if (snapshot.status === 'done') resolve();
      });
    });
    this.#actor.start();
  }

  get state(): SupervisorStateName {
    return SUPERVISOR_STATES.find((state) => this.#actor.getSnapshot().matches(state)) ?? 'stopped';
  }

  get phase(): SupervisorPhase {
    return this.#phase;
  }

  /** The sessions are kept for another supervisor. */
  get isHandover(): boolean {
    return this.#actor.getSnapshot().context.isHandover;
  }

  tell(event: SupervisorEvent): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event);
  }

  async drain({ timeoutMs, signal }: DrainOptions): Promise<void> {
    this.tell({ type: 'supervisor.drain', at: this.#options.clock.now(), withinMs: timeoutMs ?? null });
    await this.#hurried(signal);
  }

  async shutdown(timeoutMs: number | undefined): Promise<void> {
    this.tell({ type: 'supervisor.shutdown', at: this.#options.clock.now(), withinMs: timeoutMs ?? null });
    await this.stopped;
  }

  /** Throws SUPERVISOR_STOPPED where the sessions are on their way to their end. */
  async handover({ timeoutMs = this.#options.timeouts.handoverMs, signal }: DrainOptions): Promise<void> {
    if (this.state !== 'running' && !this.isHandover) {
      const reason = 'It ends its sessions: there is nothing to hand over.';
      throw new TroupeError('SUPERVISOR_STOPPED', { reason, details: { state: this.state, phase: this.#phase } });
    }
    this.tell({ type: 'supervisor.handover', at: this.#options.clock.now(), withinMs: timeoutMs });
    await this.#hurried(signal);
  }

  explain(counts: Pick<SupervisorExplanation, 'sessions' | 'groups' | 'store'>): SupervisorExplanation {
    const { since, deadlineAt, isHandover } = this.#actor.getSnapshot().context;
    const about = { state: this.state, phase: this.#phase, since: since ?? this.#createdAt, deadlineAt, isHandover };
    return explainPhases(this.#options.phases, about, counts);
  }

  /** Resolves when it is stopped; as soon as the signal fires no turn is waited for any more. */
  async #hurried(signal: AbortSignal | undefined): Promise<void> {
    const hurry = () => this.tell({ type: 'supervisor.hurry', at: this.#options.clock.now() });
    const stopWatching = signal === undefined ? () => {} : onAbort(signal, hurry);
    if (signal?.aborted === true) hurry();
    await this.stopped;
    stopWatching();
  }
}
