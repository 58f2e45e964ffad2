import type { Change, StoredEvent } from '../store.ts';

/**
 * What crosses to the thread that writes, and back. Lines are views of larger blocks, and a message between threads takes the
 * whole block with every view: so the bytes travel side by side in one buffer that is handed over.
 */
export interface PackedEvents {
  readonly facts: readonly PackedEvent[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type PackedEvent = Omit<StoredEvent, 'data'> & { readonly size: number };

export interface PackedChanges {
  readonly changes: readonly (Omit<Change, 'events'> & { readonly count: number })[];
  readonly events: PackedEvents;
}

export function packChanges(changes: readonly Change[]): PackedChanges {
  return {
    changes: changes.map(({ events, ...rest }) => ({ ...rest, count: events.length })),
    events: packEvents(changes.flatMap(({ events }) => events)),
  };
}

export function unpackChanges({ changes, events }: PackedChanges): Change[] {
  const all = unpackEvents(events);
  let start = 0;
  return changes.map(({ count, ...rest }) => {
    start += count;
    return { ...rest, events: all.slice(start - count, start) };
  });
}

export function packEvents(events: readonly StoredEvent[]): PackedEvents {
  const bytes = new Uint8Array(events.reduce((sum, { data }) => sum + data.length, 0));
  let offset = 0;
  const facts = events.map(({ seq, epoch, at, type, data }) => {
    bytes.set(data, offset);
    offset += data.length;
    return { seq, epoch, at, type, size: data.length };
  });
  return { facts, bytes };
}

export function unpackEvents({ facts, bytes }: PackedEvents): StoredEvent[] {
  let offset = 0;
  return facts.map(({ size, ...event }) => {
    offset += size;
    return { ...event, data: bytes.subarray(offset - size, offset) };
  });
}
