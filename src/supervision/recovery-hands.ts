import type { Clock } from '../clock.ts';
import { DEFAULT_LIMITS } from '../launch/defaults.ts';
import { parseSessionOptions } from '../launch/session-options.ts';
import type { SupervisorOptions } from '../launch/supervisor-options.ts';
import type { AccountRegistry } from './account-registry.ts';
import type { BudgetDesk } from './budget-desk.ts';
import { currentHost } from './host.ts';
import { inheritedOptions } from './inherited-options.ts';
import type { RecoveryHands } from './recovery.ts';
import type { RecoverySetting } from './recovery-plan.ts';

export interface RecoveryHouse extends Pick<RecoveryHands, 'build'> {
  readonly options: SupervisorOptions;
  readonly clock: Clock;
  readonly budget: BudgetDesk;
  readonly accounts: AccountRegistry;
}

/** What counts for every session that is taken up, or over. */
export function recoverySetting(options: SupervisorOptions, clock: Clock): RecoverySetting {
  const { onRestart = 'resume', onPromptLost = 'once', limits } = options;
  const { maxRecoveries } = { ...DEFAULT_LIMITS, ...limits };
  return {
    now: clock.now(),
    variables: { ...currentHost().env, ...options.env },
    // What the supervisor says today counts for sessions that said nothing of their own.
    parse: (own) => parseSessionOptions({ ...inheritedOptions(options), ...(own as object) }),
    onRestart,
    onPromptLost,
    maxRecoveries,
  };
}

/** What a supervisor puts at the disposal of its recovery. */
export function recoveryHands({ options, clock, budget, accounts, build }: RecoveryHouse): RecoveryHands {
  return {
    now: () => clock.now(),
    setting: () => recoverySetting(options, clock),
    restoreBudget: (spenders) => budget.restore(spenders),
    restoreWall: (plan) => {
      const { parking, state } = plan.restored.child;
      if (state === 'parked' && parking !== null) accounts.restore(plan.options, parking);
    },
    build,
  };
}
