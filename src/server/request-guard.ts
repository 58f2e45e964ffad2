import type { FastifyRequest } from 'fastify';
import { TroupeError } from '../errors.ts';
import type { Access, Caller } from './access.ts';
import { type App, portOf, type ServerContext } from './app.ts';
import { assertHost, assertOrigin, assertOwnPage, LOOPBACK_HOSTS, type OriginRules } from './origin-rules.ts';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Checks each request before anything of its body is read: host, origin, who asks, and whether they may. */
export function guardRequests(app: App, { access, settings, closing }: ServerContext): void {
  const rules: OriginRules = {
    hosts: [...LOOPBACK_HOSTS, ...settings.allowedHosts],
    origins: settings.allowedOrigins,
    scheme: settings.behindTlsProxy ? 'https' : 'http',
  };
  const refusals = app.createRateLimit({ max: settings.limits.maxRefusalsPerMinute, timeWindow: 60_000 });

  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    if (closing.aborted) throw new TroupeError('SERVER_CLOSING');
    assertOneHost(request.raw.rawHeaders);
    assertHost(request.headers, rules);
    assertOrigin(request.headers, rules);
    const needed = request.routeOptions.config.scope ?? 'control';
    // Of an address that is not there a stranger hears nothing.
    if (needed === 'open' && !request.is404) return;
    const caller = identify(request, access);
    if (caller === undefined) {
      await countRefusal(refusals, request);
      throw new TroupeError('UNAUTHENTICATED');
    }
    if (caller.by === 'cookie' && !SAFE_METHODS.includes(request.method)) assertOwnPage(request.headers);
    if (!request.is404 && needed !== 'open' && !caller.scopes.includes(needed))
      throw new TroupeError('SCOPE_MISSING', { details: { scope: needed } });
    request.caller = caller;
  });
}

/** Of two the proxy in front may have believed the other one. */
function assertOneHost(rawHeaders: readonly string[]): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new TroupeError('REQUEST_INVALID', { reason: 'It names more than one host.' });
}

type Refusals = ReturnType<App['createRateLimit']>;

/** Throws RATE_LIMITED after too many. A token that is right always gets in: otherwise any local program could lock its owner out. */
export async function countRefusal(refusals: Refusals, request: FastifyRequest): Promise<void> {
  const limit = await refusals(request);
  if (limit.isAllowed || !limit.isExceeded) return;
  throw new TroupeError('RATE_LIMITED', { details: { retryAfterSeconds: limit.ttlInSeconds } });
}

/** Of its port: browsers send the cookies of all ports of a host to each of them. */
export function cookieName(request: FastifyRequest): string {
  return `troupe-${portOf(request.server)}`;
}

function identify(request: FastifyRequest, access: Access): Caller | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, token] = /^Bearer +([\x21-\x7e]{1,500}) *$/i.exec(authorization) ?? [];
    return token === undefined ? undefined : access.byToken(token);
  }
  const cookie = request.cookies[cookieName(request)];
  return cookie === undefined || cookie.length > 500 ? undefined : access.byCookie(cookie);
}
