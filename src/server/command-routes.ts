import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { OfSession, WaitMs } from '../api/parameters.ts';
import { Facts, SessionAnswer } from '../api/session-answers.ts';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import type { App, ServerContext } from './app.ts';
import { knownSession, viewOf } from './known-session.ts';
import { problemOf } from './problem-reply.ts';
import { described } from './route-schema.ts';
import { within } from './within-time.ts';

/**
 * What may be asked of the CLI over HTTP: it reads, or changes what a prompt could change, too. The others can start programs,
 * read files or lift questions: a server opens them one by one (`openControls`).
 */
export const OPEN_CONTROLS: readonly string[] = [
  'background_tasks',
  'get_binary_version',
  'get_context_usage',
  'get_session_cost',
  'get_task_output',
  'get_usage',
  'list_models',
  'list_permission_rules',
  'mcp_reconnect',
  'mcp_status',
  'mcp_toggle',
  'rename_session',
  'rewind_files',
  'set_color',
  'set_max_thinking_tokens',
  'stop_task',
];

const Interrupt = z.strictObject({ cancelQueued: z.boolean().exactOptional() });
const Ended = z.looseObject({ ended: z.looseObject({ reason: z.string() }) });

/** What else can be done to a session. */
export function commandRoutes(app: App, { fleet, settings }: ServerContext): void {
  const session = (id: string) => knownSession(fleet, id);
  const { clock } = settings;

  app.post(
    '/v1/sessions/:id/interrupt',
    {
      config: { scope: 'control' },
      schema: described('interrupt', 'Stops the running turn; answers when it has ended.', {
        tag: 'sessions',
        params: OfSession,
        body: Interrupt.nullish(),
        documentedBody: Interrupt,
        response: { 200: Facts },
      }),
    },
    async (request) => session(request.params.id).interrupt(request.body ?? {}),
  );

  for (const mode of ['close', 'kill'] as const) {
    app.post(
      `/v1/sessions/:id/${mode}`,
      {
        config: { scope: 'control' },
        schema: described(
          `${mode}Session`,
          mode === 'close' ? 'Asks a session to leave.' : 'Ends a session by force.',
          {
            tag: 'sessions',
            params: OfSession,
            querystring: z.strictObject({ waitMs: WaitMs.default(30_000) }),
            response: { 200: Ended, 202: Facts },
          },
        ),
      },
      async (request, reply) => endOf(session(request.params.id), mode, { waitMs: request.query.waitMs, clock }, reply),
    );
  }

  app.post(
    '/v1/sessions/:id/hibernate',
    {
      config: { scope: 'control' },
      schema: described('hibernate', 'Ends the process and keeps the session.', {
        tag: 'sessions',
        params: OfSession,
        response: { 200: SessionAnswer },
      }),
    },
    async (request) => {
      const known = session(request.params.id);
      await known.hibernate();
      return viewOf(fleet, known.id);
    },
  );

  app.post(
    '/v1/sessions/:id/restart',
    {
      config: { scope: 'control' },
      schema: described('restart', 'Starts it again: after a quarantine, in a backoff, out of hibernation.', {
        tag: 'sessions',
        params: OfSession,
        response: { 202: SessionAnswer },
      }),
    },
    async (request, reply) => {
      const known = session(request.params.id);
      known.restart();
      return reply.code(202).send(await viewOf(fleet, known.id));
    },
  );

  app.post(
    '/v1/sessions/:id/model',
    {
      config: { scope: 'control' },
      schema: described('setModel', 'Changes the model from the next turn on; null resets it.', {
        tag: 'sessions',
        params: OfSession,
        body: z.strictObject({ model: z.string().min(1).max(200).nullable() }),
        response: { 204: z.null() },
      }),
    },
    async (request, reply) => {
      await session(request.params.id).setModel(request.body.model ?? undefined);
      return reply.code(204).send();
    },
  );

  app.post(
    '/v1/sessions/:id/permission-mode',
    {
      config: { scope: 'control' },
      schema: described('setPermissionMode', 'Changes the permission mode, and says which is in effect.', {
        tag: 'sessions',
        params: OfSession,
        body: z.strictObject({ mode: z.string().min(1).max(100) }),
        response: { 200: z.strictObject({ mode: z.string() }) },
      }),
    },
    async (request) => session(request.params.id).setPermissionMode(request.body.mode),
  );

  app.post(
    '/v1/sessions/:id/budget',
    {
      config: { scope: 'control' },
      schema: described('raiseBudget', 'Adds to what the session may spend.', {
        tag: 'sessions',
        params: OfSession,
        body: z.strictObject({
          usd: z.number().positive().exactOptional(),
          tokens: z.int().min(1).exactOptional(),
          turns: z.int().min(1).exactOptional(),
        }),
        response: { 204: z.null() },
      }),
    },
    async (request, reply) => {
      session(request.params.id).raiseBudget(request.body);
      return reply.code(204).send();
    },
  );

  app.post(
    '/v1/sessions/:id/control',
    {
      config: { scope: 'control' },
      schema: described('control', 'Sends a control request to the CLI.', {
        tag: 'sessions',
        params: OfSession,
        body: z.strictObject({
          subtype: z.string().min(1).max(200),
          payload: z.record(z.string(), z.unknown()).default({}),
          timeoutMs: z.int().min(1).max(600_000).exactOptional(),
        }),
        response: { 200: Facts },
      }),
    },
    async (request) => {
      const { subtype, payload, ...options } = request.body;
      if (!OPEN_CONTROLS.includes(subtype) && !settings.openControls.includes(subtype)) {
        const reason = `The control request "${subtype.slice(0, 100)}": see openControls of the server.`;
        throw new TroupeError('OPTION_NOT_OPEN', { reason, details: { field: 'body.subtype' } });
      }
      return session(request.params.id).control(subtype, payload, options);
    },
  );
}

/** Ends a session and answers with how it ended, or that it is still on its way. */
export async function endOf(
  session: Session,
  mode: 'close' | 'kill',
  { waitMs, clock }: { readonly waitMs: number; readonly clock: Clock },
  reply: FastifyReply,
): Promise<unknown> {
  void session[mode]();
  const ended = await within(session.ended, waitMs, clock);
  if (ended === undefined) return reply.code(202).send({});
  const { reason, error } = ended;
  return reply.code(200).send({ ended: { reason, ...(error === undefined ? {} : { error: problemOf(error) }) } });
}
