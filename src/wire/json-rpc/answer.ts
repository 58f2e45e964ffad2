import { isRecord, recordsOf, stringOf } from '../fields.ts';
import type { Params } from './peer-line.ts';

/** Said in the place of a decision that the engine could not obey as it was meant. */
const CANNOT_CHANGE = 'The input was changed, and this engine runs a tool only as it asked for it.';

/** The request of the CLI that a `permission_request` stands for. */
export function toolQuestion(params: Params): { subtype: string } & Record<string, unknown> {
  const { tool, command, input, tool_use_id: id, suggested_rules: _, ...about } = params;
  return {
    subtype: 'can_use_tool',
    tool_name: stringOf(tool) ?? 'unknown',
    input: isRecord(input) ? input : typeof command === 'string' ? { command } : {},
    ...(typeof id === 'string' ? { tool_use_id: id } : {}),
    ...present('title', about['title']),
    ...present('description', about['description']),
    ...present('agent_id', about['agent_id']),
    ...present('decision_reason', about['reason']),
  };
}

/**
 * The decision as the engine takes it. A changed input is only sent where the engine is known to obey it; else the tool must
 * not run at all, for it would run as nobody allowed it.
 */
export function decisionFor(response: unknown, asked: unknown, obeysInput: boolean): Record<string, unknown> {
  const given = isRecord(response) ? response : {};
  if (given['behavior'] !== 'allow') {
    return {
      decision: 'deny',
      scope: 'once',
      ...present('message', given['message']),
      ...(given['interrupt'] === true ? { interrupt: true } : {}),
    };
  }
  const { updatedInput } = given;
  const isChanged = updatedInput !== undefined && JSON.stringify(updatedInput) !== JSON.stringify(asked);
  if (isChanged && !obeysInput) return { decision: 'deny', scope: 'once', message: CANNOT_CHANGE };
  return {
    decision: 'allow',
    scope: scopeOf(given['updatedPermissions']),
    ...(isChanged ? { updated_input: updatedInput } : {}),
  };
}

/** A rule for the session is what `session` means; what is kept in a file of settings outlives it. */
function scopeOf(updates: unknown): 'once' | 'session' | 'always' {
  const allowing = recordsOf(updates).filter(({ behavior }) => behavior === undefined || behavior === 'allow');
  if (allowing.length === 0) return 'once';
  return allowing.every(({ destination }) => destination === 'session') ? 'session' : 'always';
}

function present(name: string, value: unknown): Record<string, unknown> {
  return typeof value === 'string' ? { [name]: value } : {};
}
