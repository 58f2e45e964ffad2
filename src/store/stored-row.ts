import type { StoredEvent } from './store.ts';

/** What an event counts beside its data, for retention. */
export const EVENT_OVERHEAD_BYTES = 100;

const LINE_FEED = 0x0a;
const LINE_END = Buffer.from('\n');

/** A row grows no further: it is read, and cut by retention, in one piece. */
const MAX_ROW_BYTES = 64 * 1024;

/** How many events a row holds. */
export function countOf({ count = 1 }: Pick<StoredEvent, 'count'>): number {
  return count;
}

/** The number of its last event. */
export function lastSeqOf(row: Pick<StoredEvent, 'seq' | 'count'>): number {
  return row.seq + countOf(row) - 1;
}

/**
 * The events of a row, each by itself. There are as many as it says, whatever stands in it: where lines are missing the
 * last ones are empty, where there are more the last one holds them.
 */
export function storedEventsOf(row: StoredEvent): readonly StoredEvent[] {
  const count = countOf(row);
  if (count === 1) return [row];
  const { seq, epoch, at, type, data } = row;
  const events: StoredEvent[] = [];
  let start = 0;
  for (let index = 0; index < count; index += 1) {
    const end = index === count - 1 ? data.length : endOfLine(data, start);
    events.push({ seq: seq + index, epoch, at, type, data: data.subarray(start, end) });
    start = Math.min(end + 1, data.length);
  }
  return events;
}

/** What of a row is left when so many of its first events are gone; undefined when none is. */
export function withoutFirst(row: StoredEvent, gone: number): StoredEvent | undefined {
  if (gone <= 0) return row;
  const left = countOf(row) - gone;
  if (left <= 0) return undefined;
  const { seq, epoch, at, type, data } = row;
  let start = 0;
  for (let index = 0; index < gone; index += 1) start = Math.min(endOfLine(data, start) + 1, data.length);
  return { seq: seq + gone, epoch, at, type, data: data.subarray(start), ...(left > 1 && { count: left }) };
}

/** What of a row is behind that event; undefined when nothing is. */
export function behind(row: StoredEvent, after: number): StoredEvent | undefined {
  return withoutFirst(row, after + 1 - row.seq);
}

/** What a row counts for retention: as if each of its events stood alone. */
export function weightOf(bytes: number, count: number): number {
  return bytes - (count - 1) + count * EVENT_OVERHEAD_BYTES;
}

/** How many of its first events must go so that it weighs that much less, or all of them. */
export function firstWeighing(row: StoredEvent, excess: number): number {
  const count = countOf(row);
  let [weight, start, lines] = [0, 0, 0];
  while (lines < count && weight < excess) {
    const end = endOfLine(row.data, start);
    weight += end - start + EVENT_OVERHEAD_BYTES;
    start = Math.min(end + 1, row.data.length);
    lines += 1;
  }
  return lines;
}

/**
 * The same events in fewer rows: lines, and rows of lines, that follow each other, of one kind and one moment, stand in one. `isLine` says of a
 * type that its data are a line; what holds a line feed all the same stays alone.
 */
export function inRows(events: readonly StoredEvent[], isLine: (type: string) => boolean): readonly StoredEvent[] {
  const rows: StoredEvent[] = [];
  for (let start = 0; start < events.length; ) {
    const end = endOfRow(events, start, isLine);
    rows.push(...(end - start === 1 ? events.slice(start, end) : [joined(events.slice(start, end))]));
    start = end;
  }
  return rows;
}

function endOfRow(events: readonly StoredEvent[], start: number, isLine: (type: string) => boolean): number {
  const first = events[start];
  if (first === undefined || !isLine(first.type) || !holdsLines(first)) return start + 1;
  let end = start + 1;
  let bytes = first.data.length;
  for (let next = events[end]; next !== undefined; next = events[end]) {
    bytes += next.data.length + 1;
    const isLike = next.type === first.type && next.at === first.at && next.epoch === first.epoch;
    if (!isLike || bytes > MAX_ROW_BYTES || !holdsLines(next)) break;
    end += 1;
  }
  return end;
}

function holdsLines(row: StoredEvent): boolean {
  return countOf(row) > 1 || !row.data.includes(LINE_FEED);
}

function joined(rows: readonly StoredEvent[]): StoredEvent {
  const parts = rows.flatMap(({ data }, index) => (index === 0 ? [data] : [LINE_END, data]));
  const count = rows.reduce((sum, row) => sum + countOf(row), 0);
  const [first] = rows;
  if (first === undefined) throw new Error('A row holds one event at least.');
  return { ...first, data: Buffer.concat(parts), count };
}

function endOfLine(data: Uint8Array, start: number): number {
  const end = data.indexOf(LINE_FEED, start);
  return end === -1 ? data.length : end;
}
