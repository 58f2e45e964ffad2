import type { LightAbort } from '../abort-notice.ts';
import { jsonCopy } from './json-copy.ts';
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

export function contextOf(request: ToolPermissionRequest, light: LightAbort): CanUseToolContext {
  const context: CanUseToolContext = {
    // Most callbacks answer at once and never look: it is made when they do.
    get signal() {
      return light.signal;
    },
    suggestions: jsonCopy([...request.suggestions]),
    toolUseID: request.toolUseId ?? '',
    requestId: request.id,
  };
  const { agentId, blockedPath, decisionReason, decisionReasonType, mcpServer, matchedAskRule } = request;
  if (agentId !== undefined) context.agentID = agentId;
  if (blockedPath !== undefined) context.blockedPath = blockedPath;
  if (decisionReason !== undefined) context.decisionReason = decisionReason;
  if (decisionReasonType !== undefined) context.decisionReasonType = decisionReasonType;
  if (mcpServer !== undefined) context.mcpServer = mcpServer;
  if (matchedAskRule !== undefined) context.matchedAskRule = matchedAskRule;
  const { title, displayName, description } = request;
  if (title !== undefined) context.title = title;
  if (displayName !== undefined) context.displayName = displayName;
  if (description !== undefined) context.description = description;
  if (request.requiresUserInteraction) context.requiresUserInteraction = true;
  if (request.defaultToNo) context.defaultToNo = true;
  if (request.suppressAlwaysAllowRule) context.suppressAlwaysAllowRule = true;
  return context;
}
