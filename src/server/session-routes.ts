import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { OfSession, PageLimit, PlainId, WaitMs } from '../api/parameters.ts';
import { Facts, SessionAnswer, SessionPage } from '../api/session-answers.ts';
import { SessionRequest } from '../api/session-request.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { Session } from '../session/session.ts';
import { type App, callerOf, type ServerContext } from './app.ts';
import { endOf } from './command-routes.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { knownSession, viewOf } from './known-session.ts';
import { described } from './route-schema.ts';
import { pageOf } from './session-page.ts';
import { forkOptionsOf, sessionOptionsOf } from './session-start.ts';

const Query = z.strictObject({
  state: z.string().max(50).optional(),
  status: z.enum(['idle', 'running', 'requires_action']).optional(),
  key: z.string().max(500).optional(),
  search: z.string().max(200).optional(),
  limit: PageLimit,
  cursor: z
    .string()
    .max(200)
    .regex(/^\d{1,9}~[A-Za-z0-9._:-]+$/, 'must be the `next` of a page before')
    .optional(),
});

const Headers = z.looseObject({ 'idempotency-key': PlainId.optional() });

/** Starting, finding and ending sessions. */
export function sessionRoutes(app: App, { supervisor, fleet, settings }: ServerContext): void {
  const keys = new IdempotencyKeys(settings.limits.maxIdempotencyKeys);

  app.post(
    '/v1/sessions',
    {
      config: { scope: 'control' },
      schema: described('startSession', 'Starts a session; answers when it is ready, or with wait=false at once.', {
        tag: 'sessions',
        querystring: z.strictObject({ wait: z.enum(['true', 'false']).default('true') }),
        headers: Headers,
        // Checked in the handler, which knows what this server opens; here it is only what the document says.
        body: z.looseObject({}),
        documentedBody: SessionRequest,
        response: { 201: SessionAnswer, 202: SessionAnswer },
      }),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { wait } = request.query;
      const key = request.headers['idempotency-key'];
      const session = await keys.once(
        key === undefined ? undefined : `${caller.name} ${key}`,
        [wait, request.body],
        async () => {
          const options = await sessionOptionsOf(request.body, caller, settings);
          return wait === 'true' ? supervisor.start(options) : begun(options);
        },
      );
      void reply.header('location', `/v1/sessions/${encodeURIComponent(session.id)}`);
      return reply.code(wait === 'true' ? 201 : 202).send(await viewOf(fleet, session.id));
    },
  );

  app.post(
    '/v1/sessions/:id/fork',
    {
      config: { scope: 'control' },
      schema: described('fork', 'Starts another session that goes on with a copy of the conversation.', {
        tag: 'sessions',
        params: OfSession,
        headers: Headers,
        // As with a start.
        body: z.looseObject({}).nullish(),
        documentedBody: SessionRequest.omit({ resume: true, continue: true, forkSession: true }),
        response: { 201: SessionAnswer },
      }),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { id } = request.params;
      const key = request.headers['idempotency-key'];
      const body = request.body ?? {};
      const fork = await keys.once(key === undefined ? undefined : `${caller.name} ${key}`, [id, body], async () => {
        const session = knownSession(fleet, id);
        return session.fork(await forkOptionsOf(body, caller, settings));
      });
      void reply.header('location', `/v1/sessions/${encodeURIComponent(fork.id)}`);
      return reply.code(201).send(await viewOf(fleet, fork.id));
    },
  );

  /** As soon as it is registered. What goes wrong later is told by its events. */
  async function begun(options: SessionOptions): Promise<Session> {
    const id = options.id ?? `session-${randomUUID()}`;
    let stop = () => {};
    const registered = new Promise<void>((resolve) => {
      stop = supervisor.on('event', (event) => {
        if ('sessionId' in event && event.sessionId === id) resolve();
      });
    });
    const starting = supervisor.start({ ...options, id });
    // Whoever does not wait for it reads its events instead.
    starting.catch(() => {});
    try {
      await Promise.race([starting, registered]);
    } finally {
      stop();
    }
    return supervisor.session(id) ?? starting;
  }

  app.get(
    '/v1/sessions',
    {
      config: { scope: 'read' },
      schema: described(
        'listSessions',
        'The sessions in order of start, those that ended not long ago among them, page by page.',
        {
          tag: 'sessions',
          querystring: Query,
          response: { 200: SessionPage },
        },
      ),
    },
    async (request) => {
      const { limit, cursor, ...filter } = request.query;
      return pageOf(fleet.summaries(), filter, { limit, after: cursor });
    },
  );

  app.get(
    '/v1/stored',
    {
      config: { scope: 'read' },
      schema: described('listStored', 'Every session that the store keeps, also those that are over.', {
        tag: 'sessions',
        querystring: z.strictObject({ limit: PageLimit, skip: z.coerce.number().int().min(0).max(1e9).default(0) }),
        response: { 200: z.strictObject({ sessions: z.array(Facts), next: z.int().optional() }) },
      }),
    },
    async (request) => {
      const { limit, skip } = request.query;
      const sessions = [];
      let position = 0;
      for await (const stored of supervisor.stored()) {
        if (sessions.length >= limit) return { sessions, next: position };
        position += 1;
        if (position > skip) sessions.push(stored);
      }
      return { sessions };
    },
  );

  app.get(
    '/v1/sessions/:id',
    {
      config: { scope: 'read' },
      schema: described('getSession', 'What is known of a session.', {
        tag: 'sessions',
        params: OfSession,
        response: { 200: SessionAnswer },
      }),
    },
    async (request) => viewOf(fleet, request.params.id),
  );

  app.delete(
    '/v1/sessions/:id',
    {
      config: { scope: 'control' },
      schema: described('endSession', 'Ends a session and its process tree.', {
        tag: 'sessions',
        params: OfSession,
        querystring: z.strictObject({
          mode: z.enum(['close', 'kill']).default('close'),
          waitMs: WaitMs.default(30_000),
        }),
        response: { 200: z.looseObject({ ended: z.looseObject({ reason: z.string() }) }), 202: z.looseObject({}) },
      }),
    },
    async (request, reply) => {
      const { mode, waitMs } = request.query;
      const session = knownSession(fleet, request.params.id);
      return endOf(session, mode, { waitMs, clock: settings.clock }, reply);
    },
  );
}
