import type { MatchedAskRule, McpServerOrigin, ToolPermissionRequest } from './permission-request.ts';
import type { PermissionResult, PermissionUpdate } from './permission-result.ts';

/**
 * The callback of the official SDK: may this tool run with this input? `null`: somebody else answers, through
 * `session.permissions.answer`; the question stays open until then.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  context: CanUseToolContext,
) => Promise<PermissionResult | null> | PermissionResult | null;

/** What the CLI told with the question; a release that does not know a field leaves it out. */
export interface CanUseToolContext {
  /** Aborted when the question is taken back, answered by somebody else, or overdue. */
  signal: AbortSignal;
  suggestions?: PermissionUpdate[];
  toolUseID: string;
  requestId: string;
  /** The subagent that asks. */
  agentID?: string;
  blockedPath?: string;
  decisionReason?: string;
  decisionReasonType?: string;
  mcpServer?: McpServerOrigin;
  matchedAskRule?: MatchedAskRule;
  title?: string;
  displayName?: string;
  description?: string;
  requiresUserInteraction?: boolean;
  defaultToNo?: boolean;
  suppressAlwaysAllowRule?: boolean;
}

export function contextOf(request: ToolPermissionRequest, signal: AbortSignal): CanUseToolContext {
  const { requiresUserInteraction, defaultToNo, suppressAlwaysAllowRule } = request;
  const facts = {
    agentID: request.agentId,
    blockedPath: request.blockedPath,
    decisionReason: request.decisionReason,
    decisionReasonType: request.decisionReasonType,
    mcpServer: request.mcpServer,
    matchedAskRule: request.matchedAskRule,
    title: request.title,
    displayName: request.displayName,
    description: request.description,
    requiresUserInteraction: requiresUserInteraction || undefined,
    defaultToNo: defaultToNo || undefined,
    suppressAlwaysAllowRule: suppressAlwaysAllowRule || undefined,
  };
  const told = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  const suggestions = structuredClone([...request.suggestions]);
  return { signal, suggestions, toolUseID: request.toolUseId ?? '', requestId: request.id, ...told };
}
