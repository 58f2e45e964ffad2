import { describe, expect, it } from 'vitest';
import type { TroupeError } from '../../src/errors.ts';
import { exportSession, RunningSum } from '../../src/store/export-session.ts';
import { importSession } from '../../src/store/import-session.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { Store, StoredEvent } from '../../src/store/store.ts';
import type { SessionRecord } from '../../src/store/store-record.ts';

const SESSION: SessionRecord = {
  kind: 'session',
  state: 'hibernated',
  options: { cwd: '/somewhere', text: 'a","sum":"0"}' },
  settings: {},
  conversationIds: ['c'],
  restarts: [],
  deadlines: { idle: 5 },
};

describe('a session that is exported and imported', () => {
  it('P7 is the same: records, events, their very bytes, where its log begins, and its incarnation', async () => {
    const store = await storeWithSession();
    await store.prune({ maxEventsPerSession: 4 });
    const lines = await linesOf(store);
    const other = new MemoryStore();

    expect(await importSession(other, lines)).toEqual({ sessionId: 'a', records: 2, events: 4 });
    expect(await other.snapshot('a')).toEqual(await store.snapshot('a'));
    expect(await other.head('a')).toEqual({ firstSeq: 2, lastSeq: 5, epoch: 3 });
    expect(await all(other.read({ sessionId: 'a', after: 0 }))).toEqual(
      await all(store.read({ sessionId: 'a', after: 0 })),
    );
    expect(await linesOf(other)).toEqual(lines);
    await other.append({ sessionId: 'a', epoch: 3, events: [event(6, 3, 'goes on')] });
  });

  it('is readable: text stands as text, only other bytes as base64', async () => {
    const lines = (await linesOf(await storeWithSession())).map((line) => JSON.parse(line));

    expect(lines[0]).toMatchObject({ format: 'troupe-session', version: 1, sessionId: 'a', firstSeq: 1, lastSeq: 5 });
    expect(lines.find(({ seq }) => seq === 2)).toMatchObject({ type: 'message', text: '{"say":"ü😀"}' });
    expect(lines.find(({ seq }) => seq === 3)).toMatchObject({ base64: '/wD+' });
    expect(lines.at(-1)).toMatchObject({ end: true, records: 2, events: 5 });
  });

  it('goes where its log was forgotten altogether', async () => {
    const store = await storeWithSession();
    await store.prune({ maxEventsPerSession: 0 });
    const other = new MemoryStore();
    await importSession(other, await linesOf(store));

    expect(await other.head('a')).toEqual({ firstSeq: 6, lastSeq: 5, epoch: 3 });
  });

  it('shows one moment: what is appended while it is read is not in it', async () => {
    const store = await storeWithSession();
    const lines = exportSession(store, 'a');
    const [first] = [(await lines.next()).value];
    await store.append({ sessionId: 'a', epoch: 3, events: [event(6, 3, 'later')] });
    const rest = await all(lines);

    expect(JSON.parse(first ?? '')).toMatchObject({ lastSeq: 5 });
    expect(rest.join('')).not.toContain('later');
  });

  it('is refused where the id is known, also when that session was forgotten', async () => {
    const store = await storeWithSession();
    const lines = await linesOf(store);

    expect(await codeOf(importSession(store, lines))).toBe('SESSION_EXISTS');
    const once = new MemoryStore();
    await once.append({ sessionId: 'a', epoch: 1, events: [event(1, 1, 'x')] });
    expect(await codeOf(importSession(once, lines))).toBe('SESSION_EXISTS');
  });

  it('has its conversation open nowhere: who opens it next, here or in another session, may', async () => {
    const opening: SessionRecord = { ...SESSION, openConversation: 'c' };
    const store = new MemoryStore();
    await store.append({ sessionId: 'a', epoch: 1, events: [event(1, 1, 'x')], records: [opening] });
    const other = new MemoryStore();
    await other.append({ sessionId: 'b', epoch: 1, events: [event(1, 1, 'x')], records: [opening] });
    await importSession(other, await linesOf(store));

    expect((await other.snapshot('a'))?.records).toEqual([SESSION]);
    const change = { sessionId: 'a', epoch: 1, events: [event(2, 1, 'x')], records: [opening] };
    expect(await codeOf(other.append(change))).toBe('CONVERSATION_IN_USE');
  });

  it('is SESSION_NOT_FOUND where there is none', async () => {
    expect(await codeOf(all(exportSession(new MemoryStore(), 'a')))).toBe('SESSION_NOT_FOUND');
  });
});

describe('an export that is not what was written', () => {
  it('is refused with the line, and nothing of it is taken: each line changed, missing, twice, or cut off there', async () => {
    const lines = await linesOf(await storeWithSession());
    for (const [index, line] of lines.entries()) {
      const changed = line.replace(/[a-z]/, (letter) => (letter === 'x' ? 'y' : 'x'));
      expect(changed).not.toBe(line);
      await expectDamage(lines.with(index, changed), index + 1);
      await expectDamage(lines.toSpliced(index, 0, line), index + 2);
      await expectDamage(lines.with(index, line.slice(0, line.length / 2)), index + 1);
      await expectDamage(lines.slice(0, index), index + 1);
      await expectDamage(lines.toSpliced(index, 1), index + 1);
    }
  });

  it('is refused when it is something else, or empty', async () => {
    await expectDamage([], 1);
    await expectDamage(['hello'], 1);
    await expectDamage(['{"format":"troupe-session"}'], 1);
  });

  it('is STORE_NEWER when a later release wrote it', async () => {
    const line = new RunningSum().seal({ format: 'troupe-session', version: 2 }).trimEnd();

    expect(await codeOf(importSession(new MemoryStore(), [line]))).toBe('STORE_NEWER');
  });
});

async function expectDamage(lines: readonly string[], line: number): Promise<void> {
  const store = new MemoryStore();
  const error = await refusal(importSession(store, lines));
  expect(error).toMatchObject({ code: 'EXPORT_DAMAGED', details: { line } });
  expect(await store.head('a')).toBeUndefined();
}

async function storeWithSession(): Promise<Store> {
  const store = new MemoryStore();
  const prompt = { kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: 'x' } as const;
  await store.append({ sessionId: 'a', epoch: 1, events: [event(1, 1, 'first')], records: [SESSION] });
  const bytes = { ...event(3, 2, ''), data: Uint8Array.of(255, 0, 254) };
  await store.append({ sessionId: 'a', epoch: 2, events: [event(2, 2, '{"say":"ü😀"}'), bytes], records: [prompt] });
  await store.append({ sessionId: 'a', epoch: 3, events: [event(4, 3, ''), event(5, 3, '\uFEFFa\n"')] });
  return store;
}

function event(seq: number, epoch: number, text: string): StoredEvent {
  return { seq, epoch, at: 1_000 + seq, type: 'message', data: new TextEncoder().encode(text) };
}

async function linesOf(store: Store): Promise<string[]> {
  return (await all(exportSession(store, 'a'))).map((line) => line.slice(0, -1));
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return (await refusal(promise)).code;
}

async function refusal(promise: Promise<unknown>): Promise<TroupeError> {
  return await promise.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: TroupeError) => error,
  );
}
