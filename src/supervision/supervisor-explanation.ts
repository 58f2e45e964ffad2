import type { SupervisorPhase, SupervisorStateName } from '../../machines/supervisor/supervisor.events.ts';
import type { FleetStoreWait } from '../store/store-wait.ts';
import type { AwaitedReason } from './awaited-work.ts';
import type { RemainingWork } from './drain-tally.ts';
import type { ShutdownPhases } from './shutdown-phases.ts';

/** What a supervisor is doing, why, and until when; JSON. */
export interface SupervisorExplanation {
  readonly state: SupervisorStateName;
  readonly phase: SupervisorPhase;
  /** Epoch milliseconds since when the phase lasts. */
  readonly since: number;
  /** Epoch milliseconds when the phase gives up and the next begins; undefined for never. */
  readonly deadlineAt: number | undefined;
  /** Its sessions are kept for another supervisor. */
  readonly isHandover: boolean;
  /** One sentence a person can act on. */
  readonly because: string;
  /** The sessions the phase waits for. Empty while it runs. */
  readonly awaited: readonly { readonly id: string; readonly state: string; readonly reason: AwaitedReason }[];
  readonly remaining: RemainingWork;
  /** All sessions that are not over, whatever they do. */
  readonly sessions: number;
  readonly groups: number;
  /** What it waits for at its store; undefined where everything is durable, or there is none. */
  readonly store: FleetStoreWait | undefined;
}

export function explainPhases(
  phases: ShutdownPhases,
  about: Pick<SupervisorExplanation, 'state' | 'phase' | 'since' | 'isHandover'> & {
    readonly deadlineAt: number | null;
  },
  counts: Pick<SupervisorExplanation, 'sessions' | 'groups' | 'store'>,
): SupervisorExplanation {
  return {
    ...about,
    deadlineAt: about.deadlineAt ?? undefined,
    because: storeBecause(about.phase, counts.store) ?? (about.isHandover ? handoverBecause : becauseOf)(about.phase),
    awaited: phases.awaited().map(({ built, reason }) => {
      return { id: built.session.id, state: built.session.state, reason };
    }),
    remaining: phases.remaining,
    ...counts,
  };
}

/** The groups come with their own explanations. */
export function becauseOf(phase: SupervisorPhase): string {
  switch (phase) {
    case 'running':
      return 'It admits sessions and prompts.';
    case 'stopping-admission':
      return 'It drains: nothing new begins, and starts that no prompt waits for are called off.';
    case 'finishing-turns':
      return 'It drains: running turns and accepted prompts are let end. An answer to an open permission request, a shorter drain() or shutdown() speeds it up.';
    case 'interrupting':
      return 'The time for turns is over: waiting prompts were given back, and what runs is being interrupted.';
    case 'closing':
      return 'Every session was asked to leave, newest first.';
    case 'killing':
      return 'Not every session left in time: what is left was killed with its process tree.';
    case 'flushing':
      return 'No process is left; what is still to be kept of the sessions is being stored.';
    case 'stopped':
      return 'It is stopped. Create another supervisor to go on.';
    default:
      return 'Unknown phase.';
  }
}

/** At its store nothing new begins, whatever else it would do. */
function storeBecause(phase: SupervisorPhase, store: FleetStoreWait | undefined): string | undefined {
  if (phase !== 'running' && phase !== 'flushing') return undefined;
  switch (store?.state) {
    case 'opening':
      return 'It opens its store and takes up the sessions that are there; starts wait for that.';
    case 'failing':
      return `Nothing new is taken until the store keeps what it is given, which is tried again and again; what runs goes on. ${store.refusal?.message ?? ''}`;
    case 'lost':
      return `Nothing new is taken, as the store cannot be used any more. ${store.refusal?.message ?? ''}`;
    default:
      return undefined;
  }
}

function handoverBecause(phase: SupervisorPhase): string {
  switch (phase) {
    case 'finishing-turns':
      return 'It hands over: nothing new begins, what waits goes on waiting, and running turns are let end until the deadline.';
    case 'closing':
      return 'It hands over: every session was left in the store, and its process is being ended.';
    case 'stopped':
      return 'It is stopped. The next supervisor that opens the store goes on with its sessions.';
    default:
      return becauseOf(phase);
  }
}
