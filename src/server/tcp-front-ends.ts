import { createServer, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Access } from './access.ts';
import type { Engine } from './json-rpc/engine.ts';
import type { Identify } from './json-rpc/front-end-link.ts';
import { serveStream } from './json-rpc/stream-link.ts';

/** Nobody else's machine: the dialect has no encryption of its own. */
const HOST = '127.0.0.1';
/** How long a farewell may take to leave. */
const FAREWELL_MS = 2_000;

export interface TcpFrontEndsOptions {
  readonly engine: Engine;
  /** 0 for any that is free. */
  readonly port: number;
  readonly access: Access;
  readonly maxConnections: number;
}

/** Front ends of the JSON-RPC dialect over TCP. */
export interface TcpFrontEnds {
  readonly address: { readonly host: string; readonly port: number };
  close(): Promise<void>;
}

/**
 * Listens on the loopback. A front end says who it is with the `token` of its `initialize`; whoever does not, or speaks something
 * else first, is cut (P11). Rejects with what the system says of the address.
 */
export async function listenForFrontEnds(options: TcpFrontEndsOptions): Promise<TcpFrontEnds> {
  const { engine, access } = options;
  const identify: Identify = (token) => {
    const caller = token === undefined ? undefined : access.byToken(token);
    return caller === undefined ? undefined : { name: caller.name, scopes: new Set(caller.scopes) };
  };
  const open = new Set<Socket>();
  // A front end that has said all may still hear the answers.
  const server = createServer({ allowHalfOpen: true, keepAlive: true, noDelay: true }, (socket) => {
    if (engine.connections >= options.maxConnections) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serveStream(engine, {
      input: socket,
      output: socket,
      frontEnd: identify,
      close: (isPatient) => leave(socket, isPatient, engine.clock),
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port: options.port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    address: { host: HOST, port: typeof address === 'object' && address !== null ? address.port : 0 },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) leave(socket, true, engine.clock);
      }),
  };
}

/** Whatever is left is let go in the end: a peer that reads nothing and hangs on must not hold us (P9). */
function leave(socket: Socket, isPatient: boolean, clock: Clock): void {
  if (!isPatient) {
    socket.destroy();
    return;
  }
  socket.end();
  const timer = clock.setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.on('close', () => clock.clearTimeout(timer));
}
