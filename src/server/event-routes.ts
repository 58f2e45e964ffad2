import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { eventFilter } from './event-filter.ts';
import { noticeFrame } from './event-frame.ts';
import { FleetFeed } from './fleet-feed.ts';
import type { LiveFleet } from './live-fleet.ts';
import type { LiveSession } from './live-session.ts';
import { SessionFeed } from './session-feed.ts';
import { SessionReader, type StartPoint } from './session-reader.ts';
import type { SseConnection } from './sse-connection.ts';

export interface EventRoutesOptions {
  readonly fleet: LiveFleet;
  readonly clock: Clock;
  /** Silence after which a stream says that it is there. Default 15 s. */
  readonly heartbeatMs?: number | undefined;
  /** Bytes of one session that are kept for readers that are behind. Default 16 MiB. */
  readonly maxBufferBytes?: number | undefined;
  /** Streams at once, of all kinds. Default 1000. Over it: AT_CAPACITY. */
  readonly maxStreams?: number | undefined;
}

const HEARTBEAT_MS = 15_000;
const BUFFER_BYTES = 16 * 2 ** 20;
const MOST_STREAMS = 1_000;

interface EventQuery {
  readonly types?: string;
  readonly partials?: string;
  readonly replay?: string;
  /** For those who cannot set a header. */
  readonly cursor?: string;
}

/** The streams of events: `GET /v1/sessions/:id/events` and `GET /v1/events`. */
export class EventStreams {
  readonly #options: EventRoutesOptions;
  readonly #fleetFeed: FleetFeed;
  readonly #feeds = new WeakMap<LiveSession, SessionFeed>();
  readonly #open = new Set<SseConnection>();
  #timer: unknown;

  constructor(options: EventRoutesOptions) {
    this.#options = options;
    this.#fleetFeed = new FleetFeed(options.fleet, options.clock);
  }

  /** Streams that are open. */
  get count(): number {
    return this.#open.size;
  }

  /** Throws SESSION_NOT_FOUND, INVALID_OPTIONS, AT_CAPACITY before anything is written. */
  async session(id: string, query: EventQuery, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const live = this.#options.fleet.get(id);
    if (live === undefined) throw new TroupeError('SESSION_NOT_FOUND', { details: { id } });
    const from = startPoint(query, request.headers['last-event-id']);
    const filter = eventFilter(query.types, query.partials !== 'false');
    this.#assertRoom();
    const reader = new SessionReader(this.#feedOf(live), reply.raw, filter);
    const { connection } = reader;
    reply.hijack();
    connection.open(reply.getHeaders());
    this.#keep(connection, reply);
    try {
      await reader.begin(from);
    } catch {
      // The log cannot be read at present: whoever reads comes again with the cursor that it has.
      connection.end();
    }
  }

  /** Throws AT_CAPACITY before anything is written. */
  fleet(_request: FastifyRequest, reply: FastifyReply): void {
    this.#assertRoom();
    reply.hijack();
    this.#keep(this.#fleetFeed.open(reply.raw, reply.getHeaders()), reply);
  }

  /** Ends every stream, and says why. */
  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const connection of this.#open) {
      connection.write(noticeFrame('server.closing', {}));
      connection.end();
    }
  }

  #assertRoom(): void {
    const { maxStreams = MOST_STREAMS } = this.#options;
    if (this.#open.size < maxStreams) return;
    throw new TroupeError('AT_CAPACITY', {
      reason: `${maxStreams} streams of events are open, which is the most there may be.`,
      details: { limit: maxStreams },
    });
  }

  #feedOf(live: LiveSession): SessionFeed {
    const { clock, maxBufferBytes = BUFFER_BYTES } = this.#options;
    const known = this.#feeds.get(live);
    if (known !== undefined) return known;
    const feed = new SessionFeed(live, { clock, maxBufferBytes });
    this.#feeds.set(live, feed);
    return feed;
  }

  #keep(connection: SseConnection, reply: FastifyReply): void {
    this.#open.add(connection);
    reply.raw.once('close', () => this.#open.delete(connection));
    this.#timer ??= this.#options.clock.setTimeout(() => this.#beat(), this.#options.heartbeatMs ?? HEARTBEAT_MS);
  }

  #beat(): void {
    this.#timer = undefined;
    for (const connection of this.#open) connection.heartbeat();
    if (this.#open.size === 0) return;
    this.#timer = this.#options.clock.setTimeout(() => this.#beat(), this.#options.heartbeatMs ?? HEARTBEAT_MS);
  }
}

/** The routes on an instance whose hooks have let the request pass. Returns the streams, for their end. */
export function eventRoutes(app: FastifyInstance, options: EventRoutesOptions): EventStreams {
  const streams = new EventStreams(options);
  app.get<{ Params: { id: string }; Querystring: EventQuery }>('/v1/sessions/:id/events', async (request, reply) => {
    await streams.session(request.params.id, request.query, request, reply);
  });
  app.get('/v1/events', async (request, reply) => streams.fleet(request, reply));
  return streams;
}

/** `Last-Event-ID: <epoch>:<seq>`; anything else is no cursor, and the reader begins anew. */
function startPoint({ cursor, replay }: EventQuery, header: string | string[] | undefined): StartPoint {
  const text = typeof header === 'string' && header !== '' ? header : cursor;
  const parts = /^(\d{1,15}):(\d{1,15})$/.exec(text ?? '');
  if (parts !== null) return { kind: 'after', epoch: Number(parts[1]), seq: Number(parts[2]) };
  if (replay !== undefined && replay !== 'all') {
    throw new TroupeError('INVALID_OPTIONS', {
      reason: '"replay" is "all" or not given.',
      details: { field: 'replay' },
    });
  }
  return { kind: replay === 'all' ? 'all' : 'now' };
}
