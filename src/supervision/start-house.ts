import type { Clock } from '../clock.ts';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import type { Logger, SupervisorOptions } from '../launch/supervisor-options.ts';
import { useSpawner } from '../transport/spawner-use.ts';
import { openBy } from '../transport/subprocess-transport.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { AdmissionControl } from './admission.ts';
import type { FleetEvent } from './fleet-event.ts';
import { freeMemory } from './free-memory.ts';
import { temporaryFolder } from './host.ts';
import { IdleEviction } from './idle-eviction.ts';
import { StartPace } from './start-pace.ts';
import { StartSweep } from './start-sweep.ts';
import { WarmPools } from './warm-pools.ts';

/** Everything that decides whether, and how fast, a process may start. */
export interface StartHouse {
  readonly admission: AdmissionControl;
  /** Asked before anything is made for a session. */
  readonly pace: StartPace;
  readonly warm: WarmPools;
  readonly eviction: IdleEviction;
  readonly sweep: StartSweep;
  /** Nothing is started from now on. */
  close(): void;
}

export interface StartHouseSurroundings {
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly tell: (event: FleetEvent) => void;
}

export function buildStartHouse(
  options: SupervisorOptions,
  { clock, logger, tell }: StartHouseSurroundings,
): StartHouse {
  const { spawn, spawner = 'auto', timeouts, restart } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { admissionMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  const sweep = new StartSweep({
    // A transport of the caller's own marks no process of this machine with its host.
    isOn: (options.reap ?? (spawn === undefined ? 'orphans' : 'off')) === 'orphans',
    timeouts,
    logger,
    now: () => clock.now(),
    tell,
  });
  const admission: AdmissionControl = new AdmissionControl({
    limits: { ...limits, admissionMs },
    clock,
    freeMemory: options.admission?.freeMemory ?? freeMemory,
    before: (signal) => sweep.before(signal),
    onShort: () => {
      warm.lend();
      eviction.look();
    },
    onRoom: () => warm.fill(),
  });
  const starts = useSpawner(spawn === undefined ? spawner : 'direct', { folder: temporaryFolder() });
  const open: OpenTransport = spawn ?? ((plan, listeners) => openBy(starts.start, plan, listeners));
  const warm = new WarmPools({ admission, clock, open, restart, timeouts, tell });
  const eviction = new IdleEviction({
    isOn: options.admission?.evictIdle === true,
    shortage: () => admission.shortage(),
  });
  return { admission, pace: new StartPace(clock), warm, eviction, sweep, close: starts.end };
}
