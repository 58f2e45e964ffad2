import {
  type DecidingRule,
  OUTCOMES,
  type PermissionDecision,
  type PermissionEvent,
  type QuestionKind,
  type Settlement,
  type Verdict,
} from './permission.events.ts';

/** How a question is settled by what happened to it from outside. */
export function settlementBy(event: PermissionEvent): Settlement {
  switch (event.type) {
    case 'permission.answered':
      return decided(event.decision, event.by);
    case 'permission.cancelled':
      return { outcome: 'cancelled', by: 'agent' };
    case 'permission.withdrawn':
      return { outcome: 'withdrawn', by: 'session', reason: event.reason };
    case 'permission.lost':
      return { outcome: 'cancelled', by: 'session', reason: 'process lost' };
  }
}

/** … by a rule, or by a callback. */
export function ruled(verdict: Verdict): Settlement {
  // Whoever asks here has seen that it does not only say to ask.
  if (verdict.behavior === 'ask') return failed('policy', 'asks for an answer and gives one');
  const { by, rule, ...decision } = verdict;
  const settlement = decided(decision, by);
  return rule === undefined ? settlement : withRule(settlement, rule);
}

/** … by a decider that threw, or answered nonsense. */
export function failed(by: string, error: unknown): Settlement {
  return { outcome: 'failed', by, reason: error instanceof Error ? error.message : String(error) };
}

/** … by its deadline. */
export function expired(kind: QuestionKind, deadlineMs: number): Settlement {
  const message = `Nobody answered this permission request within ${deadlineMs} ms.`;
  const decision: PermissionDecision = kind === 'tool' ? { behavior: 'deny', message } : { behavior: 'dismiss' };
  return { outcome: 'expired', by: 'deadline', decision };
}

function decided(decision: PermissionDecision & { readonly by?: string }, by: string): Settlement {
  const { by: _by, ...rest } = decision;
  return { outcome: OUTCOMES[decision.behavior], by, decision: rest };
}

function withRule(settlement: Settlement, rule: DecidingRule): Settlement {
  return 'decision' in settlement && settlement.outcome !== 'expired' ? { ...settlement, rule } : settlement;
}
