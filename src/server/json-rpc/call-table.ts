import type { z } from 'zod';
import { TroupeError } from '../../errors.ts';
import { parsePromptContent } from '../../session/prompt-content.ts';
import type { Session } from '../../session/session.ts';
import type { TurnResult } from '../../session/turn-result.ts';
import * as calls from './calls.ts';
import type { EngineConnection } from './engine-connection.ts';
import type { Scope } from './front-end-link.ts';
import { assertNamed } from './front-end-parts.ts';

interface Method {
  readonly needs: Scope;
  readonly run: (params: unknown) => unknown;
}

/** The methods that a front end may call once it has said `initialize`. */
export function callTable(connection: EngineConnection): Readonly<Record<string, Method>> {
  const method = <T extends z.ZodType>(needs: Scope, schema: T, run: (params: z.infer<T>) => unknown): Method => ({
    needs,
    run: (params) => run(connection.parse(schema, params)),
  });
  return {
    user_message: method('control', calls.UserMessageParams, (params) => userMessage(connection, params)),
    interrupt: method('control', calls.InterruptParams, async (params) => {
      // A message that came before it on the same connection is stopped, also while its session is only starting.
      await Promise.allSettled(connection.taking);
      const session = sessionOf(connection, params?.session_id);
      const receipt = await session.interrupt({ cancelQueued: params?.cancel_queued === true });
      return { effect: receipt.effect, cancelled: receipt.cancelled, still_queued: receipt.stillQueued };
    }),
    cancel: method('control', calls.CancelParams, async ({ session_id: id, prompt_id: promptId }) => ({
      cancelled: await sessionOf(connection, id).cancelPrompt(promptId),
    })),
    session_start: method('control', calls.StartParams, async ({ session_id: id, options }) => {
      const session = await connection.engine.start(connection.starting, id ?? undefined, options ?? {});
      connection.sessionId ??= session.id;
      connection.attach(session);
      return summaryOf(session);
    }),
    session_attach: method('read', calls.AttachParams, ({ session_id: id, from }) => {
      const session = connection.engine.session(id);
      connection.attach(session, from ?? undefined);
      connection.sessionId ??= id;
      return summaryOf(session);
    }),
    session_detach: method('read', calls.DetachParams, ({ session_id: id }) => ({ detached: connection.detach(id) })),
    mcp_message: method('control', calls.McpMessageParams, ({ server_name: name, message }) => {
      assertNamed(connection.relays, name).hear(message);
      return {};
    }),
    session_list: method('read', calls.ListParams, () => ({ sessions: connection.engine.list().map(summaryOf) })),
  };
}

/** The answer comes when the turn has ended, behind everything that was told of it. */
async function userMessage(connection: EngineConnection, params: z.infer<typeof calls.UserMessageParams>) {
  const taking = takeMessage(connection, params);
  connection.taking.add(taking);
  const { session, attachment, turn } = await taking.finally(() => connection.taking.delete(taking));
  await turn.accepted;
  const result = await turn.result;
  await attachment.caughtUp();
  return { ...resultOf(result), session_id: session.id, prompt_id: turn.id };
}

async function takeMessage(connection: EngineConnection, params: z.infer<typeof calls.UserMessageParams>) {
  const content = parsePromptContent(params.content);
  const id = params.session_id ?? connection.sessionId;
  const session = await connection.engine.sessionOrNew(connection.starting, id);
  connection.sessionId ??= session.id;
  const attachment = connection.attach(session);
  const turn = session.prompt(content, {
    ...(params.prompt_id ? { id: params.prompt_id } : {}),
    ...(params.on_busy ? { onBusy: params.on_busy } : {}),
  });
  return { session, attachment, turn };
}

function resultOf({ outcome, text, usage, costUsd, error }: TurnResult) {
  return {
    status: outcome,
    usage: {
      input_tokens: usage?.inputTokens,
      output_tokens: usage?.outputTokens,
      cache_read_input_tokens: usage?.cacheReadTokens,
      cache_creation_input_tokens: usage?.cacheCreationTokens,
    },
    text,
    cost_usd: costUsd,
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message, details: error.details } }),
  };
}

function sessionOf(connection: EngineConnection, given: string | null | undefined): Session {
  const id = given ?? connection.sessionId;
  if (id === undefined) throw new TroupeError('SESSION_NOT_FOUND', { reason: 'The call names none.' });
  return connection.engine.session(id);
}

function summaryOf(session: Session) {
  const { id, state, status } = session;
  return { session_id: id, state, status, seq: session.snapshot().seq, epoch: session.incarnation };
}
