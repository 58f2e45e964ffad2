import type { WebSocket } from 'ws';
import { z } from 'zod';
import { SessionId } from '../api/parameters.ts';
import type { Clock } from '../clock.ts';
import { type App, callerOf, type ServerContext } from './app.ts';
import { SocketLink } from './socket-link.ts';

/** The session of calls that name none. */
const Where = z.strictObject({ session: SessionId.optional() });

/**
 * The WebSocket of the JSON-RPC dialect, `/v1/ws`. Host, origin and token are checked as for every request, before the
 * connection is upgraded.
 */
export function socketRoute(app: App, { engine, settings }: ServerContext): void {
  const { clock, limits, timeouts } = settings;

  app.get(
    '/v1/ws',
    { websocket: true, config: { scope: 'read' }, schema: { hide: true, querystring: Where } },
    (socket, request) => {
      if (engine.connections >= limits.maxStreams) {
        socket.close(1013, 'too-many-connections');
        return;
      }
      const { name, scopes } = callerOf(request);
      const connection = engine.accept(
        new SocketLink(socket, request.raw.socket, clock),
        { name, scopes: new Set(scopes) },
        request.query.session,
      );
      socket.on('message', (data, isBinary) => connection.receive(isBinary ? '' : data.toString()));
      socket.on('close', () => connection.ended());
      // What is wrong with a frame closes the socket by itself.
      socket.on('error', () => {});
      keepAlive(socket, clock, timeouts.heartbeatMs);
    },
  );
}

/** A peer that is gone without a word is noticed after two heartbeats. */
function keepAlive(socket: WebSocket, clock: Clock, heartbeatMs: number): void {
  let isAlive = true;
  let timer: unknown;
  const beat = () => {
    if (!isAlive) socket.terminate();
    else {
      isAlive = false;
      socket.ping();
      timer = clock.setTimeout(beat, heartbeatMs);
    }
  };
  timer = clock.setTimeout(beat, heartbeatMs);
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('close', () => clock.clearTimeout(timer));
}
