import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { SessionEvent } from '../store/session-event.ts';
import type { FleetEvent } from '../supervision/fleet-event.ts';
import type { FleetView, FleetViewEvent } from '../view/fleet-view.ts';
import { fleetPermissionsOf, globalIdOf, summaryOf } from '../view/summary.ts';
import { noticeFrame } from './event-frame.ts';
import type { LiveFleet } from './live-fleet.ts';
import type { LiveSession } from './live-session.ts';
import { SseConnection } from './sse-connection.ts';

/** How often the news of one session are told at most. */
const GATHER_MS = 250;
/** Bytes of single news that wait for one reader; over it the reader begins anew. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** All who follow the whole fleet: what is so now first, then every change, those of one session gathered. */
export class FleetFeed {
  readonly #fleet: LiveFleet;
  readonly #clock: Clock;
  readonly #readers = new Set<FleetReader>();
  readonly #moved = new Set<string>();
  #stop: (() => void) | undefined;
  #timer: unknown;

  constructor(fleet: LiveFleet, clock: Clock) {
    this.#fleet = fleet;
    this.#clock = clock;
  }

  /** A reader that begins with what is so now. */
  open(response: ServerResponse, headers: Parameters<SseConnection['open']>[0]): SseConnection {
    const reader = new FleetReader(this.#fleet, response, () => this.#leave(reader));
    this.#readers.add(reader);
    this.#stop ??= this.#fleet.listen({
      sessionMoved: (live, event) => this.#sessionMoved(live, event),
      sessionRemoved: (sessionId) => this.#tellAll({ type: 'session.removed', sessionId }),
      told: (event) => this.#tellAll(fleetNews(event)),
    });
    reader.connection.open(headers);
    reader.begin();
    return reader.connection;
  }

  #leave(reader: FleetReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#moved.clear();
  }

  #sessionMoved(live: LiveSession, event: SessionEvent | undefined): void {
    this.#moved.add(live.id);
    const news = event && permissionNews(live, event);
    if (news !== undefined) this.#tellAll(news);
    this.#timer ??= this.#clock.setTimeout(() => this.#tellMoved(), GATHER_MS);
  }

  #tellMoved(): void {
    this.#timer = undefined;
    const frames = new Map<string, Buffer>();
    const frameOf = (id: string) => {
      const known = frames.get(id) ?? summaryFrame(this.#fleet, id);
      if (known !== undefined) frames.set(id, known);
      return known;
    };
    for (const reader of this.#readers) reader.tellMoved(this.#moved, frameOf);
    this.#moved.clear();
  }

  #tellAll(news: FleetViewEvent): void {
    const frame = noticeFrame(news.type, news);
    for (const reader of this.#readers) reader.tell(frame);
  }
}

class FleetReader {
  readonly connection: SseConnection;
  readonly #fleet: LiveFleet;
  /** Sessions whose newest state waits until the reader takes more: each once, however often it moves. */
  readonly #owed = new Set<string>();
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** News that were dropped, because it had taken too long: it begins anew. */
  #missed = 0;

  constructor(fleet: LiveFleet, response: ServerResponse, closed: () => void) {
    this.#fleet = fleet;
    this.connection = new SseConnection(response, { drained: () => this.#pump(), closed });
  }

  begin(): void {
    this.#owed.clear();
    this.#waiting = [];
    this.#bytes = 0;
    this.#missed = 0;
    const sessions = this.#fleet.summaries();
    const view: FleetView = { sessions, permissions: this.#fleet.permissions(), ...phaseOf(this.#fleet) };
    this.connection.write(noticeFrame('snapshot', { type: 'snapshot', ...view } satisfies FleetViewEvent));
  }

  tell(frame: Buffer): void {
    if (!this.connection.isBlocked && this.#waiting.length === 0) {
      this.connection.write(frame);
      return;
    }
    this.#bytes += frame.length;
    if (this.#missed === 0 && this.#bytes <= MOST_WAITING_BYTES) this.#waiting.push(frame);
    else {
      this.#missed += this.#waiting.length + 1;
      this.#waiting = [];
    }
  }

  tellMoved(ids: ReadonlySet<string>, frameOf: (id: string) => Buffer | undefined): void {
    for (const id of ids) {
      if (this.connection.isBlocked) this.#owed.add(id);
      else this.connection.write(frameOf(id) ?? Buffer.alloc(0));
    }
  }

  #pump(): void {
    if (this.#missed > 0) {
      this.connection.write(noticeFrame('subscriber.lagged', { type: 'subscriber.lagged', missed: this.#missed }));
      this.begin();
      return;
    }
    while (!this.connection.isBlocked) {
      const frame = this.#waiting.shift();
      if (frame === undefined) break;
      this.#bytes -= frame.length;
      this.connection.write(frame);
    }
    for (const id of this.#owed) {
      if (this.connection.isBlocked) return;
      this.#owed.delete(id);
      this.connection.write(summaryFrame(this.#fleet, id) ?? Buffer.alloc(0));
    }
  }
}

function summaryFrame(fleet: LiveFleet, id: string): Buffer | undefined {
  const live = fleet.get(id);
  if (live === undefined) return undefined;
  return noticeFrame('session.changed', { type: 'session.changed', session: summaryOf(live.view) });
}

function phaseOf({ supervisor }: LiveFleet): { readonly phase: string; readonly deadlineAt?: number } {
  const { phase, deadlineAt } = supervisor.explain();
  return { phase, ...(typeof deadlineAt === 'number' ? { deadlineAt } : {}) };
}

function permissionNews(live: LiveSession, event: SessionEvent): FleetViewEvent | undefined {
  if (event.type === 'permission.requested') {
    const permission = fleetPermissionsOf(live.view).find(({ id }) => id === event.requestId);
    return permission === undefined ? undefined : { type: 'permission.requested', permission };
  }
  if (event.type !== 'permission.settled') return undefined;
  const { requestId: id, outcome, by } = event;
  return { type: 'permission.settled', sessionId: live.id, id, globalId: globalIdOf(live.id, id), outcome, by };
}

function fleetNews(event: FleetEvent): FleetViewEvent {
  if (event.type !== 'supervisor.phase-changed') return { type: `other:${event.type}`, event: { ...event } };
  const { type, at, phase, from, deadlineAt } = event;
  return { type, at, phase, from, ...(deadlineAt === undefined ? {} : { deadlineAt }) };
}
