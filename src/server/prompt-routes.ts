import { z } from 'zod';
import { OfPrompt, OfSession, PlainId, WaitMs } from '../api/parameters.ts';
import { PromptAccepted, PromptAnswer, PromptRequest } from '../api/prompt-schemas.ts';
import { TroupeError } from '../errors.ts';
import type { PromptOptions } from '../session/prompt-record.ts';
import type { Turn } from '../session/turn.ts';
import type { TurnResult } from '../session/turn-result.ts';
import { type App, callerOf, type ServerContext } from './app.ts';
import { knownSession, liveSession } from './known-session.ts';
import { problemOf } from './problem-reply.ts';
import { described } from './route-schema.ts';
import { within } from './within-time.ts';

const Headers = z.looseObject({ 'idempotency-key': PlainId.optional() });
const SteerRequest = PromptRequest.omit({ onBusy: true }).meta({ id: 'SteerRequest' });

/** Sending prompts, asking what became of them, taking them back. */
export function promptRoutes(app: App, { fleet, settings }: ServerContext): void {
  async function accepted(
    sessionId: string,
    { content, ...options }: z.infer<typeof PromptRequest>,
    facts: { readonly key: string | undefined; readonly from: string },
  ): Promise<z.infer<typeof PromptAccepted>> {
    const id = options.id ?? facts.key;
    const call: PromptOptions = { ...options, ...(id === undefined ? {} : { id }), from: facts.from };
    const live = liveSession(fleet, sessionId);
    const turn = live.session.prompt(content, call);
    await turn.accepted;
    const cursor = await live.cursorAt(turn.acceptedSeq - 1);
    return { promptId: turn.id, ...(cursor === undefined ? {} : { cursor }) };
  }

  app.post(
    '/v1/sessions/:id/prompts',
    {
      config: { scope: 'control' },
      schema: described('sendPrompt', 'Sends a prompt; answers when no crash can lose it any more (P2).', {
        tag: 'prompts',
        params: OfSession,
        headers: Headers,
        body: PromptRequest,
        response: { 202: PromptAccepted },
      }),
    },
    async (request, reply) => {
      const facts = { key: request.headers['idempotency-key'], from: callerOf(request).name };
      return reply.code(202).send(await accepted(request.params.id, request.body, facts));
    },
  );

  app.post(
    '/v1/sessions/:id/steer',
    {
      config: { scope: 'control' },
      schema: described('steer', 'Sends a prompt into the running turn.', {
        tag: 'prompts',
        params: OfSession,
        headers: Headers,
        body: SteerRequest,
        response: { 202: PromptAccepted },
      }),
    },
    async (request, reply) => {
      const facts = { key: request.headers['idempotency-key'], from: callerOf(request).name };
      return reply.code(202).send(await accepted(request.params.id, { ...request.body, onBusy: 'steer' }, facts));
    },
  );

  app.get(
    '/v1/sessions/:id/prompts/:promptId',
    {
      config: { scope: 'read' },
      schema: described('getPrompt', 'What became of a prompt; with waitMs it waits for the end.', {
        tag: 'prompts',
        params: OfPrompt,
        querystring: z.strictObject({ waitMs: WaitMs }),
        response: { 200: PromptAnswer },
      }),
    },
    async (request) => {
      const { id, promptId } = request.params;
      const turn = knownTurn(id, promptId);
      const result = await within(turn.result, request.query.waitMs, settings.clock);
      return { promptId, ...(result === undefined ? {} : shownResult(result)) };
    },
  );

  app.delete(
    '/v1/sessions/:id/prompts/:promptId',
    {
      config: { scope: 'control' },
      schema: described('cancelPrompt', 'Takes back a prompt that has not begun.', {
        tag: 'prompts',
        params: OfPrompt,
        response: { 200: z.strictObject({ cancelled: z.boolean() }) },
      }),
    },
    async (request) => {
      const { id, promptId } = request.params;
      knownTurn(id, promptId);
      return { cancelled: await knownSession(fleet, id).cancelPrompt(promptId) };
    },
  );

  app.post(
    '/v1/sessions/:id/doubts/:promptId',
    {
      config: { scope: 'control' },
      schema: described('resolveDoubt', 'Decides about a prompt that was cut off and could run twice.', {
        tag: 'prompts',
        params: OfPrompt,
        body: z.strictObject({ how: z.enum(['retry', 'fail']) }),
        response: { 204: z.null() },
      }),
    },
    async (request, reply) => {
      const { id, promptId } = request.params;
      if (!knownSession(fleet, id).doubts.resolve(promptId, request.body.how)) {
        const reason = 'It is not in doubt, any more or at all.';
        throw new TroupeError('PROMPT_NOT_FOUND', { reason, details: { id: promptId } });
      }
      return reply.code(204).send();
    },
  );

  function knownTurn(sessionId: string, promptId: string): Turn {
    const turn = knownSession(fleet, sessionId).turn(promptId);
    if (turn === undefined) throw new TroupeError('PROMPT_NOT_FOUND', { details: { id: promptId } });
    return turn;
  }
}

function shownResult({ error, ...result }: TurnResult): Record<string, unknown> {
  return { ...result, ...(error === undefined ? {} : { error: problemOf(error) }) };
}
