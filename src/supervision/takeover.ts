import { TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { recordIn, textIn } from '../session/stored-json.ts';
import { type RecoveryPlan, type RecoverySetting, takeoverPlan } from './recovery-plan.ts';
import type { BuiltSession } from './session-factory.ts';
import { forgetQuestions, kept } from './take-up.ts';

/** A session that another host left and that waits for somebody: under its id it can be taken over. */
export function isHeld(built: BuiltSession | undefined): built is BuiltSession {
  return built?.restored?.decision === 'held' && built.life.state === 'held';
}

/** How a held session goes on with these options. Throws INVALID_OPTIONS where they name another conversation. */
export function planTakeover(
  held: BuiltSession,
  options: SessionOptions,
  groups: readonly string[],
  setting: RecoverySetting,
): RecoveryPlan {
  assertSameConversation(held, options);
  const { session, log, life, core } = held;
  const { lastSeq } = log;
  const snapshot = { lastSeq, firstSeq: lastSeq + 1, epoch: life.epoch, records: core.records?.current() ?? [] };
  return takeoverPlan(
    session.id,
    snapshot,
    { options: { ...beginningOf(held, options), ...options }, groups },
    setting,
  );
}

/** By what its conversation is found, where no turn has told its id yet and the options do not say it. */
function beginningOf({ restored }: BuiltSession, options: SessionOptions): SessionOptions {
  const before = recordIn(restored?.stored, 'options');
  const [resume, sessionId] = [textIn(before, 'resume'), textIn(before, 'sessionId')];
  if (options.resume !== undefined || options.sessionId !== undefined) return {};
  return {
    ...(resume === undefined ? {} : { resume }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(before?.['forkSession'] === true ? { forkSession: true } : {}),
  };
}

/** Hands over what lies on the desk of the held one, which ends without a word: its log goes on with the other. */
export function handOver(held: BuiltSession, built: BuiltSession, plan: RecoveryPlan): void {
  const { decision, reason, grants, questions } = plan.restored;
  held.life.retire();
  held.desk.retire();
  const { life, log, desk } = built;
  desk.restoreGrants(grants);
  desk.restore(questions);
  log.append(life.epoch, { type: 'session.recovered', from: life.epoch, decision, reason });
  forgetQuestions(built);
}

/** Has a session go on that was taken over by itself; its group has a member go on. */
export async function goOn({ life, log, options }: BuiltSession): Promise<void> {
  await kept(log);
  life.begin();
  if (life.state === 'parked') life.parking.review();
  if (life.state === 'hibernated' && options.autoStart !== false) life.wake();
}

/** It is the same conversation, or it is not taken over. */
function assertSameConversation({ session, restored }: BuiltSession, options: SessionOptions): void {
  const before = recordIn(restored?.stored, 'options') ?? {};
  const refuse = (field: string, wish: string) => {
    const reason = `"${field}" ${wish}: the session goes on with its own conversation.`;
    const details = { field, conversationId: session.conversationId, sessionId: session.id };
    throw new TroupeError('INVALID_OPTIONS', { reason, details });
  };
  for (const field of ['resume', 'sessionId'] as const) {
    const wanted = options[field];
    if (wanted === undefined || wanted === before[field] || wanted === session.conversationId) continue;
    refuse(field, 'names another conversation');
  }
  for (const field of ['continue', 'forkSession'] as const) {
    if (options[field] === true && before[field] !== true) refuse(field, 'asks for another conversation');
  }
}
