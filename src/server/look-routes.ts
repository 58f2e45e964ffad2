import { z } from 'zod';
import { OfSession, PageLimit } from '../api/parameters.ts';
import { EventAnswer, Facts } from '../api/session-answers.ts';
import type { App, ServerContext } from './app.ts';
import { eventPage } from './event-page.ts';
import { eventsOf, knownSession } from './known-session.ts';
import { described } from './route-schema.ts';

/** What a session is, was, and will do. */
export function lookRoutes(app: App, { fleet }: ServerContext): void {
  const session = (id: string) => knownSession(fleet, id);

  app.get(
    '/v1/sessions/:id/explain',
    {
      config: { scope: 'read' },
      schema: described('explain', 'Why the session is where it is, and what would move it on.', {
        tag: 'sessions',
        params: OfSession,
        response: { 200: Facts },
      }),
    },
    async (request) => session(request.params.id).explain(),
  );

  app.get(
    '/v1/sessions/:id/history',
    {
      config: { scope: 'read' },
      schema: described('history', 'The state changes of the session, oldest first.', {
        tag: 'sessions',
        params: OfSession,
        response: { 200: z.strictObject({ history: z.array(Facts) }) },
      }),
    },
    async (request) => ({ history: [...session(request.params.id).history()] }),
  );

  app.get(
    '/v1/sessions/:id/turns',
    {
      config: { scope: 'read' },
      schema: described('turns', 'The newest turns, oldest first, with what each used.', {
        tag: 'sessions',
        params: OfSession,
        response: { 200: z.strictObject({ turns: z.array(Facts) }) },
      }),
    },
    async (request) => ({ turns: [...session(request.params.id).turns()] }),
  );

  app.get(
    '/v1/sessions/:id/snapshot',
    {
      config: { scope: 'read' },
      schema: described('snapshot', 'The state of everything in the session, at this moment.', {
        tag: 'sessions',
        params: OfSession,
        response: { 200: Facts },
      }),
    },
    async (request) => session(request.params.id).snapshot(),
  );

  app.get(
    '/v1/sessions/:id/log',
    {
      config: { scope: 'read' },
      schema: described(
        'readLog',
        'The events of the log behind `after`, a page of them; also of a session that is over.',
        {
          tag: 'sessions',
          params: OfSession,
          querystring: z.strictObject({ after: z.coerce.number().int().min(0).default(0), limit: PageLimit }),
          response: {
            200: z.strictObject({ events: z.array(EventAnswer), next: z.int().optional() }),
          },
        },
      ),
    },
    async (request, reply) => {
      const { after, limit } = request.query;
      return reply
        .type('application/json')
        .send(await eventPage(eventsOf(fleet, request.params.id, after), { after, limit }));
    },
  );
}
