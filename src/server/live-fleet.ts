import type { FleetEvent } from '../supervision/fleet-event.ts';
import { hearingRuns } from '../supervision/fleet-observers.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { FleetPermission, SessionSummary } from '../view/fleet-view.ts';
import { fleetPermissionsOf, summaryOf } from '../view/summary.ts';
import { LiveSession, type OnMoved } from './live-session.ts';

/** Sessions that are over and are still shown; the oldest go first. */
const MOST_ENDED = 200;

export interface FleetListener {
  readonly sessionMoved: OnMoved;
  readonly sessionRemoved: (id: string) => void;
  /** What belongs to no session: accounts, groups, the store, the way down. */
  readonly told: (event: FleetEvent) => void;
}

/** Every session as its server sees it, those that ended not long ago included. */
export class LiveFleet {
  readonly supervisor: Supervisor;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #listeners = new Set<FleetListener>();
  readonly #stop: () => void;

  constructor(supervisor: Supervisor) {
    this.supervisor = supervisor;
    this.#stop = supervisor.on(
      'event',
      hearingRuns(
        (event) => this.#hear(event),
        (sessionId) => this.#follow(sessionId),
      ),
    );
    for (const session of supervisor.list()) this.#follow(session.id);
  }

  /** That session; one that was started a moment ago, too. */
  get(id: string): LiveSession | undefined {
    return this.#follow(id) ?? this.#sessions.get(id);
  }

  /** In order of start. */
  list(): readonly LiveSession[] {
    for (const { id } of this.supervisor.list()) this.#follow(id);
    return [...this.#sessions.values()];
  }

  summaries(): readonly SessionSummary[] {
    return this.list().map(({ view }) => summaryOf(view));
  }

  /** Every open question, oldest first. */
  permissions(): readonly FleetPermission[] {
    const open = this.list().flatMap(({ view }) => fleetPermissionsOf(view));
    return open.toSorted((one, other) => one.requestedAt - other.requestedAt);
  }

  listen(listener: FleetListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  #hear(event: FleetEvent): void {
    if ('sessionId' in event && 'seq' in event) this.#follow(event.sessionId);
    else {
      for (const { told } of this.#listeners) told(event);
      if (event.type === 'store.refused') this.#forgetRefused(event.sessionId);
    }
  }

  /** Its end is told in no log, and nobody shall see it at work for ever. */
  #forgetRefused(id: string): void {
    const live = this.get(id);
    void live?.session.ended.then(() => {
      if (this.#sessions.get(id) === live) this.#forget(id);
    });
  }

  #forget(id: string): void {
    this.#sessions.delete(id);
    for (const { sessionRemoved } of this.#listeners) sessionRemoved(id);
  }

  /** An id that is used again is another session. */
  #follow(id: string): LiveSession | undefined {
    const session = this.supervisor.session(id);
    const known = this.#sessions.get(id);
    if (session === undefined || known?.session === session) return known;
    this.#sessions.delete(id);
    const live = new LiveSession(session, (moved, event) => {
      for (const { sessionMoved } of this.#listeners) sessionMoved(moved, event);
      if (event?.type === 'session.ended') this.#forgetEnded();
    });
    this.#sessions.set(id, live);
    return live;
  }

  #forgetEnded(): void {
    const ended = [...this.#sessions.values()].filter(({ view }) => view.ended !== undefined);
    const late = (live: LiveSession) => live.view.ended?.at ?? 0;
    const over = ended
      .toSorted((one, other) => late(one) - late(other))
      .slice(0, Math.max(0, ended.length - MOST_ENDED));
    for (const { id } of over) this.#forget(id);
  }
}
