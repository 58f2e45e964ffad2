import type { SupervisorPhase } from '../../machines/supervisor/supervisor.events.ts';
import type { SessionEvent } from '../store/session-event.ts';
import type { StoreEvent } from '../store/store-desk.ts';
import type { AccountFleetEvent } from './account-event.ts';
import type { RemainingWork } from './drain-tally.ts';
import type { GroupFleetEvent } from './group-fleet-event.ts';
import type { PoolEvent } from './pool-event.ts';
import type { OrphanEvent } from './start-sweep.ts';

/** The way down of the supervisor. `deadlineAt`: epoch milliseconds when the phase gives up; undefined for never. */
export type ShutdownEvent =
  | {
      readonly type: 'supervisor.phase-changed';
      readonly at: number;
      readonly phase: SupervisorPhase;
      readonly from: SupervisorPhase;
      readonly deadlineAt: number | undefined;
    }
  /** With the first count of each phase, and whenever a number of it changes. */
  | {
      readonly type: 'drain.progressed';
      readonly at: number;
      readonly phase: SupervisorPhase;
      readonly remaining: RemainingWork;
    };

/**
 * An event of any session, with the session's id; news of an account, of a group, of the store or of the supervisor itself; or what was found of the
 * sessions of a host that is gone.
 */
export type FleetEvent =
  | (SessionEvent & { readonly sessionId: string })
  | AccountFleetEvent
  | GroupFleetEvent
  | OrphanEvent
  | PoolEvent
  | StoreEvent
  | ShutdownEvent;
