import { TroupeError } from '../errors.ts';
import type { Logger } from '../launch/supervisor-options.ts';
import type { EventLog } from '../store/event-log.ts';
import type { EventRun } from '../store/event-run.ts';
import type { SessionEvent } from '../store/session-event.ts';
import type { FleetEvent } from './fleet-event.ts';

type Hear = (event: FleetEvent) => void;
type HearRun = (sessionId: string, run: EventRun) => void;

interface Observer {
  readonly hear: Hear;
  readonly hearRun: HearRun | undefined;
}

/** Listeners that hear messages that were logged as one thing, in place of each of them. */
const RUN_HEARERS = new WeakMap<Hear, HearRun>();

/** The same listener, which is given such messages in one piece where it is added itself. */
export function hearingRuns(listener: Hear, hearRun: HearRun): Hear {
  RUN_HEARERS.set(listener, hearRun);
  return listener;
}

/** Who hears the events of the fleet. What one of them throws, at once or later, is logged and stops nobody (R100). */
export class FleetObservers {
  readonly #logger: Logger | undefined;
  /** Lists that are made anew when somebody comes or goes: who is being told notices neither. */
  #listeners: readonly Observer[] = [];
  /** Those that hear messages one by one. */
  #single: readonly Observer[] = [];

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** False when an event need not even be made. */
  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  /** Returns the way to stop it. Throws INVALID_OPTIONS for what is no listener of events. */
  add(kind: 'event', listener: (event: FleetEvent) => void): () => void {
    if (kind !== 'event' || typeof listener !== 'function') {
      const field = kind === 'event' ? 'listener' : 'kind';
      throw new TroupeError('INVALID_OPTIONS', { reason: `"${field}" is not usable here.`, details: { field } });
    }
    const hearRun = RUN_HEARERS.get(listener);
    const isolated: Observer = {
      hear: this.isolated(listener),
      hearRun: hearRun === undefined ? undefined : this.#isolatedRun(hearRun),
    };
    this.#keep([...this.#listeners, isolated]);
    return () => this.#keep(this.#listeners.filter((one) => one !== isolated));
  }

  #keep(listeners: readonly Observer[]): void {
    this.#listeners = listeners;
    this.#single = listeners.filter(({ hearRun }) => hearRun === undefined);
  }

  /** Tells what is logged of a session. */
  follow(sessionId: string, log: EventLog): void {
    const hear = (event: SessionEvent): void => {
      // Of its account the fleet hears once, not from each of its sessions.
      if (event.type === 'quota.reached' || event.type === 'quota.reset') return;
      if (this.isHeard) this.tell({ ...event, sessionId });
    };
    log.listen(hear, (run) => this.#tellRun(sessionId, run));
  }

  tell(event: FleetEvent): void {
    for (const { hear } of this.#listeners) hear(event);
  }

  #tellRun(sessionId: string, run: EventRun): void {
    const single = this.#single;
    for (const { hearRun } of this.#listeners) hearRun?.(sessionId, run);
    if (single.length === 0) return;
    for (const event of run.events()) for (const { hear } of single) hear({ ...event, sessionId });
  }

  #isolatedRun(hearRun: HearRun): HearRun {
    return (sessionId, run) => {
      try {
        hearRun(sessionId, run);
      } catch (error) {
        this.complain(error);
      }
    };
  }

  /** The same observer, whose failures are its own affair. */
  isolated<Event>(observer: (event: Event) => unknown): (event: Event) => void {
    return (event) => {
      try {
        const outcome = observer(event);
        if (outcome instanceof Promise) outcome.catch((error: unknown) => this.complain(error));
      } catch (error) {
        this.complain(error);
      }
    };
  }

  complain(error: unknown): void {
    try {
      this.#logger?.error({ err: error }, 'an observer threw');
    } catch {
      // A logger that throws leaves nobody to tell.
    }
  }
}
