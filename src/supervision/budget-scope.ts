import type { Scope } from '../../machines/budget/ledger.ts';
import { BudgetScopeCall, parseCall } from '../session/call-options.ts';

/** Whose budget: of all sessions, of the present day, or of one session, key or group. */
export type BudgetScope =
  | 'total'
  | 'day'
  | { readonly session: string }
  | { readonly key: string }
  | { readonly group: string };

/** Throws INVALID_OPTIONS. The name of the day is left to whoever knows the date. */
export function readScope(input: unknown): Scope {
  const scope = parseCall(BudgetScopeCall, input, 'scope');
  if (typeof scope === 'string') return { kind: scope, name: '' };
  if ('session' in scope) return { kind: 'session', name: scope.session };
  return 'key' in scope ? { kind: 'key', name: scope.key } : { kind: 'group', name: scope.group };
}
