import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import type { Conversation } from './conversation.ts';
import type { PromptRecord } from './prompt-record.ts';
import type { SessionLife } from './session-life.ts';
import { within } from './within.ts';

/** What an interrupt did. */
export interface InterruptReceipt {
  /**
   * `interrupted`: a running turn was stopped. `cancelled`: a prompt that was not written yet was taken back.
   * `nothing`: there was no turn to stop; background work of the CLI was told to stop, if there was any.
   */
  readonly effect: 'interrupted' | 'cancelled' | 'nothing';
  /** Prompts that will not run any more. */
  readonly cancelled: readonly string[];
  /** Prompts that still wait and will run. */
  readonly stillQueued: readonly string[];
}

export interface InterruptTarget {
  readonly life: SessionLife;
  readonly conversation: Conversation;
  readonly interruptMs: number;
  readonly clock: Clock;
  /** True takes the waiting prompts back too. */
  readonly cancelQueued?: boolean | undefined;
  /** A prompt that must survive: the one that asked for the interrupt. */
  readonly except?: string;
}

export async function interruptConversation(target: InterruptTarget): Promise<InterruptReceipt> {
  const { life, conversation } = target;
  const cancelled = target.cancelQueued === true ? takeBackQueued(target) : [];
  const meant = conversation.ledger.outstanding.filter(({ id }) => id !== target.except);
  if (meant.length === 0) return interruptIdle(target, cancelled);
  // An interrupt that arrives before the turn opened is acknowledged and has no effect (R42): wait for the turn.
  // It may take half the deadline: the turn needs the rest to end.
  const hasBegun = () => hasStarted(meant) || life.incarnation === undefined;
  await within(conversation, target.clock, target.interruptMs / 2, hasBegun);
  const stopped = conversation.ledger.markInterrupted(meant);
  const incarnation = life.incarnation;
  if (stopped.length === 0 || incarnation === undefined) return receipt(conversation, 'nothing', cancelled);
  incarnation.tell({ type: 'session.interrupt' });
  const payload = target.cancelQueued === true ? { cancel_queued: true } : {};
  const isOverdue = overdue(incarnation.actor);
  await incarnation.channel.request('interrupt', payload, { deadlineMs: target.interruptMs }).catch(tolerateLoss);
  // "Stopped" is only true once the turn has ended or the process is gone (R45).
  await conversation.until(() => stopped.every(({ state }) => state === 'ended'));
  if (isOverdue()) throw new TroupeError('INTERRUPT_TIMEOUT', { details: { deadlineMs: target.interruptMs } });
  return receipt(conversation, 'interrupted', cancelled);
}

async function interruptIdle(target: InterruptTarget, cancelled: string[]): Promise<InterruptReceipt> {
  const { life, conversation } = target;
  const head = conversation.ledger.queued.find(({ id }) => id !== target.except);
  if (head !== undefined && cancelled.length === 0) {
    conversation.ledger.cancelQueued(head.id);
    cancelled.push(head.id);
  }
  if (cancelled.length > 0) return receipt(conversation, 'cancelled', cancelled);
  if (conversation.isWorking && life.incarnation !== undefined) {
    await life.incarnation.channel.request('interrupt', {}, { deadlineMs: target.interruptMs });
  }
  return receipt(conversation, 'nothing', cancelled);
}

function takeBackQueued({ conversation, except }: InterruptTarget): string[] {
  const ids = conversation.ledger.queued.map(({ id }) => id).filter((id) => id !== except);
  return ids.filter((id) => conversation.ledger.cancelQueued(id));
}

/** True when one of them runs, or none is left to run. */
function hasStarted(meant: readonly PromptRecord[]): boolean {
  return meant.some(({ state }) => state === 'started') || meant.every(({ state }) => state === 'ended');
}

function receipt(
  conversation: Conversation,
  effect: InterruptReceipt['effect'],
  cancelled: readonly string[],
): InterruptReceipt {
  return { effect, cancelled, stillQueued: conversation.ledger.queued.map(({ id }) => id) };
}

function overdue(actor: NonNullable<SessionLife['incarnation']>['actor']): () => boolean {
  let isOverdue = false;
  const subscription = actor.on('interrupt.overdue', () => {
    isOverdue = true;
  });
  return () => {
    subscription.unsubscribe();
    return isOverdue;
  };
}

/** Whether the answer comes or the process dies first, the turns tell what happened. */
function tolerateLoss(error: unknown): void {
  const isRefusal = TroupeError.is(error) && (error.code === 'CONTROL_REFUSED' || error.code === 'CONTROL_LIMIT');
  if (isRefusal || !TroupeError.is(error)) throw error;
}
