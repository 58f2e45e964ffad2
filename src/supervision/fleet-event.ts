import type { SessionEvent } from '../store/session-event.ts';
import type { GroupFleetEvent } from './group-fleet-event.ts';
import type { OrphanEvent } from './start-sweep.ts';

/** An event of any session, with the session's id; news of a group; or what was found of the sessions of a host that is gone. */
export type FleetEvent = (SessionEvent & { readonly sessionId: string }) | GroupFleetEvent | OrphanEvent;
