import { resolve } from 'node:path';
import { TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { currentHost } from './host.ts';
import type { BuiltSession } from './session-factory.ts';

/**
 * One writer for one conversation: nothing on the CLI's side would stop a second one (WIRE §12, R70). Throws
 * CONVERSATION_IN_USE, naming the session that has it.
 */
export function assertConversationFree(options: SessionOptions, sessions: Iterable<BuiltSession>): void {
  if (options.forkSession === true) return;
  const wanted = options.resume ?? options.sessionId;
  // A new conversation is nobody's: with a thousand sessions it would cost to ask each of them.
  if (wanted === undefined && options.continue !== true) return;
  for (const { session, conversation, options: theirs } of sessions) {
    // Another configuration folder is another store: its conversations are others.
    if (storeOf(theirs) !== storeOf(options)) continue;
    const isSame = wanted !== undefined && (conversation.wanted === wanted || session.conversationId === wanted);
    // "The latest conversation of this directory" may be the one that somebody works on there.
    const mayBeSame = options.continue === true && folderOf(theirs) === folderOf(options);
    if (!isSame && !mayBeSame) continue;
    const field = mayBeSame ? 'continue' : options.resume === undefined ? 'sessionId' : 'resume';
    const details = { field, conversationId: session.conversationId, sessionId: session.id, pid: session.pid };
    throw new TroupeError('CONVERSATION_IN_USE', { reason: `(by session "${session.id}")`, details });
  }
}

/** Where the CLI keeps the conversations of such a session. */
function storeOf({ configDir, env }: SessionOptions): string {
  return configDir ?? env?.['CLAUDE_CONFIG_DIR'] ?? '';
}

function folderOf({ cwd = '' }: SessionOptions): string {
  return resolve(currentHost().cwd, cwd);
}
