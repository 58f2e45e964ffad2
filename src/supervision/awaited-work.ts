import type { SupervisorPhase } from '../../machines/supervisor/supervisor.events.ts';
import type { BuiltSession } from './session-factory.ts';

/**
 * Why a phase of the way down is not over yet. `start`: its first start is being called off. `turn`: a prompt is out.
 * `person`: its turn waits for somebody's answer. `prompt`: prompts wait for a process that is on its way. `background`: an
 * agent of it works, or a turn that nobody asked for runs. `process`: its process tree was not seen gone. `store`: what is
 * to be kept of it is not stored yet.
 */
export type AwaitedReason = 'start' | 'turn' | 'person' | 'prompt' | 'background' | 'process' | 'store';

/** What the wait for one session is made of. */
export interface SessionWork {
  readonly reason: AwaitedReason | undefined;
  readonly turns: number;
  readonly queued: number;
}

const STARTING: ReadonlySet<string> = new Set(['waiting', 'spawning', 'initializing', 'mcp-setup']);
/** Nothing brings such a session to its prompts within a time that anybody could wait for. */
const SET_ASIDE: ReadonlySet<string> = new Set(['quarantined', 'parked']);

export interface WorkView {
  /** Whether its group is about to start it again. */
  readonly isBroughtBack: (id: string) => boolean;
  /** Whether the sessions are kept for another supervisor. */
  readonly isHandover: () => boolean;
}

/** What a session keeps this phase waiting for. */
export function workOf(
  built: BuiltSession,
  phase: SupervisorPhase,
  { isBroughtBack, isHandover }: WorkView,
): SessionWork {
  const { ledger } = built.conversation;
  const turns = ledger.outstanding.length;
  const queued = ledger.queued.length;
  return {
    reason: isHandover() && phase === 'finishing-turns' ? runningIn(built) : reasonFor(built, phase, isBroughtBack),
    turns,
    queued,
  };
}

function reasonFor(
  built: BuiltSession,
  phase: SupervisorPhase,
  isBroughtBack: (id: string) => boolean,
): AwaitedReason | undefined {
  switch (phase) {
    case 'stopping-admission':
      return isCallableOff(built) ? 'start' : undefined;
    case 'finishing-turns':
    case 'interrupting':
      return unfinishedIn(built, isBroughtBack);
    case 'closing':
    case 'killing':
      return hasLeft(built) ? undefined : 'process';
    case 'flushing':
      return 'store';
    default:
      return undefined;
  }
}

/** In a handover what waits goes on waiting, and what runs is let end. */
function runningIn({ life, conversation, desk }: BuiltSession): AwaitedReason | undefined {
  if (!isAtWork({ life, conversation, desk })) return undefined;
  if (desk.pending().length > 0) return 'person';
  return conversation.ledger.outstanding.length > 0 ? 'turn' : 'background';
}

/** Its process has something that would be cut off by its end. */
export function isAtWork({ life, conversation, desk }: Pick<BuiltSession, 'life' | 'conversation' | 'desk'>): boolean {
  if (life.incarnation === undefined) return false;
  const { ledger, isTurnOpen, tasks } = conversation;
  return ledger.outstanding.length > 0 || isTurnOpen || tasks.agents > 0 || desk.pending().length > 0;
}

/** A start that was never ready and that no prompt waits for: nothing would come of it any more. */
export function isCallableOff({ life, conversation }: BuiltSession): boolean {
  const isFirst = !life.isOver && !life.childSnapshot().context.wasEverReady;
  return isFirst && STARTING.has(life.state) && conversation.isDrained;
}

/** Its process tree was seen gone, or it has none and gets none. */
export function hasLeft({ life }: BuiltSession): boolean {
  return life.isOver || life.state === 'closed' || life.state === 'failed';
}

function unfinishedIn(built: BuiltSession, isBroughtBack: (id: string) => boolean): AwaitedReason | undefined {
  const { life, conversation, desk, session } = built;
  if (life.isOver || SET_ASIDE.has(life.state)) return undefined;
  if (life.state === 'held' && !isBroughtBack(session.id)) return undefined;
  if (desk.pending().length + conversation.ledger.inDoubt.length > 0) return 'person';
  if (conversation.ledger.outstanding.length > 0) return 'turn';
  if (conversation.ledger.queued.length > 0) return 'prompt';
  return conversation.isQuiet ? undefined : 'background';
}
