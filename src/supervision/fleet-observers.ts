import { TroupeError } from '../errors.ts';
import type { Logger } from '../launch/supervisor-options.ts';
import type { EventLog } from '../store/event-log.ts';
import type { SessionEvent } from '../store/session-event.ts';
import type { FleetEvent } from './fleet-event.ts';

/** Who hears the events of the fleet. What one of them throws, at once or later, is logged and stops nobody (R100). */
export class FleetObservers {
  readonly #logger: Logger | undefined;
  readonly #listeners = new Set<(event: FleetEvent) => void>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** False when an event need not even be made. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns the way to stop it. Throws INVALID_OPTIONS for what is no listener of events. */
  add(kind: 'event', listener: (event: FleetEvent) => void): () => void {
    if (kind !== 'event' || typeof listener !== 'function') {
      const field = kind === 'event' ? 'listener' : 'kind';
      throw new TroupeError('INVALID_OPTIONS', { reason: `"${field}" is not usable here.`, details: { field } });
    }
    const isolated = this.isolated(listener);
    this.#listeners.add(isolated);
    return () => this.#listeners.delete(isolated);
  }

  /** Tells what is logged of a session. */
  follow(sessionId: string, log: EventLog): void {
    const hear = (event: SessionEvent): void => {
      // Of its account the fleet hears once, not from each of its sessions.
      if (event.type === 'quota.reached' || event.type === 'quota.reset') return;
      if (this.isHeard) this.tell({ ...event, sessionId });
    };
    log.listen(hear, (run) => {
      if (this.isHeard) for (const event of run.events()) hear(event);
    });
  }

  tell(event: FleetEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
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
