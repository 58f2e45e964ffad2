export type ActivityState = 'running' | 'requires_action' | 'idle';

/** What the CLI said about itself, kept over incarnations. */
export interface ConversationFacts {
  readonly conversationId: string | undefined;
  readonly cliVersion: string | undefined;
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly capabilities: readonly string[];
  readonly activity: ActivityState | undefined;
}

export const NOTHING_KNOWN: ConversationFacts = {
  conversationId: undefined,
  cliVersion: undefined,
  model: undefined,
  permissionMode: undefined,
  capabilities: [],
  activity: undefined,
};
