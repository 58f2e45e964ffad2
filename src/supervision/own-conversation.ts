import type { SessionOptions } from '../launch/session-options.ts';

/** What says by itself which conversation it is, or that nothing is kept of it. */
const NAMED = ['sessionId', 'resume', 'continue', 'sessionStore'] as const satisfies readonly (keyof SessionOptions)[];

/**
 * The options with that id for the conversation, which the CLI else makes up and tells with the first turn. A host that is lost
 * before it heard of it would begin another conversation, and have there done once more what the lost process had done (P2).
 */
export function withOwnConversation(options: SessionOptions, sessionId: string): SessionOptions {
  const isNamed = NAMED.some((field) => options[field] !== undefined && options[field] !== false);
  return isNamed || options.persistSession === false ? options : { ...options, sessionId };
}
