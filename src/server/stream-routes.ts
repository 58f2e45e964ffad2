import { z } from 'zod';
import { OfSession } from '../api/parameters.ts';
import type { App, ServerContext } from './app.ts';
import { EventStreams } from './event-routes.ts';
import { described } from './route-schema.ts';

const Stream = {
  200: {
    description: 'A stream of events, see docs/events-over-http.md.',
    content: { 'text/event-stream': { schema: z.string() } },
  },
};

const Cursor = z.string().max(40);
const Headers = z.looseObject({ 'last-event-id': Cursor.optional() });

/** The streams of events; the end of the server is told to each. */
export function streamRoutes(app: App, { fleet, settings, closing }: ServerContext): void {
  const { limits, timeouts, clock } = settings;
  const streams = new EventStreams({
    fleet,
    clock,
    heartbeatMs: timeouts.heartbeatMs,
    maxBufferBytes: limits.maxSubscriberBufferBytes,
    maxStreams: limits.maxStreams,
  });
  closing.addEventListener('abort', () => streams.close(), { once: true });

  app.get(
    '/v1/sessions/:id/events',
    {
      config: { scope: 'read' },
      schema: described('streamSession', 'The events of a session: a snapshot, what is behind the cursor, then live.', {
        tag: 'events',
        params: OfSession,
        headers: Headers,
        querystring: z.strictObject({
          types: z.string().max(1_000).optional(),
          partials: z.enum(['true', 'false']).optional(),
          replay: z.literal('all').optional(),
          cursor: Cursor.optional(),
        }),
        response: Stream,
      }),
    },
    async (request, reply) => {
      const { types, partials, replay, cursor } = request.query;
      const query = Object.fromEntries(
        Object.entries({ types, partials, replay, cursor }).filter(([, value]) => value !== undefined),
      );
      await streams.session(request.params.id, query, request, reply);
    },
  );

  app.get(
    '/v1/events',
    {
      config: { scope: 'read' },
      schema: described('streamFleet', 'States and questions of all sessions, first as they are, then live.', {
        tag: 'events',
        headers: Headers,
        querystring: z.strictObject({ cursor: Cursor.optional() }),
        response: Stream,
      }),
    },
    async (request, reply) => streams.fleet(request, reply),
  );
}
