import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import { createSupervisor, type Supervisor } from '../../src/supervision/supervisor.ts';
import type { HostClock } from './world-clock.ts';

/** One program that uses Troupe, until it is lost. */
export interface SimulatedHost {
  readonly name: string;
  readonly supervisor: Supervisor;
  readonly clock: HostClock;
  readonly isAlive: () => boolean;
  readonly lose: () => void;
}

export interface HostParts {
  readonly name: string;
  readonly clock: (isAlive: () => boolean) => HostClock;
  readonly options: (isAlive: () => boolean) => SupervisorOptions;
}

export function simulatedHost({ name, clock, options }: HostParts): SimulatedHost {
  let isLost = false;
  const isAlive = () => !isLost;
  const own = clock(isAlive);
  const supervisor = createSupervisor({ ...options(isAlive), clock: own });
  return {
    name,
    supervisor,
    clock: own,
    isAlive,
    lose: () => {
      isLost = true;
    },
  };
}
