import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { hasFeature } from '../wire/features.ts';
import { explainedRefusal } from './control-refusal.ts';
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
  /** Prompts that waited when the turn was stopped, or came since, and will run; the first may have begun already. */
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
  /** Why, where nobody just wished it. */
  readonly reason?: TroupeError;
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
  const stopped = conversation.ledger.markInterrupted(meant, target.reason);
  const incarnation = life.incarnation;
  if (stopped.length === 0 || incarnation === undefined) return receipt(conversation, 'nothing', cancelled);
  const waiting = meant.filter((record) => record.state === 'delivered' && !stopped.includes(record));
  const behind = [...waiting, ...conversation.ledger.queued];
  const isOverdue = overdue(incarnation.actor);
  try {
    cancelled.push(...(await send(target, incarnation, waiting)));
  } catch (error) {
    conversation.ledger.unmarkInterrupted(stopped);
    throw error;
  }
  // "Stopped" is only true once the turn has ended or the process is gone (R45).
  const hasEnded = () => stopped.every(({ state }) => state === 'ended');
  await within(conversation, target.clock, 2 * target.interruptMs, hasEnded);
  if (isOverdue() || !hasEnded()) throw timedOut(target);
  return receipt(conversation, 'interrupted', cancelled, behind);
}

/** The running turn is one of the CLI's own, such as the report of an agent: it is stopped, and our prompts run after it. */
async function interruptForeign(target: InterruptTarget, cancelled: string[]): Promise<InterruptReceipt> {
  const { life, conversation, clock, interruptMs } = target;
  const incarnation = life.incarnation;
  if (incarnation === undefined) return receipt(conversation, 'nothing', cancelled);
  const turn = conversation.turnNumber;
  const waiting = conversation.ledger.outstanding.filter(
    ({ id, state }) => state === 'delivered' && id !== target.except,
  );
  const behind = [...waiting, ...conversation.ledger.queued];
  const isOverdue = overdue(incarnation.actor);
  cancelled.push(...(await send(target, incarnation, waiting)));
  const hasEnded = () => conversation.turnNumber !== turn || !conversation.isTurnOpen;
  await within(conversation, clock, 2 * interruptMs, hasEnded);
  if (isOverdue() || !hasEnded()) throw timedOut(target);
  return receipt(conversation, 'interrupted', cancelled, behind);
}

/** The turn goes on: who was asked said no, has no such request, or was not asked. */
const REFUSALS: ReadonlySet<string> = new Set(['CONTROL_REFUSED', 'CONTROL_UNSUPPORTED', 'CONTROL_LIMIT']);

type Incarnation = NonNullable<SessionLife['incarnation']>;

/**
 * Tells the machine, which then guards the deadline, and the CLI. A refusal is taken back from the machine. Resolves with
 * the ids of waiting prompts that the CLI dropped because it was asked to.
 */
async function send(
  target: InterruptTarget,
  incarnation: Incarnation,
  waiting: readonly PromptRecord[],
): Promise<string[]> {
  const { interruptMs: deadlineMs, conversation } = target;
  const { cliVersion, capabilities } = conversation.facts;
  const dropsQueued = target.cancelQueued === true && hasFeature(cliVersion, capabilities, 'cancelQueued');
  incarnation.tell({ type: 'session.interrupt' });
  try {
    // A release that does not drop them by itself is asked for each; it reads that before the interrupt.
    const asked = target.cancelQueued === true && !dropsQueued ? askBack(target, incarnation, waiting) : [];
    const payload = dropsQueued ? { cancel_queued: true } : {};
    const answer = await incarnation.channel.request('interrupt', payload, { deadlineMs });
    return [...(await asked), ...markDropped(target, waiting, answer['cancelled'])];
  } catch (error) {
    const explained = TroupeError.is(error) ? explainedRefusal('interrupt', error, conversation.facts) : error;
    // Whether the answer comes or the process dies first, the turns tell what happened.
    if (TroupeError.is(explained) && !REFUSALS.has(explained.code)) return [];
    incarnation.tell({ type: 'session.interrupt-refused' });
    throw explained;
  }
}

async function askBack(
  target: InterruptTarget,
  { channel }: Incarnation,
  waiting: readonly PromptRecord[],
): Promise<string[]> {
  const answers = waiting.map(({ wireId }) =>
    channel.request('cancel_async_message', { message_uuid: wireId }, { deadlineMs: target.interruptMs }).then(
      ({ cancelled }) => (cancelled === true ? [wireId] : []),
      // It was not taken back, then: it stays among those that still wait.
      () => [],
    ),
  );
  return markDropped(target, waiting, (await Promise.all(answers)).flat());
}

/** The lifecycle says it too, where there is one: but not before the answer. */
function markDropped(target: InterruptTarget, waiting: readonly PromptRecord[], named: unknown): string[] {
  const dropped = waiting.filter(({ wireId }) => Array.isArray(named) && named.includes(wireId));
  for (const { wireId } of dropped) target.conversation.ledger.onLifecycle(wireId, 'cancelled');
  return dropped.map(({ id }) => id);
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
    const asked = life.incarnation.channel.request('interrupt', {}, { deadlineMs: target.interruptMs });
    await asked.catch((error: unknown) => {
      throw TroupeError.is(error) ? explainedRefusal('interrupt', error, conversation.facts) : error;
    });
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
  behind: readonly PromptRecord[] = [],
): InterruptReceipt {
  const { queued, outstanding } = conversation.ledger;
  // The next prompt may start, and end, before whoever asked hears that the turn has ended: it waited all the same.
  const waiting = [...behind.filter(hasFuture), ...outstanding.filter(({ state }) => state === 'delivered'), ...queued];
  return { effect, cancelled, stillQueued: [...new Set(waiting.map(({ id }) => id))] };
}

/** False for a prompt that ended without its turn. */
function hasFuture({ state, result }: PromptRecord): boolean {
  return state !== 'ended' || result?.outcome === 'completed' || result?.outcome === 'failed';
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
