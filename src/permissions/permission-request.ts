import type { Settlement } from '../../machines/permission/permission.events.ts';
import { isRecord } from '../wire/fields.ts';
import type { ElicitationRequest } from './elicitation.ts';
import type { PermissionUpdate } from './permission-result.ts';
import type { UserDialogRequest } from './user-dialog.ts';

/** What every question of the CLI has, whatever it is about. A stable object as long as the session lives. */
interface Question {
  /** The CLI's request id; answers name it. */
  readonly id: string;
  readonly toolUseId: string | undefined;
  /** The subagent that asks; undefined for the main agent. */
  readonly agentId: string | undefined;
  /** A sentence that asks, where the CLI made one. */
  readonly title: string | undefined;
  /** A short name for what is asked about. */
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Undefined while it is open. */
  readonly settlement: Settlement | undefined;
}

/** May this tool run? */
export interface ToolPermissionRequest extends Question {
  readonly kind: 'tool';
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly suggestions: readonly PermissionUpdate[];
  readonly blockedPath: string | undefined;
  readonly decisionReason: string | undefined;
  /** `rule`, `mode`, `safetyCheck` and others; undefined from releases that do not tell it. */
  readonly decisionReasonType: string | undefined;
  /** For a tool of an MCP server: whose it is. Only the source `sdk` is one of this host's own. */
  readonly mcpServer: McpServerOrigin | undefined;
  /** The rule of the settings that made it ask. */
  readonly matchedAskRule: MatchedAskRule | undefined;
  /** True for questions only a person can answer: AskUserQuestion, ExitPlanMode (WIRE §18), and what the CLI marks so. */
  readonly requiresUserInteraction: boolean;
  /** True: do not let a single stray key allow it. */
  readonly defaultToNo: boolean;
  /** True: do not offer to remember the answer; `scope` then covers this very call only. */
  readonly suppressAlwaysAllowRule: boolean;
}

/** An MCP server asks the user something. */
export interface ElicitationPermissionRequest extends Question {
  readonly kind: 'elicitation';
  readonly toolName: undefined;
  readonly input: undefined;
  readonly elicitation: ElicitationRequest;
}

/** The CLI shows a dialog of its own. */
export interface DialogPermissionRequest extends Question {
  readonly kind: 'dialog';
  readonly toolName: undefined;
  readonly input: undefined;
  readonly dialog: UserDialogRequest;
}

/** A question of the CLI that somebody has to answer. */
export type PermissionRequest = ToolPermissionRequest | ElicitationPermissionRequest | DialogPermissionRequest;

export interface McpServerOrigin {
  readonly name: string;
  readonly source: string;
}

export interface MatchedAskRule {
  readonly source: string;
  readonly toolName: string;
  readonly ruleContent?: string;
}

/** What the request is about, as data: for logs and for whoever shows it. */
export function subjectOf(request: PermissionRequest): unknown {
  switch (request.kind) {
    case 'tool':
      return request.input;
    case 'elicitation':
      return request.elicitation;
    case 'dialog':
      return request.dialog;
  }
}

/** Only a person can do what these ask for; releases up to 2.1.197 do not mark them (WIRE §18). */
export const FOR_PEOPLE: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** Reads a `can_use_tool` request; tolerates every missing or malformed field (2.1.19 sends four of them: WIRE §5). */
export function readPermissionRequest(
  requestId: string,
  request: Readonly<Record<string, unknown>>,
  askedAt: number,
): ToolPermissionRequest {
  const suggestions = Array.isArray(request['permission_suggestions']) ? request['permission_suggestions'] : [];
  const toolName = textOf(request['tool_name']) ?? '';
  return {
    kind: 'tool',
    id: requestId,
    toolName,
    input: isRecord(request['input']) ? request['input'] : {},
    toolUseId: textOf(request['tool_use_id']),
    agentId: textOf(request['agent_id']),
    suggestions: suggestions.filter(
      (item): item is PermissionUpdate => isRecord(item) && typeof item['type'] === 'string',
    ),
    blockedPath: textOf(request['blocked_path']),
    decisionReason: textOf(request['decision_reason']),
    decisionReasonType: textOf(request['decision_reason_type']),
    mcpServer: originOf(request['mcp_server']),
    matchedAskRule: askRuleOf(request['matched_ask_rule']),
    title: textOf(request['title']),
    displayName: textOf(request['display_name']),
    description: textOf(request['description']),
    requiresUserInteraction: request['requires_user_interaction'] === true || FOR_PEOPLE.has(toolName),
    defaultToNo: request['default_to_no'] === true,
    suppressAlwaysAllowRule: request['suppress_always_allow_rule'] === true,
    askedAt,
    settlement: undefined,
  };
}

function originOf(value: unknown): McpServerOrigin | undefined {
  if (!isRecord(value)) return undefined;
  const [name, source] = [textOf(value['name']), textOf(value['source'])];
  return name === undefined || source === undefined ? undefined : { name, source };
}

function askRuleOf(value: unknown): MatchedAskRule | undefined {
  if (!isRecord(value)) return undefined;
  const [source, toolName] = [textOf(value['source']), textOf(value['tool_name'])];
  if (source === undefined || toolName === undefined) return undefined;
  const ruleContent = textOf(value['rule_content']);
  return { source, toolName, ...(ruleContent === undefined ? {} : { ruleContent }) };
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
