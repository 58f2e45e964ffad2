import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { openHost as openBare } from './bare.mjs';

/** What one writes first to show a session to others: each message parsed, and made text again for each client. */
export function openHost(options) {
  const sockets = new Set();
  const responses = new Set();
  const onMessage = (message) => {
    for (const socket of sockets) socket.send(JSON.stringify(message));
    for (const response of responses) response.write(`data: ${JSON.stringify(message)}\n\n`);
  };
  const host = openBare({ ...options, onMessage });
  const http = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    responses.add(response);
  });
  new WebSocketServer({ server: http }).on('connection', (socket) => {
    sockets.add(socket);
    socket.send('{"type":"hello"}');
  });
  return {
    ...host,
    async serve() {
      http.listen(0, '127.0.0.1');
      await once(http, 'listening');
      const address = `127.0.0.1:${http.address().port}`;
      return { sse: `http://${address}/`, websocket: `ws://${address}/`, headers: {}, hello: [] };
    },
    async close() {
      http.closeAllConnections();
      http.close();
      for (const socket of sockets) socket.terminate();
      await host.close();
    },
  };
}
