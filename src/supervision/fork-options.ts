import { TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { ModeName } from '../session/call-options.ts';
import type { BuiltSession } from './session-factory.ts';

/** What is decided by the fork itself. */
const DECIDED = ['resume', 'continue', 'forkSession'] as const satisfies readonly (keyof SessionOptions)[];

/**
 * The options of a session that goes on with a copy of that one's conversation: those of that one as it is now, since model, mode
 * and MCP servers may have been changed, and before them those that are given. Throws FORK_REFUSED or INVALID_OPTIONS.
 */
export function forkOptions(built: BuiltSession, given: SessionOptions): SessionOptions {
  const { session, options } = built;
  const decided = DECIDED.find((field) => given[field] !== undefined);
  if (decided !== undefined) {
    const reason = 'is decided by the fork itself';
    throw new TroupeError('INVALID_OPTIONS', {
      reason: `"${decided}" ${reason}.`,
      details: { field: decided, reason, issues: [{ field: decided, reason }] },
    });
  }
  const refuse = (why: string, reason: string) =>
    new TroupeError('FORK_REFUSED', { reason, details: { id: session.id, why } });
  if (session.groups.length > 0) throw refuse('group-member', 'It is a member of a group.');
  if (options.persistSession === false)
    throw refuse('not-kept', 'Nothing is kept of its conversation (persistSession).');
  const { conversationId } = session;
  // One that resumed and has not spoken since is where the other one was.
  const resume = conversationId ?? options.resume;
  if (resume === undefined) throw refuse('no-conversation', 'It has no conversation before its first turn.');
  return { ...asItIsNow(built, conversationId === undefined), ...given, resume, forkSession: true };
}

/** Without what says which session or conversation it is, and what belongs to the one call that started it. */
function asItIsNow({ options, core, servers }: BuiltSession, isWhereItBegan: boolean): SessionOptions {
  const { id: _id, sessionId: _named, resume: _from, continue: _latest, ...former } = options;
  const { signal: _signal, abortController: _controller, resumeSessionAt, resumeDropsTurn, ...own } = former;
  const { model: _model, ...withoutModel } = own;
  const { model, permissionMode, mcpServers } = core.settings;
  const mode = ModeName.safeParse(permissionMode).data;
  const mayRule = mode !== undefined && (mode !== 'bypassPermissions' || own.allowDangerouslySkipPermissions === true);
  return {
    ...(model === undefined ? own : withoutModel),
    ...(typeof model === 'string' ? { model } : {}),
    ...(mayRule ? { permissionMode: mode } : {}),
    ...(mcpServers === undefined ? {} : { mcpServers: servers.servers }),
    ...(isWhereItBegan && resumeSessionAt !== undefined ? { resumeSessionAt } : {}),
    ...(isWhereItBegan && resumeDropsTurn !== undefined ? { resumeDropsTurn } : {}),
  };
}
