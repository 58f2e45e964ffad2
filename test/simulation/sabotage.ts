import type { GroupOptions } from '../../src/launch/group-options.ts';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import type { Store } from '../../src/store/store.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import type { OpenTransport } from '../../src/transport/transport.ts';
import type { World } from './world.ts';
import type { HostClock } from './world-clock.ts';

/** Where a world can be made to break a promise, so that it is seen whether somebody notices. */
export interface Sabotage {
  readonly clock: (clock: HostClock) => HostClock;
  readonly store: (store: Store) => Store;
  readonly spawn: (spawn: OpenTransport, world: World) => OpenTransport;
  readonly options: (options: SupervisorOptions) => SupervisorOptions;
  /** What the world asks of its group. */
  readonly group: (options: GroupOptions) => GroupOptions;
  readonly events: (event: FleetEvent) => readonly FleetEvent[];
}

export const NO_SABOTAGE: Sabotage = {
  clock: (clock) => clock,
  store: (store) => store,
  spawn: (spawn) => spawn,
  options: (options) => options,
  group: (options) => options,
  events: (event) => [event],
};
