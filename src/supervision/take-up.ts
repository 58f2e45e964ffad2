import type { EndCause } from '../../machines/session/session.events.ts';
import { TroupeError } from '../errors.ts';
import { recoverPrompts } from '../session/restored-conversation.ts';
import type { EventLog } from '../store/event-log.ts';
import type { RestoredSession } from './restored-session.ts';
import type { BuiltSession } from './session-factory.ts';

const FAILED: EndCause = { code: 'HOST_LOST', message: '"onRestart" is "fail".', ending: 'host-lost' };

/**
 * Has a session go on where another host left it. What was decided is in its log, and durable, before a process is started: a
 * host that is lost in the middle of this leaves what the next one decides about in the same way.
 */
export async function takeUp(built: BuiltSession, restored: RestoredSession): Promise<void> {
  const { life, log, conversation, desk, journal } = built;
  const { decision, reason } = restored;
  log.append(life.epoch, { type: 'session.recovered', from: life.epoch, decision, reason });
  recoverPrompts(conversation, restored.conversation, {
    error: new TroupeError(decision === 'ended' ? 'SESSION_CLOSED' : 'HOST_LOST'),
    isGoingOn: decision !== 'failed' && decision !== 'ended',
    wasAsked: decision === 'ended',
  });
  desk.restoreGrants(restored.grants);
  desk.restore(restored.questions);
  forgetQuestions(built);
  if (decision === 'failed' || decision === 'ended') desk.loseUnasked();
  const goOn = () => begin(built, decision);
  // That it was taken up once more is counted before a process starts: uncounted it might take down one host after the other.
  if ((await isKept(log)) || decision !== 'resumed' || journal === undefined) goOn();
  else journal.whenIdle(goOn);
}

function begin({ life }: BuiltSession, decision: RestoredSession['decision']): void {
  life.begin();
  if (decision === 'failed') life.stop('close', FAILED);
  // What it waited for may be over, and whoever keeps the list of those that wait has to hear of it.
  if (life.state === 'parked') life.parking.review();
}

/** What the first turn, or the first process, has not asked again is asked by nobody; nor what no prompt is left to ask. */
export function forgetQuestions({ log, desk, conversation }: BuiltSession): void {
  const isAtRest = () => conversation.isDrained && !conversation.isTurnOpen;
  const stop = log.listenInside((event) => {
    // A CLI does not take up a turn that was cut off in a tool: its prompt ends, and no turn does (WIRE §15).
    const mayRest =
      event.type === 'prompt.ended' || (event.type === 'session.state-changed' && event.state === 'ready');
    if (!LAST_CHANCES.has(event.type) && !(mayRest && isAtRest())) return;
    stop();
    desk.loseUnasked();
  });
}

const LAST_CHANCES: ReadonlySet<string> = new Set([
  'turn.ended',
  'session.restarting',
  'session.quarantined',
  'session.ended',
]);

/** A store that fails keeps nobody waiting: what follows is not durable then, and that is told. */
export async function kept(log: EventLog): Promise<void> {
  await isKept(log);
}

function isKept(log: EventLog): Promise<boolean> {
  return new Promise((resolve) =>
    log.whenKept(
      () => resolve(true),
      () => resolve(false),
    ),
  );
}
