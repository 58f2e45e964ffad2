import { TroupeError } from '../errors.ts';
import { conflictOf, conversationInUse, EMPTY_HEAD, headAfter } from './change-check.ts';
import type {
  Change,
  LogHead,
  LogTruncated,
  Pruned,
  ReadRequest,
  RetentionPolicy,
  SessionEntry,
  SessionSnapshot,
  Store,
  StoredEvent,
  StoreHealth,
} from './store.ts';
import type { SessionRecord, StoreRecord } from './store-record.ts';
import { behind, countOf, firstWeighing, weightOf, withoutFirst } from './stored-row.ts';

/** Written under one name: the record as JSON, by kind and id. */
type Records = Map<string, string>;

interface Kept {
  head: LogHead;
  /** With the place of each in the order of all arrivals. */
  events: { readonly arrival: number; readonly event: StoredEvent }[];
  readonly records: Records;
  session: SessionRecord | undefined;
}

/** A store that lasts as long as the process: the same promises as the one on disk, but for that. Grows until it is pruned. */
export class MemoryStore implements Store {
  readonly durability = 'strict';
  readonly #sessions = new Map<string, Kept>();
  #arrivals = 0;
  #isClosed = false;

  async append(change: Change): Promise<void> {
    this.#refuseClosed();
    const kept = this.#sessions.get(change.sessionId);
    const head = kept?.head ?? EMPTY_HEAD;
    const refusal = conflictOf(head, change) ?? this.#rivalOf(change);
    if (refusal !== undefined) throw refusal;
    const target: Kept = kept ?? { head, events: [], records: new Map(), session: undefined };
    this.#sessions.set(change.sessionId, target);
    for (const event of change.events) {
      this.#arrivals += 1;
      target.events.push({ arrival: this.#arrivals, event: { ...event, data: new Uint8Array(event.data) } });
    }
    for (const record of change.records ?? []) remember(target, record);
    for (const { kind, id } of change.forget ?? []) target.records.delete(`${kind} ${id}`);
    target.head = headAfter(head, change);
  }

  async room(): Promise<void> {
    this.#refuseClosed();
  }

  async head(sessionId: string): Promise<LogHead | undefined> {
    this.#refuseClosed();
    const head = this.#sessions.get(sessionId)?.head;
    return head === undefined ? undefined : { ...head };
  }

  async *read({ sessionId, after }: ReadRequest): AsyncGenerator<StoredEvent | LogTruncated> {
    this.#refuseClosed();
    const kept = this.#sessions.get(sessionId);
    if (kept === undefined) return;
    const { firstSeq } = kept.head;
    const rows = kept.events.flatMap(({ event }) => behind(event, after) ?? []);
    if (after < firstSeq - 1) yield { type: 'log.truncated', from: after, firstSeq };
    for (const row of rows) yield { ...row, data: new Uint8Array(row.data) };
  }

  async snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    this.#refuseClosed();
    const kept = this.#sessions.get(sessionId);
    if (kept === undefined || kept.records.size === 0) return undefined;
    return { ...kept.head, records: [...kept.records.values()].map((text) => JSON.parse(text)) };
  }

  async *sessions(): AsyncGenerator<SessionEntry> {
    this.#refuseClosed();
    for (const [sessionId, { head, session }] of [...this.#sessions]) {
      if (session !== undefined) yield { sessionId, ...head, record: structuredClone(session) };
    }
  }

  async prune(policy: RetentionPolicy): Promise<Pruned> {
    this.#refuseClosed();
    const sessions = this.#forgetEnded(policy.maxEndedSessions ?? Infinity);
    const before = this.#count() + sessions.events;
    for (const kept of this.#sessions.values()) drop(kept, eventsIn(kept) - (policy.maxEventsPerSession ?? Infinity));
    const { maxBytes = Infinity, before: moment = -Infinity } = policy;
    let bytes = this.#arrived().reduce((sum, { event }) => sum + weightOfRow(event), 0);
    for (const { event, kept } of this.#arrived()) {
      if (bytes <= maxBytes && event.at >= moment) break;
      drop(kept, event.at < moment ? countOf(event) : firstWeighing(event, bytes - maxBytes));
      bytes -= weightOfRow(event);
    }
    return { events: before - this.#count(), sessions: sessions.count };
  }

  health(): StoreHealth {
    return { state: this.#isClosed ? 'closed' : 'open' };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sessions.clear();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new TroupeError('STORE_CLOSED');
  }

  /** Another session that has the conversation open which this change opens. */
  #rivalOf({ sessionId, records = [] }: Change): TroupeError | undefined {
    for (const record of records) {
      if (record.kind !== 'session' || record.openConversation === undefined) continue;
      for (const [other, { session }] of this.#sessions) {
        if (other !== sessionId && session?.openConversation === record.openConversation) {
          return conversationInUse(sessionId, record.openConversation, other);
        }
      }
    }
    return undefined;
  }

  /** Every event that is kept, in the order of arrival. */
  #arrived(): { arrival: number; event: StoredEvent; kept: Kept }[] {
    const all = [...this.#sessions.values()].flatMap((kept) => kept.events.map((one) => ({ ...one, kept })));
    return all.toSorted((one, other) => one.arrival - other.arrival);
  }

  #count(): number {
    return [...this.#sessions.values()].reduce((sum, kept) => sum + eventsIn(kept), 0);
  }

  #forgetEnded(max: number): { count: number; events: number } {
    const ended = [...this.#sessions.values()]
      .filter(({ session }) => session?.endedAt !== undefined)
      .toSorted((one, other) => (other.session?.endedAt ?? 0) - (one.session?.endedAt ?? 0));
    const gone = ended.slice(Math.min(max, ended.length));
    const events = gone.reduce((sum, kept) => sum + eventsIn(kept), 0);
    for (const kept of gone) {
      drop(kept, eventsIn(kept));
      kept.records.clear();
      kept.session = undefined;
    }
    return { count: gone.length, events };
  }
}

function remember(kept: Kept, record: StoreRecord): void {
  const text = JSON.stringify(record);
  kept.records.set(record.kind === 'session' ? 'session' : `${record.kind} ${record.id}`, text);
  if (record.kind === 'session') kept.session = JSON.parse(text);
}

/** Takes the oldest events away. */
function drop(kept: Kept, count: number): void {
  if (count <= 0) return;
  let left = count;
  let whole = 0;
  for (const { event } of kept.events) {
    if (left < countOf(event)) break;
    left -= countOf(event);
    whole += 1;
  }
  kept.events = kept.events.slice(whole).flatMap(({ arrival, event }, index) => {
    const rest = withoutFirst(event, index === 0 ? left : 0);
    return rest === undefined ? [] : { arrival, event: rest };
  });
  kept.head = { ...kept.head, firstSeq: kept.events[0]?.event.seq ?? kept.head.lastSeq + 1 };
}

function eventsIn({ events }: Kept): number {
  return events.reduce((sum, { event }) => sum + countOf(event), 0);
}

function weightOfRow(row: StoredEvent): number {
  return weightOf(row.data.length, countOf(row));
}
