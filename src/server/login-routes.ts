import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { TroupeError } from '../errors.ts';
import { type App, callerOf, type ServerContext } from './app.ts';
import { cookieName, countRefusal } from './request-guard.ts';
import { described } from './route-schema.ts';

const Given = z.string().min(1).max(500);

/** How a browser comes by its cookie, and gets rid of it. */
export function loginRoutes(app: App, { access, settings }: ServerContext): void {
  const refusals = app.createRateLimit({ max: settings.limits.maxRefusalsPerMinute, timeWindow: 60_000 });

  async function login(given: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const made = access.login(given);
    if (made === undefined) {
      await countRefusal(refusals, request);
      throw new TroupeError('UNAUTHENTICATED', { reason: 'A login address works once; a token works always.' });
    }
    void reply.setCookie(cookieName(request), made.cookie, {
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: settings.behindTlsProxy,
      maxAge: made.maxAgeSeconds,
    });
  }

  app.get(
    '/login',
    {
      config: { scope: 'open' },
      schema: described('login', 'Logs a browser in by the address that was printed, which works once.', {
        tag: 'access',
        querystring: z.strictObject({ token: Given }),
        response: { 303: z.null() },
      }),
    },
    async (request, reply) => {
      await login(request.query.token, request, reply);
      // Elsewhere at once: the address must not stay where it can be read.
      return reply.code(303).header('location', '/').send();
    },
  );

  app.post(
    '/login',
    {
      config: { scope: 'open' },
      schema: described('loginByToken', 'Logs a browser in by a token.', {
        tag: 'access',
        body: z.strictObject({ token: Given }),
        response: { 204: z.null() },
      }),
    },
    async (request, reply) => {
      await login(request.body.token, request, reply);
      return reply.code(204).send();
    },
  );

  app.post(
    '/logout',
    {
      config: { scope: 'read' },
      schema: described('logout', 'Takes the cookie of a browser away; it counts no more.', {
        tag: 'access',
        response: { 204: z.null() },
      }),
    },
    async (request, reply) => {
      const cookie = request.cookies[cookieName(request)];
      if (cookie !== undefined && callerOf(request).by === 'cookie') access.revoke(cookie);
      void reply.clearCookie(cookieName(request), { path: '/' });
      return reply.code(204).send();
    },
  );

  app.get(
    '/v1/me',
    {
      config: { scope: 'read' },
      schema: described('whoAmI', 'Who asks, and what they may.', {
        tag: 'access',
        response: { 200: z.strictObject({ name: z.string(), scopes: z.array(z.string()) }) },
      }),
    },
    async (request) => {
      const { name, scopes } = callerOf(request);
      return { name, scopes: [...scopes] };
    },
  );
}
