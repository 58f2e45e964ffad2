import type { PermissionDecision } from '../../machines/permission/permission.events.ts';
import { isRecord } from '../wire/fields.ts';
import { canonicalJson } from './canonical-json.ts';
import type { ToolPermissionRequest } from './permission-request.ts';
import type { PermissionUpdate } from './permission-result.ts';

/** `once`: this call. `session`: also its like, until the session is over. `always`: the settings of the folder hold it, too. */
export type AnswerScope = 'once' | 'session' | 'always';

/** The rules that the CLI offers for remembering, in the form `Tool(argument)`; none where it wants none remembered. */
export function offeredRules(request: ToolPermissionRequest): string[] {
  return suggestionsFor(request).flatMap(({ type, rules }) => {
    if (type !== 'addRules' || !Array.isArray(rules)) return [];
    return rules.filter(isRecord).flatMap(({ toolName, ruleContent }) => {
      if (typeof toolName !== 'string') return [];
      return [typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName];
    });
  });
}

/**
 * What the CLI is told to remember for the scope, from what it suggested itself. A change of the mode is never among it:
 * it would allow more than what was asked about.
 */
export function updatesFor(request: ToolPermissionRequest, decision: PermissionDecision): PermissionUpdate[] {
  const { scope } = decision;
  if (scope === undefined || scope === 'once' || isChanged(request, decision)) return [];
  const destinations = scope === 'always' ? ['session', 'localSettings'] : ['session'];
  return destinations.flatMap((destination) => suggestionsFor(request).map((update) => ({ ...update, destination })));
}

/** True when something else was allowed than what was asked: then nothing that was suggested for the question holds. */
export function isChanged({ input }: ToolPermissionRequest, { updatedInput }: PermissionDecision): boolean {
  return updatedInput !== undefined && canonicalJson(updatedInput) !== canonicalJson(input);
}

function suggestionsFor(request: ToolPermissionRequest): PermissionUpdate[] {
  if (request.suppressAlwaysAllowRule) return [];
  return request.suggestions.filter(
    ({ type, behavior }) => (type === 'addRules' && behavior === 'allow') || type === 'addDirectories',
  );
}
