import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import websocket from '@fastify/websocket';
import fastify, { type FastifySerializerCompiler } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { TroupeError } from '../errors.ts';
import { measureFleet } from '../telemetry/fleet-metrics.ts';
import { Access, newToken, SCOPES, type Token } from './access.ts';
import { type App, portOf, type ServerContext } from './app.ts';
import { commandRoutes } from './command-routes.ts';
import { dashboardRoutes } from './dashboard-routes.ts';
import { frontEndEngine } from './front-end-engine.ts';
import { healthRoutes } from './health-routes.ts';
import { takeJsonBodies } from './json-body.ts';
import { LiveFleet } from './live-fleet.ts';
import { loginRoutes } from './login-routes.ts';
import { lookRoutes } from './look-routes.ts';
import { metricsRoute } from './metrics-route.ts';
import { describeRoutes, openApiRoute } from './open-api.ts';
import { permissionRoutes } from './permission-routes.ts';
import { refuseBytes, routeNotFound, sendProblem } from './problem-reply.ts';
import { promptRoutes } from './prompt-routes.ts';
import { guardRequests } from './request-guard.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { parseServerOptions, type ServerOptions, type ServerSettings } from './server-options.ts';
import { sessionRoutes } from './session-routes.ts';
import { socketRoute } from './socket-route.ts';
import { streamRoutes } from './stream-routes.ts';
import { supervisorRoutes } from './supervisor-routes.ts';
import { listenForFrontEnds, type TcpFrontEnds } from './tcp-front-ends.ts';
import { tokensOf } from './token-file.ts';
import { within } from './within-time.ts';

/** A server that listens. */
export interface Server extends AsyncDisposable {
  /** Where it is reached: `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly address: { readonly host: string; readonly port: number };
  /** Where front ends speak JSON-RPC over TCP (`tcpPort`); undefined where they do not. */
  readonly tcpAddress: { readonly host: string; readonly port: number } | undefined;
  /** The first of its tokens; whoever has it may do what its scopes say. */
  readonly token: string;
  /** An address that logs a browser in, once, as the holder of that token, by default of the first. */
  loginUrl(name?: string): string;
  /**
   * Takes no more requests, tells the streams `server.closing`, lets what runs end for `timeouts.closeMs` and cuts the rest.
   * The sessions go on: they belong to the supervisor. Idempotent.
   */
  close(): Promise<void>;
}

/** A server that was put together and does not listen yet. */
export interface AssembledServer {
  readonly app: App;
  readonly context: ServerContext;
  readonly tokens: readonly Token[];
  close(): Promise<void>;
}

/**
 * Serves the sessions of a supervisor: HTTP, event streams, WebSocket and dashboard. Resolves when it listens. Rejects with
 * INVALID_OPTIONS, TOKEN_FILE_UNSAFE, or what the system says of the address.
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const settings = parseServerOptions(options);
  const { app, context, tokens, close: closeHttp } = await assembleServer(settings, options.supervisor);
  let frontEnds: TcpFrontEnds | undefined;
  const close = async () => {
    const httpClosed = closeHttp();
    await Promise.all([httpClosed, frontEnds?.close()]);
  };
  try {
    await app.listen({ host: settings.host, port: settings.port });
    frontEnds = await listenedOn(settings, context);
  } catch (error) {
    await close();
    throw error;
  }
  const port = portOf(app);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = `http://${host}:${port}`;
  return {
    url,
    address: { host: settings.host, port },
    tcpAddress: frontEnds?.address,
    token: tokens[0]?.token ?? '',
    loginUrl: (name) => `${url}/login?token=${context.access.issueCode(name)}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Puts the server together without listening: for tests, and for those who bring their own way to listen. `serializer`: how an
 * answer becomes text; by default it is not checked against its schema.
 */
export async function assembleServer(
  settings: ServerSettings,
  supervisor: ServerContext['supervisor'],
  serializer: FastifySerializerCompiler<unknown> = () => (data) => JSON.stringify(data),
): Promise<AssembledServer> {
  const tokens = await chosenTokens(settings);
  const closing = new AbortController();
  const access = new Access({ tokens, now: () => settings.clock.now() });
  const fleet = new LiveFleet(supervisor);
  const metrics = measureFleet(supervisor);
  const engine = frontEndEngine(supervisor, settings);
  closing.signal.addEventListener('abort', () => engine.close(), { once: true });
  const context: ServerContext = { supervisor, fleet, metrics, engine, settings, access, closing: closing.signal };
  const app = newApp(settings);
  // What the library says is JSON already; that it is what the document says is a matter of the tests.
  app.setSerializerCompiler(serializer);
  await addSecurityHeaders(app, settings.behindTlsProxy);
  await app.register(cookie);
  await app.register(rateLimit, { global: false });
  await app.register(websocket, { options: { maxPayload: settings.limits.maxBodyBytes } });
  takeJsonBodies(app, settings.limits.maxBodyDepth);
  guardRequests(app, context);
  await describeRoutes(app);
  for (const routes of [
    healthRoutes,
    metricsRoute,
    loginRoutes,
    sessionRoutes,
    promptRoutes,
    commandRoutes,
    lookRoutes,
    permissionRoutes,
    supervisorRoutes,
    streamRoutes,
    socketRoute,
    openApiRoute,
  ])
    app.register(async (inner: App) => routes(inner, context));
  await app.register(async (inner: App) => dashboardRoutes(inner, context));
  await app.ready();
  app.server.maxConnections = settings.limits.maxConnections;
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeGracefully(app, closing, settings).finally(() => {
      metrics.close();
      fleet.close();
    });
    return closed;
  };
  return { app, context, tokens, close };
}

async function listenedOn(
  { tcpPort, limits }: ServerSettings,
  { engine, access }: ServerContext,
): Promise<TcpFrontEnds | undefined> {
  if (tcpPort === undefined) return undefined;
  return listenForFrontEnds({ engine, access, port: tcpPort, maxConnections: limits.maxStreams });
}

async function chosenTokens({ tokens, tokenFile }: ServerSettings): Promise<readonly Token[]> {
  if (tokens !== undefined) return tokens;
  if (tokenFile !== undefined) return tokensOf(tokenFile);
  return [{ name: 'owner', token: newToken(), scopes: SCOPES }];
}

function newApp(settings: ServerSettings): App {
  const { limits, timeouts } = settings;
  const app = fastify({
    logger: false,
    bodyLimit: limits.maxBodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: 5_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_500 },
    http: { maxHeaderSize: limits.maxHeaderBytes, headersTimeout: timeouts.requestMs },
    frameworkErrors: (error, { headers, raw }, reply) => {
      // No hook runs for an address that cannot be read, and nobody else ends the connection of an upgrade (P5).
      if (headers.upgrade !== undefined) reply.raw.once('finish', () => raw.socket.destroySoon());
      void sendProblem(reply, error, settings);
    },
    clientErrorHandler: refuseBytes,
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, settings));
  app.setNotFoundHandler((request, reply) => sendProblem(reply, routeNotFound(request), settings));
  return app;
}

async function closeGracefully(app: App, closing: AbortController, { timeouts, clock }: ServerSettings): Promise<void> {
  closing.abort(new TroupeError('SERVER_CLOSING'));
  const ended = app.close().then(() => true);
  if ((await within(ended, timeouts.closeMs, clock)) === true) return;
  app.server.closeAllConnections();
  await ended;
}
