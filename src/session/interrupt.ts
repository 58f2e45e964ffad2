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
  if (conversation.isTurnOpen && !meant.some(({ state }) => state === 'started'))
    return interruptForeign(target, cancelled);
  if (meant.length === 0) return interruptIdle(target, cancelled);
  // An interrupt that arrives before the turn opened is acknowledged and has no effect (R42): wait for the turn.
  // It may take half the deadline: the turn needs the rest to end.
  const hasBegun = () => hasStarted(meant) || life.incarnation === undefined;
  await within(conversation, target.clock, target.interruptMs / 2, hasBegun);
  const stopped = conversation.ledger.markInterrupted(meant);
  const incarnation = life.incarnation;
  if (stopped.length === 0 || incarnation === undefined) return receipt(conversation, 'nothing', cancelled);
  const isOverdue = overdue(incarnation.actor);
  try {
    await send(target, incarnation);
  } catch (error) {
    conversation.ledger.unmarkInterrupted(stopped);
    throw error;
  }
  // "Stopped" is only true once the turn has ended or the process is gone (R45).
  const hasEnded = () => stopped.every(({ state }) => state === 'ended');
  await within(conversation, target.clock, 2 * target.interruptMs, hasEnded);
  if (isOverdue() || !hasEnded()) throw timedOut(target);
  return receipt(conversation, 'interrupted', cancelled);
}

/** The running turn is one of the CLI's own, such as the report of an agent: it is stopped, and our prompts run after it. */
async function interruptForeign(target: InterruptTarget, cancelled: string[]): Promise<InterruptReceipt> {
  const { life, conversation, clock, interruptMs } = target;
  const incarnation = life.incarnation;
  if (incarnation === undefined) return receipt(conversation, 'nothing', cancelled);
  const turn = conversation.turnNumber;
  const isOverdue = overdue(incarnation.actor);
  await send(target, incarnation);
  const hasEnded = () => conversation.turnNumber !== turn || !conversation.isTurnOpen;
  await within(conversation, clock, 2 * interruptMs, hasEnded);
  if (isOverdue() || !hasEnded()) throw timedOut(target);
  return receipt(conversation, 'interrupted', cancelled);
}

type Incarnation = NonNullable<SessionLife['incarnation']>;

/** Tells the machine, which then guards the deadline, and the CLI. A refusal is taken back from the machine. */
async function send({ interruptMs, cancelQueued }: InterruptTarget, incarnation: Incarnation): Promise<void> {
  incarnation.tell({ type: 'session.interrupt' });
  const payload = cancelQueued === true ? { cancel_queued: true } : {};
  try {
    await incarnation.channel.request('interrupt', payload, { deadlineMs: interruptMs });
  } catch (error) {
    // Whether the answer comes or the process dies first, the turns tell what happened.
    const isRefused = TroupeError.is(error) && (error.code === 'CONTROL_REFUSED' || error.code === 'CONTROL_LIMIT');
    if (TroupeError.is(error) && !isRefused) return;
    incarnation.tell({ type: 'session.interrupt-refused' });
    throw error;
  }
}

function timedOut({ interruptMs }: InterruptTarget): TroupeError {
  return new TroupeError('INTERRUPT_TIMEOUT', { details: { deadlineMs: interruptMs } });
}

async function interruptIdle(target: InterruptTarget, cancelled: string[]): Promise<InterruptReceipt> {
  const { life, conversation } = target;
  // Whoever sends a prompt instead of the running one takes back none that waits.
  const head = target.except === undefined ? conversation.ledger.queued[0] : undefined;
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
  const { queued, outstanding } = conversation.ledger;
  const waiting = [...outstanding.filter(({ state }) => state === 'delivered'), ...queued];
  return { effect, cancelled, stillQueued: waiting.map(({ id }) => id) };
}

function overdue(actor: Incarnation['actor']): () => boolean {
  let isOverdue = false;
  const subscription = actor.on('interrupt.overdue', () => {
    isOverdue = true;
  });
  return () => {
    subscription.unsubscribe();
    return isOverdue;
  };
}
