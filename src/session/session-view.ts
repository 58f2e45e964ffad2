import { isAskedFor, ruleOf } from '../../machines/child/endings.ts';
import { comingDeadlines, lifeDeadlines } from './deadlines.ts';
import { endFacts, failureFacts } from './exit-cause.ts';
import { type Explanation, explain } from './explanation.ts';
import type { Session, SessionParts } from './session.ts';
import { shownSettings } from './session-settings.ts';

/** The state of everything, as JSON, without secrets. */
export function snapshotOf(session: Session, { life, conversation, log, settings, redaction }: SessionParts) {
  // First of all: with it the machines are told what they hear late, and that is logged (P7).
  const { state } = session;
  const child = life.childSnapshot();
  const machine = life.incarnation?.actor.getSnapshot();
  return redaction.value({
    id: session.id,
    seq: log.lastSeq,
    epoch: life.epoch,
    state,
    status: session.status,
    value: machine?.value,
    child: child.value,
    pid: session.pid,
    facts: conversation.facts,
    usage: session.usage(),
    settings: shownSettings(settings),
    queued: conversation.ledger.queued.map(({ id }) => id),
    outstanding: conversation.ledger.outstanding.map(({ id }) => id),
    permissions: session.permissions.pending(),
  });
}

/** Why the session is where it is, without secrets. */
export function explanationOf(
  session: Session,
  { life, conversation, clock, desk, log, redaction }: SessionParts,
): Explanation {
  // First of all, as above.
  const { state } = session;
  const now = clock.now();
  const machine = life.incarnation?.actor.getSnapshot().context;
  const child = life.childSnapshot().context;
  const last = life.history().at(-1);
  const failure = machine?.endedBecause ?? child.cause;
  const told = explain({
    id: session.id,
    state,
    status: session.status,
    since: last?.at ?? now,
    incarnation: life.epoch,
    pid: session.pid,
    openPermissions: session.permissions
      .pending()
      .map(({ id, kind, toolName, askedAt }) => ({ id, kind, toolName, ageMs: now - askedAt })),
    promptsInDoubt: session.doubts.pending(),
    queuedPrompts: conversation.ledger.queued.length,
    outstandingPrompts: conversation.ledger.outstanding.length,
    backgroundTasks: conversation.tasks.ids.length,
    degradedServers: (machine?.mcp ?? [])
      .filter(({ status }) => status !== 'connected')
      .map(({ name, reason, status }) => ({ name, reason: reason ?? status })),
    lastFailure: failure === null ? undefined : endFacts(failure),
    advice: failure === null || isAskedFor(failure.ending) ? undefined : ruleOf(failure.ending).advice,
    failures: child.failed.map(failureFacts),
    machine,
    backoffMs: child.backoffMs,
    position: life.admission.position(),
    lack: life.admission.lack(),
    parked: life.parking.current ?? undefined,
    isBegun: last !== undefined || log.unkept === undefined,
    store: log.unkept && { ...log.unkept, heldLines: life.incarnation?.heldLines ?? 0 },
    deadlines: comingDeadlines([...lifeDeadlines(life), ...desk.deadlines()], now),
  });
  return redaction.value(told);
}
