import type { FakeCli } from './fake-cli.ts';
import type { JsonObject } from './scenario.ts';
import type { Turn } from './turn.ts';

/** What the hooks of one event decided; the last answer that says something counts. */
export interface Verdict {
  readonly decision?: string;
  readonly reason?: unknown;
  readonly updatedInput?: JsonObject;
}

/** Calls every hook the host registered for the event whose matcher fits, all at once (WIRE §7). */
export async function callHooks(cli: FakeCli, event: string, input: JsonObject, turn: Turn): Promise<Verdict> {
  const registered = cli.hooks[event];
  if (!Array.isArray(registered)) return {};
  const toolName = typeof input.tool_name === 'string' ? input.tool_name : undefined;
  const fitting = registered.filter((entry: JsonObject) => fits(entry.matcher, toolName));
  const calls = fitting.flatMap((entry: JsonObject) =>
    (entry.hookCallbackIds as string[]).map((callbackId) => call(cli, callbackId, event, input, turn)),
  );
  const verdicts = await Promise.all(calls);
  return Object.assign({}, ...verdicts) as Verdict;
}

async function call(cli: FakeCli, callbackId: string, event: string, input: JsonObject, turn: Turn): Promise<Verdict> {
  const facts = { session_id: cli.sessionId, transcript_path: '', cwd: process.cwd(), hook_event_name: event };
  const answer = await cli.own.send(
    {
      subtype: 'hook_callback',
      callback_id: callbackId,
      input: { ...facts, permission_mode: cli.permissionMode, ...input },
      ...(input.tool_use_id === undefined ? {} : { tool_use_id: input.tool_use_id }),
    },
    { owner: turn },
  );
  // A hook that fails is ignored: the CLI fails open (WIRE §7).
  if (answer.kind !== 'success') return {};
  const specific = (answer.payload.hookSpecificOutput ?? {}) as JsonObject;
  const decision = specific.permissionDecision ?? answer.payload.decision;
  const reason = specific.permissionDecisionReason ?? answer.payload.reason;
  return {
    ...(typeof decision === 'string' ? { decision } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(specific.updatedInput === undefined ? {} : { updatedInput: specific.updatedInput as JsonObject }),
  };
}

function fits(matcher: unknown, toolName: string | undefined): boolean {
  if (typeof matcher !== 'string' || matcher === '' || matcher === '*' || toolName === undefined) return true;
  return new RegExp(`^(?:${matcher})$`, 'u').test(toolName);
}
