import type { AwakeClock, Clock } from '../clock.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { SupervisorOptions } from '../launch/supervisor-options.ts';
import type { AdmissionControl } from './admission.ts';
import type { FleetObservers } from './fleet-observers.ts';
import type { SecretKeeper } from './secret-keeper.ts';
import type { SessionSurroundings } from './session-factory.ts';
import type { WarmPools } from './warm-pools.ts';

export interface SupervisorParts {
  readonly options: SupervisorOptions;
  readonly clock: Clock;
  readonly awake: AwakeClock;
  readonly warm: WarmPools;
  readonly admission: AdmissionControl;
  readonly observers: FleetObservers;
  readonly secrets: SecretKeeper;
  readonly admitsPrompts: () => boolean;
}

/** What every session of a supervisor has around it; nobody's money, account or group. */
export function surroundings(
  { key, configDir, env }: SessionOptions,
  { options, clock, awake, warm, admission, observers, secrets, admitsPrompts }: SupervisorParts,
): SessionSurroundings {
  const { inspect, permissions, record, restart, onPromptLost, timeouts, limits } = options;
  return {
    clock,
    awake,
    launcher: (...about) => warm.launcher(...about),
    inspect,
    admission: admission.place({ key, configDir: configDir ?? env?.['CLAUDE_CONFIG_DIR'] }),
    isMember: false,
    secrets,
    admitsPrompts,
    onListenerError: (error) => observers.complain(error),
    isolated: (observer) => observers.isolated(observer),
    permissions,
    record,
    restart,
    onPromptLost,
    timeouts,
    limits,
  };
}
