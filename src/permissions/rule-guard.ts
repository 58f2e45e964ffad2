import type { Settlement } from '../../machines/permission/permission.events.ts';
import type { Clock } from '../clock.ts';
import { isRecord } from '../wire/fields.ts';
import { type PermissionRequest, readPermissionRequest } from './permission-request.ts';
import { decisionOf, type RuleBook } from './rule-book.ts';

/** What a tool call is told before the CLI decides whether it has to ask at all. */
export type Guard = (input: unknown, toolUseId: string | undefined) => Promise<Record<string, unknown>>;

/** Rules that deny or ask are for all calls; `onDenied` hears of the question that was never put, and how it was settled. */
export function ruleGuard(
  rules: RuleBook,
  clock: Clock,
  onDenied: (asked: PermissionRequest, settled: PermissionRequest, settlement: Settlement) => void,
): Guard {
  return async (input, toolUseId) => {
    const wire: Record<string, unknown> = { ...(isRecord(input) ? input : {}), tool_use_id: toolUseId };
    const asked = { ...wire, input: wire['tool_input'] };
    const request = readPermissionRequest(`rule:${toolUseId ?? ''}`, asked, clock.now());
    const ruling = await rules.judge(request.toolName, request.input, false);
    if (ruling === undefined || ruling.behavior === 'allow') return {};
    const { behavior, rule } = ruling;
    const decision = decisionOf(ruling);
    if (decision !== undefined) {
      const settlement: Settlement = { outcome: 'denied', by: 'policy', decision, rule };
      onDenied(request, { ...request, settlement }, settlement);
    }
    const reason = decision?.message ?? `The rule "${rule.tool}" wants this to be asked.`;
    const verdict = { permissionDecision: behavior, permissionDecisionReason: reason };
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...verdict } };
  };
}
