import { z } from 'zod';
import { PlainId, SessionId } from '../api/parameters.ts';
import { PermissionAnswer, PermissionQuestion } from '../api/permission-schemas.ts';
import { TroupeError } from '../errors.ts';
import type { PermissionAnswer as Answer } from '../permissions/permission-desk.ts';
import type { PermissionRequest } from '../permissions/permission-request.ts';
import type { Session } from '../session/session.ts';
import { type App, callerOf, type ServerContext } from './app.ts';
import { knownSession } from './known-session.ts';
import { described } from './route-schema.ts';

/** `<sessionId>~<requestId>`; with the query parameter `session` the id of the request alone will do. */
const OfQuestion = z.strictObject({ id: PlainId.max(400) });
const Where = z.strictObject({ session: SessionId.optional() });

/** The questions of all sessions, and their answers. */
export function permissionRoutes(app: App, { supervisor, fleet }: ServerContext): void {
  app.get(
    '/v1/permissions',
    {
      config: { scope: 'read' },
      schema: described('listPermissions', 'The open questions of all sessions, or of one, oldest first.', {
        tag: 'permissions',
        querystring: Where,
        response: { 200: z.strictObject({ permissions: z.array(PermissionQuestion) }) },
      }),
    },
    async (request) => {
      const { session } = request.query;
      if (session !== undefined) knownSession(fleet, session);
      const open = supervisor.inbox().filter(({ sessionId }) => session === undefined || sessionId === session);
      return { permissions: open.map((question) => shown(question.sessionId, question)) };
    },
  );

  app.get(
    '/v1/permissions/:id',
    {
      config: { scope: 'read' },
      schema: described('getPermission', 'A question, open or settled.', {
        tag: 'permissions',
        params: OfQuestion,
        querystring: Where,
        response: { 200: PermissionQuestion },
      }),
    },
    async (request) => {
      const { session, requestId } = named(request.params.id, request.query.session);
      const question = session.permissions.get(requestId);
      if (question === undefined) throw new TroupeError('PERMISSION_NOT_FOUND', { details: { id: requestId } });
      return shown(session.id, question);
    },
  );

  app.post(
    '/v1/permissions/:id',
    {
      config: { scope: 'answer' },
      schema: described(
        'answerPermission',
        'Answers a question. The first answer wins; a later one is told whose it was (409).',
        {
          tag: 'permissions',
          params: OfQuestion,
          querystring: Where,
          body: PermissionAnswer,
          response: { 200: PermissionQuestion },
        },
      ),
    },
    async (request) => {
      const { session, requestId } = named(request.params.id, request.query.session);
      assertNoBypass(request.body);
      // What the desk takes for an answer depends on the question: it checks.
      await session.permissions.answer(requestId, request.body as Answer, { by: callerOf(request).name });
      const question = session.permissions.get(requestId);
      if (question === undefined) throw new TroupeError('PERMISSION_NOT_FOUND', { details: { id: requestId } });
      return shown(session.id, question);
    },
  );

  /** Where the question lies. Throws SESSION_NOT_FOUND or PERMISSION_NOT_FOUND. */
  function named(id: string, sessionId: string | undefined): { readonly session: Session; readonly requestId: string } {
    if (sessionId !== undefined) {
      const requestId = id.startsWith(`${sessionId}~`) ? id.slice(sessionId.length + 1) : id;
      return { session: knownSession(fleet, sessionId), requestId };
    }
    const cut = id.indexOf('~');
    const session = cut < 0 ? undefined : fleet.get(id.slice(0, cut))?.session;
    if (session === undefined) {
      const reason = 'Say <sessionId>~<requestId>, or the session as a parameter of the query.';
      throw new TroupeError('PERMISSION_NOT_FOUND', { reason, details: { id } });
    }
    return { session, requestId: id.slice(cut + 1) };
  }
}

function shown(sessionId: string, question: PermissionRequest): Record<string, unknown> {
  return { ...question, sessionId, globalId: `${sessionId}~${question.id}` };
}

/** An answer to one question must not be the end of all questions. */
function assertNoBypass({ updatedPermissions = [] }: z.infer<typeof PermissionAnswer>): void {
  const lifts = updatedPermissions.some(({ type, mode }) => type === 'setMode' && mode === 'bypassPermissions');
  if (!lifts) return;
  throw new TroupeError('OPTION_NOT_OPEN', { details: { field: 'body.updatedPermissions' } });
}
