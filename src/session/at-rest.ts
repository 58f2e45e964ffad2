import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { Conversation } from './conversation.ts';
import type { SessionLife } from './session-life.ts';

/** What of a session may be at work. */
export interface SessionWork {
  readonly life: SessionLife;
  readonly conversation: Conversation;
  readonly desk: PermissionDesk;
}

/** True while no turn, no background work and no permission request is open: its process may be ended and resumed. */
export function isAtRest({ conversation, desk }: SessionWork): boolean {
  const isWorking = conversation.isWorking || conversation.tasks.ids.length > 0;
  return !isWorking && conversation.ledger.outstanding.length === 0 && desk.pending().length === 0;
}

/** At rest, ready, and with nothing on its way: nobody would notice, but for the next prompt, which takes longer. */
export function isIdle(work: SessionWork): boolean {
  const { life, conversation } = work;
  const { incarnation } = life;
  if (incarnation === undefined || life.state !== 'ready' || !life.childSnapshot().matches('running')) return false;
  const { ours, theirs } = incarnation.channel.openRequests;
  return isAtRest(work) && conversation.isQuiet && !conversation.tasks.isTurnExpected && ours + theirs === 0;
}
