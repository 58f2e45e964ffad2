import type { EndCause } from '../../machines/session/session.events.ts';
import type { Conversation } from './conversation.ts';

/** With which conversation the options start the first process. */
export interface FirstStart {
  readonly resume: string | undefined;
  readonly sessionId: string | undefined;
}

/**
 * The end of a start, seen with what an earlier process of the session had left of the conversation. Lost before the CLI
 * wrote it, there is nothing to resume, and up to 2.1.19 that holds until the first turn was answered; lost after that, but
 * before anybody heard of it, the id that was chosen is taken (WIRE §12, §15). Neither is a fault: the next start does the
 * other thing. No turn was completed, so nothing is lost.
 */
export function seenInContext(cause: EndCause, first: FirstStart, conversation: Conversation, epoch: number): EndCause {
  const { conversationId } = conversation.facts;
  if (epoch < 2 || conversation.completedTurns > 0) return cause;
  const isOwn = conversationId !== undefined && conversationId !== first.resume;
  if (cause.code === 'CONVERSATION_NOT_FOUND' && isOwn) {
    conversation.forgetId();
    return { ...cause, ending: 'unrecorded' };
  }
  if (cause.code === 'CONVERSATION_EXISTS' && conversationId === undefined && first.sessionId !== undefined) {
    conversation.learn({ conversationId: first.sessionId });
    return { ...cause, ending: 'unrecorded' };
  }
  return cause;
}
