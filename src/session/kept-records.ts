import type { RecordName } from '../store/store.ts';
import type { LedgerRecord, StoreRecord } from '../store/store-record.ts';

/** Records of ended prompts, of settled questions and of turns that are kept; the oldest go. */
const KEPT = { prompt: 1_000, permission: 200, ledger: 1_000 };

/** What lies in the store under the id of a session before this host writes of it. */
export interface FoundRecords {
  /** The last event of the session that had this id before it and has ended; 0 where there was none. */
  readonly begunAfter: number;
  /** Of what is over, the oldest first. */
  readonly kept: readonly RecordName[];
  /** Of that other session, and of no use any more. */
  readonly stale: readonly RecordName[];
}

export const NOTHING_FOUND: FoundRecords = { begunAfter: 0, kept: [], stale: [] };

/** For a session that another host left. */
export function ownRecords(records: readonly StoreRecord[]): FoundRecords {
  const begunAfter = beginningOf(records);
  const ended = records.flatMap((one) => (one.kind === 'prompt' && one.state === 'ended' ? [one] : []));
  ended.sort((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0));
  const settled = records.filter((one) => one.kind === 'permission' && one.state === 'settled');
  return { begunAfter, kept: [...ended, ...settled, ...turnsIn(records)].flatMap(nameOf), stale: [] };
}

/** For a new session with the id of one that has ended: of that one only what it used still counts. */
export function formerRecords(lastSeq: number, records: readonly StoreRecord[]): FoundRecords {
  const stale = records.filter(({ kind }) => kind === 'prompt' || kind === 'permission');
  return { begunAfter: lastSeq, kept: turnsIn(records).flatMap(nameOf), stale: stale.flatMap(nameOf) };
}

/** The turns of the session itself, without those of one that had its id before. */
export function ownTurns(records: readonly StoreRecord[]): LedgerRecord[] {
  const begunAfter = beginningOf(records);
  return turnsIn(records).filter((turn) => (turn.begunAfter ?? 0) === begunAfter);
}

/** What is kept of what is over, and what has to go for it; counted over all hosts that write one after the other. */
export class KeptRecords {
  readonly begunAfter: number;
  readonly #ids: Readonly<Record<RecordName['kind'], Set<string>>>;
  #stale: readonly RecordName[];

  constructor({ begunAfter, kept, stale }: FoundRecords) {
    this.begunAfter = begunAfter;
    const idsOf = (kind: RecordName['kind']) => new Set(kept.flatMap((one) => (one.kind === kind ? [one.id] : [])));
    this.#ids = { prompt: idsOf('prompt'), permission: idsOf('permission'), ledger: idsOf('ledger') };
    this.#stale = stale;
  }

  /** It is over now, and kept; returns what goes for it. */
  add(kind: RecordName['kind'], id: string): RecordName[] {
    const ids = this.#ids[kind];
    ids.delete(id);
    ids.add(id);
    const surplus = [...ids].slice(0, Math.max(0, ids.size - KEPT[kind]));
    for (const oldest of surplus) ids.delete(oldest);
    return surplus.map((oldest) => ({ kind, id: oldest }));
  }

  /** What goes with the first word of the session, once. */
  takeStale(): readonly RecordName[] {
    const stale = this.#stale;
    this.#stale = [];
    return stale;
  }
}

function beginningOf(records: readonly StoreRecord[]): number {
  const session = records.find((one) => one.kind === 'session');
  return session?.begunAfter ?? 0;
}

function turnsIn(records: readonly StoreRecord[]): LedgerRecord[] {
  return records.filter((one) => one.kind === 'ledger').sort((one, other) => one.at - other.at);
}

function nameOf(record: StoreRecord): RecordName[] {
  return record.kind === 'session' ? [] : [{ kind: record.kind, id: record.id }];
}
