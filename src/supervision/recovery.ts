import { TroupeError } from '../errors.ts';
import { textIn } from '../session/stored-json.ts';
import type { RecoveryDecision } from '../store/session-event.ts';
import type { SessionEntry, SessionSnapshot, Store } from '../store/store.ts';
import type { LedgerRecord, StoreRecord } from '../store/store-record.ts';
import { flawIn } from './record-check.ts';
import { bareSessionPlan, type RecoveryPlan, type RecoverySetting, recoveryPlan } from './recovery-plan.ts';
import type { StoredSpender } from './restored-budget.ts';
import type { BuiltSession } from './session-factory.ts';
import { takeUp } from './take-up.ts';

/** What became of one session of the store. */
export interface SessionRecovery {
  readonly id: string;
  readonly decision: RecoveryDecision;
  /** One sentence: why that was decided. */
  readonly reason: string;
  /** Options that no store can keep and that are missing, by path. */
  readonly missing: readonly string[];
}

/** What a supervisor found in its store, and what it did about it. */
export interface RecoveryReport {
  /** In the order in which they came to be; without those that had ended. */
  readonly sessions: readonly SessionRecovery[];
  readonly counts: Readonly<Record<RecoveryDecision, number>>;
  readonly tookMs: number;
}

export interface RecoveryHands {
  readonly now: () => number;
  readonly setting: () => RecoverySetting;
  /** Before the first session is put together. */
  readonly restoreBudget: (spenders: readonly StoredSpender[]) => void;
  readonly restoreWall: (plan: RecoveryPlan) => void;
  /** Puts the session together and registers it. */
  readonly build: (plan: RecoveryPlan) => BuiltSession;
}

const NONE: Readonly<Record<RecoveryDecision, number>> = {
  resumed: 0,
  kept: 0,
  held: 0,
  quarantined: 0,
  failed: 0,
  ended: 0,
};

export const NOTHING_RECOVERED: RecoveryReport = { sessions: [], counts: NONE, tookMs: 0 };

/**
 * Takes up every session of the store that had not ended. One that cannot be read or put together costs no other one. Read as
 * often as one likes: a host that is lost in the middle changes nothing about what the next one finds.
 */
export async function recoverSessions(store: Store, hands: RecoveryHands): Promise<RecoveryReport> {
  const startedAt = hands.now();
  const { plans, spenders } = await readAll(store, hands);
  hands.restoreBudget(spenders);
  for (const { plan } of plans) hands.restoreWall(plan);
  const sessions = await Promise.all(plans.map(({ plan, snapshot }) => recover(plan, snapshot, hands)));
  const counts = { ...NONE };
  for (const { decision } of sessions) counts[decision] += 1;
  return { sessions, counts, tookMs: hands.now() - startedAt };
}

async function recover(plan: RecoveryPlan, snapshot: SessionSnapshot, hands: RecoveryHands): Promise<SessionRecovery> {
  const { id } = plan;
  try {
    const { built, restored } = putTogether(plan, snapshot, hands);
    await takeUp(built, restored);
    const { decision, reason, missing } = restored;
    return { id, decision, reason, missing };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { id, decision: 'failed', reason: `It could not be put together: ${words}`, missing: plan.restored.missing };
  }
}

/** One that cannot be put together is set aside, with what its owner needs to end it or to look at its log. */
function putTogether(plan: RecoveryPlan, snapshot: SessionSnapshot, hands: RecoveryHands) {
  try {
    return { built: hands.build(plan), restored: plan.restored };
  } catch (error) {
    const bare = bareSessionPlan(plan.id, snapshot, error);
    return { built: hands.build(bare), restored: bare.restored };
  }
}

/** A record that nobody can make sense of costs no other session. */
function planFor(id: string, snapshot: SessionSnapshot, setting: RecoverySetting): RecoveryPlan {
  const flaw = flawIn(snapshot);
  if (flaw !== undefined) return bareSessionPlan(id, snapshot, new Error(flaw));
  try {
    return recoveryPlan(id, snapshot, setting);
  } catch (error) {
    return bareSessionPlan(id, snapshot, error);
  }
}

async function readAll(store: Store, hands: RecoveryHands) {
  const plans: { readonly plan: RecoveryPlan; readonly snapshot: SessionSnapshot }[] = [];
  const spenders: StoredSpender[] = [];
  for await (const entry of store.sessions()) {
    const snapshot = await snapshotOf(store, entry);
    spenders.push(...spendersOf(entry, snapshot.records));
    if (entry.record.endedAt !== undefined) continue;
    plans.push({ plan: planFor(entry.sessionId, snapshot, hands.setting()), snapshot });
  }
  return { plans, spenders };
}

/** Where single records are damaged, that of the session is still there. */
async function snapshotOf(store: Store, entry: SessionEntry): Promise<SessionSnapshot> {
  const { lastSeq, firstSeq, epoch, record } = entry;
  const partial = { lastSeq, firstSeq, epoch, records: [record] };
  try {
    return (await store.snapshot(entry.sessionId)) ?? partial;
  } catch (error) {
    // What cannot be read now may be whole: without it prompts would be lost.
    if (TroupeError.is(error) && error.code === 'STORE_DAMAGED') return partial;
    throw error;
  }
}

/** The session, and those that had its id before: what they used stays with their key and their groups. */
function spendersOf({ sessionId: id, record }: SessionEntry, records: readonly StoreRecord[]): StoredSpender[] {
  const { begunAfter: own = 0 } = record;
  const turns = new Map<number, LedgerRecord[]>();
  for (const turn of ledgerIn(records)) {
    const { begunAfter = 0 } = turn;
    turns.set(begunAfter, [...(turns.get(begunAfter) ?? []), turn]);
  }
  const former = [...turns].filter(([begunAfter]) => begunAfter !== own);
  const groups = record.groups ?? [];
  const isOver = record.endedAt !== undefined;
  const about = { id, key: textIn(record.options, 'key'), groups, isOver, turns: turns.get(own) ?? [] };
  return [
    { ...about, budget: undefined },
    ...former.map(([begunAfter, of]): StoredSpender => {
      const { key, groups = [] } = of[0] ?? {};
      // No session has such an id.
      return { id: `${id} ${begunAfter}`, key, groups, budget: undefined, isOver: true, turns: of };
    }),
  ];
}

function ledgerIn(records: readonly StoreRecord[]): LedgerRecord[] {
  return records.filter((one): one is LedgerRecord => one.kind === 'ledger');
}
