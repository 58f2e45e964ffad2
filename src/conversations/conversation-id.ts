import { TroupeError } from '../errors.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Letters, digits, `_` and `-`, as the CLI makes them; nothing that could leave a folder or hide in it. */
const AGENT_ID = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/;

/** True for the id of a conversation. Nothing else ever becomes part of a path. */
export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** True for the id of a subagent. Nothing else ever becomes part of a path. */
export function isAgentId(value: unknown): value is string {
  return typeof value === 'string' && AGENT_ID.test(value) && !value.includes('..');
}

/** Throws INVALID_OPTIONS for what is no id of a conversation, before any path is built from it. */
export function requireConversationId(value: unknown, field = 'sessionId'): string {
  if (isConversationId(value)) return value;
  const reason = 'must be a UUID';
  throw new TroupeError('INVALID_OPTIONS', {
    reason: `${field}: ${reason}.`,
    details: { field, reason, issues: [{ field, reason }] },
  });
}

/** The error for a conversation that has no transcript where it was looked for. */
export function conversationNotFound(sessionId: string, dir: string | undefined): TroupeError {
  const place = dir === undefined ? 'in any project' : 'in the project of that directory';
  return new TroupeError('CONVERSATION_NOT_FOUND', {
    reason: `There is no transcript of ${sessionId} ${place}.`,
    details: { sessionId, dir },
  });
}
