import type { Settlement } from '../../machines/permission/permission.events.ts';
import { isRecord } from '../wire/fields.ts';
import type { PermissionUpdate } from './permission-result.ts';

/** A question of the CLI: may this tool run? A stable object as long as the session lives. */
export interface PermissionRequest {
  /** The CLI's request id; answers name it. */
  readonly id: string;
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly toolUseId: string | undefined;
  /** The subagent that asks; undefined for the main agent. */
  readonly agentId: string | undefined;
  readonly suggestions: readonly PermissionUpdate[];
  readonly blockedPath: string | undefined;
  readonly decisionReason: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** True for questions only a person can answer (AskUserQuestion, ExitPlanMode: WIRE §18). */
  readonly requiresUserInteraction: boolean;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Undefined while it is open. */
  readonly settlement: Settlement | undefined;
}

/** Reads a `can_use_tool` request; tolerates every missing or malformed field (2.1.19 sends four of them: WIRE §5). */
export function readPermissionRequest(
  requestId: string,
  request: Readonly<Record<string, unknown>>,
  askedAt: number,
): PermissionRequest {
  const suggestions = Array.isArray(request['permission_suggestions']) ? request['permission_suggestions'] : [];
  return {
    id: requestId,
    toolName: textOf(request['tool_name']) ?? '',
    input: isRecord(request['input']) ? request['input'] : {},
    toolUseId: textOf(request['tool_use_id']),
    agentId: textOf(request['agent_id']),
    suggestions: suggestions.filter(
      (item): item is PermissionUpdate => isRecord(item) && typeof item['type'] === 'string',
    ),
    blockedPath: textOf(request['blocked_path']),
    decisionReason: textOf(request['decision_reason']),
    title: textOf(request['title']) ?? textOf(request['display_name']),
    description: textOf(request['description']),
    requiresUserInteraction: request['requires_user_interaction'] === true,
    askedAt,
    settlement: undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
