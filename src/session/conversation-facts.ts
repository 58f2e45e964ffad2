export type ActivityState = 'running' | 'requires_action' | 'idle';

/** What the CLI said about itself, kept over incarnations. */
export interface ConversationFacts {
  readonly conversationId: string | undefined;
  readonly cliVersion: string | undefined;
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly capabilities: readonly string[];
  /** Those the model may use, as the newest turn began with them. */
  readonly tools: readonly string[];
  /** The names of its MCP servers, likewise. */
  readonly mcpServers: readonly string[];
  readonly activity: ActivityState | undefined;
}

export const NOTHING_KNOWN: ConversationFacts = {
  conversationId: undefined,
  cliVersion: undefined,
  model: undefined,
  permissionMode: undefined,
  capabilities: [],
  tools: [],
  mcpServers: [],
  activity: undefined,
};
