import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { systemClock } from '../../src/clock.ts';
import { TroupeError } from '../../src/errors.ts';
import { type EventRoutesOptions, eventRoutes } from '../../src/server/event-routes.ts';
import { LiveFleet } from '../../src/server/live-fleet.ts';
import type { Supervisor } from '../../src/supervision/supervisor.ts';

/** The streams of a supervisor on a port of their own. */
export async function serveEvents(supervisor: Supervisor, options: Partial<EventRoutesOptions> = {}) {
  const app = fastify({ forceCloseConnections: true });
  app.setErrorHandler(async (error, _request, reply) => {
    const code = error instanceof TroupeError ? error.code : 'UNEXPECTED';
    await reply.code(code === 'SESSION_NOT_FOUND' ? 404 : 400).send({ code });
  });
  const fleet = new LiveFleet(supervisor);
  const streams = eventRoutes(app, { fleet, clock: systemClock, ...options });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const close = async () => {
    streams.close();
    fleet.close();
    await app.close();
  };
  return { url: `http://127.0.0.1:${port}`, fleet, streams, app, close };
}
