import { type Ending, endingOf } from '../../machines/child/endings.ts';
import { type PersistedChild, type RestoredChild, restoredChild } from '../../machines/child/restored-child.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { type ErrorCode, TroupeError } from '../errors.ts';
import type { OnPromptLost, OnRestart, SessionOptions } from '../launch/session-options.ts';
import { readChildRecord } from '../session/child-record.ts';
import { ownRecords } from '../session/kept-records.ts';
import {
  hasUnfinished,
  type RestoredConversation,
  restoredConversationOf,
  willSend,
} from '../session/restored-conversation.ts';
import { optionsOfStored, type StoredOptions, storedOptionsOf, type Variables } from '../session/stored-options.ts';
import { settingsOfStored } from '../session/stored-settings.ts';
import type { SessionSnapshot } from '../store/store.ts';
import type { PermissionRecord, SessionRecord } from '../store/store-record.ts';
import type { RestoredSession } from './restored-session.ts';

export interface RecoverySetting {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Variables of this host and of its supervisor: where the values that were not stored may be found. */
  readonly variables: Variables;
  /** Checks the options as every start does. */
  readonly parse: (options: unknown) => SessionOptions;
  /** Of the supervisor, for sessions that say nothing of their own. */
  readonly onRestart: OnRestart;
  readonly onPromptLost: OnPromptLost;
  readonly maxRecoveries: number;
}

/** How one session comes back. */
export interface RecoveryPlan {
  readonly id: string;
  readonly options: SessionOptions;
  readonly groups: readonly string[];
  readonly restored: RestoredSession;
}

/** Decides how a session that had not ended comes back. Never throws: what cannot be read is set aside with its reason. */
export function recoveryPlan(id: string, snapshot: SessionSnapshot, setting: RecoverySetting): RecoveryPlan {
  const record = snapshot.records.find((one): one is SessionRecord => one.kind === 'session');
  const kept = readChildRecord(record?.child);
  if (record === undefined || kept === undefined) return unreadable(id, snapshot, record, 'its supervision');
  const { options: stored, missing } = optionsOfStored(storedIn(record), setting.variables);
  const conversation = restoredConversationOf(record, snapshot.records, snapshot.epoch);
  const facts = { id, snapshot, record, kept, conversation, missing, setting };
  // What a start would refuse for want of something is no fault of the record: it is asked for.
  try {
    return planOf({ ...facts, options: setting.parse(stored) });
  } catch (error) {
    if (missing.length > 0) return planOf({ ...facts, options: { id } });
    const words = TroupeError.is(error) ? (error.reason ?? error.message) : String(error);
    return unreadable(id, snapshot, record, `its options (${words})`);
  }
}

/** Decides how a held session goes on when somebody gives it options of its own: nothing is missing then, and nothing holds it. */
export function takeoverPlan(
  id: string,
  snapshot: SessionSnapshot,
  { options, groups }: { readonly options: SessionOptions; readonly groups: readonly string[] },
  setting: RecoverySetting,
): RecoveryPlan {
  const found = snapshot.records.find((one): one is SessionRecord => one.kind === 'session');
  const kept = readChildRecord(found?.child);
  if (found === undefined || kept === undefined) throw new TroupeError('RECORD_UNREADABLE', { details: { id } });
  const { groups: _former, ...record } = found;
  const conversation = restoredConversationOf(record, snapshot.records, snapshot.epoch);
  const free = { ...options, onRestart: 'resume' as const };
  const { restored } = planOf({ id, snapshot, record, kept, conversation, missing: [], options: free, setting });
  const { decision, reason } = restored;
  const isMember = groups.length > 0 && decision !== 'quarantined';
  return {
    id,
    options,
    groups,
    restored: {
      ...restored,
      reason: `It was taken over. ${reason}`,
      // Its group starts it when its turn has come.
      child: isMember ? heldBy(restored.child, 'HOST_LOST', 'Its group starts it.') : restored.child,
      stored: storedOptionsOf(options),
    },
  };
}

interface PlanFacts {
  readonly id: string;
  readonly snapshot: SessionSnapshot;
  readonly record: SessionRecord;
  readonly kept: PersistedChild;
  readonly conversation: RestoredConversation;
  readonly missing: readonly string[];
  readonly options: SessionOptions;
  readonly setting: RecoverySetting;
}

function planOf(facts: PlanFacts): RecoveryPlan {
  const { id, record, options, conversation, missing, snapshot } = facts;
  const verdict = verdictOf(facts);
  const { now } = facts.setting;
  const wasLeft = record.handedOverAt !== undefined;
  // A host that leaves by its own will was not taken down by a session.
  const isCounted = verdict.decision === 'resumed' && hasUnfinished(conversation) && !wasLeft;
  const recoveries = isCounted ? [...conversation.recoveries, now] : conversation.recoveries;
  return {
    id,
    options,
    groups: record.groups ?? [],
    restored: {
      ...verdict,
      ...(wasLeft ? { reason: `It was handed over. ${verdict.reason}` } : {}),
      conversation: { ...conversation, recoveries },
      settings: settingsOfStored(record.settings),
      found: ownRecords(snapshot.records),
      grants: record.grants,
      questions: questionsIn(snapshot),
      missing,
      stored: storedIn(record),
    },
  };
}

