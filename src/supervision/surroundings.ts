import type { AwakeClock, Clock } from '../clock.ts';
import type { TroupeError } from '../errors.ts';
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
  readonly places: AdmissionControl;
  readonly observers: FleetObservers;
  readonly secrets: SecretKeeper;
  readonly admitsPrompts: () => boolean;
  readonly storeRefusal: () => TroupeError | undefined;
}

/** What all sessions of a supervisor have around them. */
export type SharedSurroundings = Omit<SessionSurroundings, 'admission'> & Pick<SupervisorParts, 'places'>;

/** What every session of a supervisor has around it; nobody's money, account or group. */
export function sharedSurroundings({
  options,
  clock,
  awake,
  warm,
  places,
  observers,
  secrets,
  admitsPrompts,
  storeRefusal,
}: SupervisorParts): SharedSurroundings {
  const { inspect, permissions, record, restart, onPromptLost, timeouts, limits } = options;
  return {
    clock,
    awake,
    launcher: (...about) => warm.launcher(...about),
    inspect,
    places,
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
    storeRefusal,
  };
}

/** With what one of them has for itself. Not a copy: each session keeps this as long as it lives. */
export function surroundingsOf(
  shared: SharedSurroundings,
  { key, configDir, env }: SessionOptions,
  more: Partial<SessionSurroundings> = {},
): SessionSurroundings {
  const admission = shared.places.place({ key, configDir: configDir ?? env?.['CLAUDE_CONFIG_DIR'] });
  const own: object = Object.create(shared);
  return Object.assign(own, { admission, ...more }) as SessionSurroundings;
}
