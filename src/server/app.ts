import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { FleetMetrics } from '../telemetry/fleet-metrics.ts';
import type { Access, Caller, Scope } from './access.ts';
import type { Engine } from './json-rpc/engine.ts';
import type { LiveFleet } from './live-fleet.ts';
import type { ServerSettings } from './server-options.ts';

/** The server as its routes see it. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What every route may need. */
export interface ServerContext {
  readonly supervisor: Supervisor;
  readonly settings: ServerSettings;
  readonly access: Access;
  /** The sessions as clients see them. */
  readonly fleet: LiveFleet;
  /** What is measured of them. */
  readonly metrics: FleetMetrics;
  /** For front ends that speak JSON-RPC. */
  readonly engine: Engine;
  /** Fires when the server closes: streams say `server.closing` and end. */
  readonly closing: AbortSignal;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token must allow; a route that does not say needs `control`. `open`: anybody. */
    scope?: Scope | 'open';
  }
  interface FastifyRequest {
    /** Who asks; undefined on open routes. */
    caller: Caller | undefined;
  }
}

/** Who asks. A route with a scope is reached by nobody else. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('An open route asked who calls it.');
  return request.caller;
}

/** Where the server listens; 0 while it does not. */
export function portOf(app: Pick<App, 'addresses'>): number {
  const [address] = app.addresses();
  return typeof address === 'object' ? address.port : 0;
}