function storedIn({ options, withheld = [] }: SessionRecord): StoredOptions {
  return { options, withheld };
}

type Verdict = Pick<RestoredSession, 'decision' | 'reason' | 'child'>;

function verdictOf({ record, kept, conversation, missing, options, setting, snapshot }: PlanFacts): Verdict {
  const onLost = options.onPromptLost ?? setting.onPromptLost;
  const isAsking = questionsIn(snapshot).some(({ state }) => state === 'open');
  const hasWork = willSend(conversation, onLost) || isAsking;
  const isFreed = kept.state === 'held' && record.groups === undefined;
  // It was held for a reason that is looked at anew.
  const child = restoredChild(isFreed ? { ...kept, state: 'waiting', cause: null } : kept, {
    now: setting.now,
    hasWork,
  });
  if (child.state === 'stopped') return { decision: 'ended', reason: 'Its end had been asked for.', child };
  const onRestart = options.onRestart ?? setting.onRestart;
  if (onRestart === 'fail')
    return { decision: 'failed', reason: '"onRestart" is "fail".', child: heldBy(child, 'HOST_LOST', '') };
  if (missing.length > 0) {
    const reason = `Missing: ${missing.join(', ')}. No store can keep them: start it under its id with them.`;
    return { decision: 'held', reason, child: heldBy(child, 'OPTIONS_MISSING', reason) };
  }
  if (child.state === 'quarantined') return { decision: 'quarantined', reason: 'It was quarantined.', child };
  if (record.groups !== undefined) {
    const reason = `It belongs to the group "${record.groups.at(-1)}", which is not started again by itself.`;
    return { decision: 'held', reason, child: heldBy(child, 'HOST_LOST', reason) };
  }
  if (onRestart === 'hold') {
    const reason = '"onRestart" is "hold": restart() has it go on.';
    return { decision: 'held', reason, child: heldBy(child, 'HOST_LOST', reason) };
  }
  const limit = options.limits?.maxRecoveries ?? setting.maxRecoveries;
  if (hasWork && conversation.recoveries.length >= limit) {
    const reason = `It was taken up ${limit} times without a turn that ended well.`;
    return { decision: 'quarantined', reason, child: setAside(child, 'RECOVERIES_USED_UP', reason) };
  }
  if (!hasWork) return { decision: 'kept', reason: `It has no work; it is ${child.state}.`, child };
  return child.state === 'waiting'
    ? { decision: 'resumed', reason: 'It has work.', child }
    : { decision: 'kept', reason: `It has work, and is ${child.state}.`, child };
}

/** The session is there under its id, with what could be read of it, and its owner is told. */
function unreadable(
  id: string,
  snapshot: SessionSnapshot,
  record: SessionRecord | undefined,
  what: string,
): RecoveryPlan {
  const reason = `The record of ${what} could not be read.`;
  const session = record ?? NO_RECORD;
  return {
    id,
    options: { id },
    groups: [],
    restored: {
      decision: 'quarantined',
      reason,
      child: setAside({ ...NO_CHILD, incarnation: snapshot.epoch }, 'RECORD_UNREADABLE', reason),
      conversation: restoredConversationOf(session, snapshot.records, snapshot.epoch),
      settings: settingsOfStored(session.settings),
      found: ownRecords(snapshot.records),
      grants: session.grants,
      questions: questionsIn(snapshot),
      missing: ['options'],
      stored: storedIn(session),
    },
  };
}

/** As above, with nothing of its records: what stands there could not even be looked at. It stays as it is. */
export function bareSessionPlan(id: string, snapshot: SessionSnapshot, error: unknown): RecoveryPlan {
  const record = snapshot.records.find((one): one is SessionRecord => one.kind === 'session');
  const words = error instanceof Error ? error.message : String(error);
  const plan = unreadable(id, { ...snapshot, records: [] }, undefined, `the session (${words})`);
  return { ...plan, restored: { ...plan.restored, stored: storedIn(record ?? NO_RECORD), isBare: true } };
}

function heldBy(child: RestoredChild, code: ErrorCode, message: string): RestoredChild {
  return { ...child, state: 'held', parking: null, cause: causeOf(code, message) };
}

function setAside(child: RestoredChild, code: ErrorCode, message: string): RestoredChild {
  return { ...child, state: 'quarantined', parking: null, cause: causeOf(code, message) };
}

function causeOf(code: ErrorCode, message: string): EndCause {
  const ending: Ending = endingOf(code);
  return { code, message, ending };
}

function questionsIn({ records }: SessionSnapshot): PermissionRecord[] {
  return records.filter((record): record is PermissionRecord => record.kind === 'permission');
}

const NO_RECORD: SessionRecord = {
  kind: 'session',
  state: 'quarantined',
  options: {},
  settings: {},
  conversationIds: [],
  restarts: [],
  deadlines: {},
};

const NO_CHILD: RestoredChild = {
  state: 'quarantined',
  incarnation: 0,
  wasEverReady: true,
  restarts: [],
  failures: 0,
  failed: [],
  retriedFor: null,
  backoffMs: 0,
  backoffUntil: null,
  pausedFor: 'hibernate',
  parking: null,
  wasAsleep: false,
  cause: null,
  stoppedFor: null,
};
