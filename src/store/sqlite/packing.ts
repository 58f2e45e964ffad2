import type { Change, RecordName, StoredEvent } from '../store.ts';
import type { StoreRecord } from '../store-record.ts';

/** A record as it is written: its JSON, and what the writer looks at. The id of a session's own record is empty. */
export interface WrittenRecord {
  readonly kind: StoreRecord['kind'];
  readonly id: string;
  readonly body: string;
  readonly endedAt?: number | undefined;
  readonly openConversation?: string | undefined;
}

/** A change whose records are text: as they were at the call, whatever became of the caller's objects. */
export interface PlainChange extends Omit<Change, 'records'> {
  readonly records?: readonly WrittenRecord[];
}

/**
 * What crosses to the thread that writes, and back. Lines are views of larger blocks, and a message between threads takes the
 * whole block with every view: so the bytes travel side by side in one buffer that is handed over. The numbers travel in
 * another: an object for each event would cost more than the rest of its way.
 */
export interface PackedEvents {
  /** For each event `seq`, `epoch`, `at`, its type as a place in `types`, the length of its data, and its count. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly types: readonly string[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const NUMBERS_PER_EVENT = 6;

export interface PackedChanges {
  /** For each change its session as a place in `sessions`, `epoch`, and how many events it has. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly sessions: readonly string[];
  /** Of those that have more than events. */
  readonly others: readonly PackedOthers[];
  readonly events: PackedEvents;
}

const NUMBERS_PER_CHANGE = 3;

interface PackedOthers {
  readonly index: number;
  readonly records: readonly WrittenRecord[] | undefined;
  readonly forget: readonly RecordName[] | undefined;
  readonly firstSeq: number | undefined;
}

/** As it is at this moment; throws where a record is no JSON. */
export function plainChange({ sessionId, epoch, events, firstSeq, records, forget }: Change): PlainChange {
  return {
    sessionId,
    epoch,
    events: [...events],
    ...(records !== undefined && records.length > 0 && { records: records.map(writtenRecord) }),
    ...(forget !== undefined && { forget: [...forget] }),
    ...(firstSeq !== undefined && { firstSeq }),
  };
}

/** `into` takes the bytes where they fit; it is theirs then. */
export function packChanges(changes: readonly PlainChange[], into?: ArrayBuffer): PackedChanges {
  const sessions = new Places();
  const others: PackedOthers[] = [];
  const numbers = new Float64Array(changes.length * NUMBERS_PER_CHANGE);
  let place = 0;
  for (const [index, { sessionId, epoch, events, records, forget, firstSeq }] of changes.entries()) {
    numbers[place++] = sessions.of(sessionId);
    numbers[place++] = epoch;
    numbers[place++] = events.length;
    if (records ?? forget ?? firstSeq) others.push({ index, records, forget, firstSeq });
  }
  const events = packEvents(
    changes.flatMap(({ events }) => events),
    into,
  );
  return { numbers, sessions: sessions.names, others, events };
}

export function unpackChanges({ numbers, sessions, others, events }: PackedChanges): PlainChange[] {
  const all = unpackEvents(events);
  const more = new Map(others.map(({ index, ...rest }) => [index, rest]));
  const changes: PlainChange[] = [];
  let start = 0;
  for (let place = 0; place < numbers.length; place += NUMBERS_PER_CHANGE) {
    const sessionId = sessions[numbers[place] ?? 0] ?? '';
    const end = start + (numbers[place + 2] ?? 0);
    const { records, forget, firstSeq } = more.get(changes.length) ?? {};
    changes.push({
      sessionId,
      epoch: numbers[place + 1] ?? 0,
      events: all.slice(start, end),
      ...(records !== undefined && { records }),
      ...(forget !== undefined && { forget }),
      ...(firstSeq !== undefined && { firstSeq }),
    });
    start = end;
  }
  return changes;
}

/** What a message hands over instead of copying it. */
export function buffersOf({ numbers, events }: PackedChanges): ArrayBuffer[] {
  return [numbers.buffer, events.numbers.buffer, events.bytes.buffer];
}

export function packEvents(events: readonly StoredEvent[], into?: ArrayBuffer): PackedEvents {
  const size = events.reduce((sum, { data }) => sum + data.length, 0);
  const bytes = new Uint8Array(memoryFor(size, into), 0, size);
  const numbers = new Float64Array(events.length * NUMBERS_PER_EVENT);
  const types = new Places();
  let [offset, place] = [0, 0];
  for (const { seq, epoch, at, type, data, count = 1 } of events) {
    bytes.set(data, offset);
    offset += data.length;
    numbers[place++] = seq;
    numbers[place++] = epoch;
    numbers[place++] = at;
    numbers[place++] = types.of(type);
    numbers[place++] = data.length;
    numbers[place++] = count;
  }
  return { numbers, types: types.names, bytes };
}

/** What was given, where it is large enough; else more, so that the next time it is. */
function memoryFor(size: number, given: ArrayBuffer | undefined): ArrayBuffer {
  if (given === undefined) return new ArrayBuffer(size);
  return given.byteLength >= size ? given : new ArrayBuffer(2 ** Math.ceil(Math.log2(size)));
}

export function unpackEvents({ numbers, types, bytes }: PackedEvents): StoredEvent[] {
  const events: StoredEvent[] = [];
  let offset = 0;
  for (let place = 0; place < numbers.length; place += NUMBERS_PER_EVENT) {
    const end = offset + (numbers[place + 4] ?? 0);
    const count = numbers[place + 5] ?? 1;
    events.push({
      seq: numbers[place] ?? 0,
      epoch: numbers[place + 1] ?? 0,
      at: numbers[place + 2] ?? 0,
      type: types[numbers[place + 3] ?? 0] ?? '',
      data: bytes.subarray(offset, end),
      ...(count !== 1 && { count }),
    });
    offset = end;
  }
  return events;
}

/** Each name once, and where it stands. */
class Places {
  readonly names: string[] = [];
  readonly #places = new Map<string, number>();

  of(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}

function writtenRecord(record: StoreRecord): WrittenRecord {
  const body = JSON.stringify(record);
  if (record.kind !== 'session') return { kind: record.kind, id: record.id, body };
  return { kind: 'session', id: '', body, endedAt: record.endedAt, openConversation: record.openConversation };
}
