import { ok, strictEqual } from 'node:assert/strict';
import type { ErrorCode, TroupeError } from '../errors.ts';
import type { Change, LogTruncated, Store, StoredEvent } from '../store/store.ts';
import type { PermissionRecord, PromptRecord, SessionRecord, StoreRecord } from '../store/store-record.ts';
import { storedEventsOf } from '../store/stored-row.ts';

export function event(seq: number, more: Partial<StoredEvent> = {}): StoredEvent {
  return { seq, epoch: 1, at: 1_000 + seq, type: 'message', data: new TextEncoder().encode(`{"seq":${seq}}`), ...more };
}

export function events(first: number, last: number): StoredEvent[] {
  return Array.from({ length: last - first + 1 }, (_, index) => event(first + index));
}

/** Lines that stand in one row, the first of them with this number. */
export function row(seq: number, lines: readonly string[], more: Partial<StoredEvent> = {}): StoredEvent {
  const data = new TextEncoder().encode(lines.join('\n'));
  return event(seq, { at: 1_000, type: 'message/stream_event', data, count: lines.length, ...more });
}

export function change(sessionId: string, own: StoredEvent[], records: StoreRecord[] = [], epoch = 1): Change {
  return { sessionId, epoch, events: own, records };
}

export function truncated(from: number, firstSeq: number): LogTruncated {
  return { type: 'log.truncated', from, firstSeq };
}

export function session(more: Partial<SessionRecord> = {}): SessionRecord {
  return {
    kind: 'session',
    state: 'running',
    options: { cwd: '/somewhere', nested: [1, null, { deep: 'ü😀' }] },
    settings: {},
    conversationIds: ['c0'],
    restarts: [],
    deadlines: { backoff: 1_700_000_000_000 },
    ...more,
  };
}

export function prompt(id: string, state: PromptRecord['state'] = 'accepted'): PromptRecord {
  return { kind: 'prompt', id, state, acceptedAt: 5, content: { text: 'Hello' } };
}

export function permission(id: string): PermissionRecord {
  const question = { command: 'ls' };
  return { kind: 'permission', id, about: 'tool', state: 'open', inputDigest: 'd1', requestedAt: 6, question };
}

export async function readAll(store: Store, sessionId: string, after = 0): Promise<(StoredEvent | LogTruncated)[]> {
  const all: (StoredEvent | LogTruncated)[] = [];
  for await (const one of store.read({ sessionId, after })) {
    // A plain array of bytes, whatever view of it a store hands out.
    all.push('data' in one ? { ...one, data: Uint8Array.from(one.data) } : one);
  }
  return all;
}

/** Every event by itself, however they were kept. */
export async function readApart(store: Store, sessionId: string, after = 0): Promise<(StoredEvent | LogTruncated)[]> {
  const rows = await readAll(store, sessionId, after);
  return rows.flatMap((one): readonly (StoredEvent | LogTruncated)[] => ('data' in one ? storedEventsOf(one) : [one]));
}

export function textOf(one: StoredEvent | LogTruncated | undefined): string {
  return one !== undefined && 'data' in one ? new TextDecoder().decode(one.data) : '';
}

export async function rejects(promise: Promise<unknown>, code: ErrorCode): Promise<TroupeError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as TroupeError,
  );
  ok(error !== undefined, `${code} was expected, and nothing was refused`);
  strictEqual(error.code, code);
  return error;
}
