import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../conversations/session-store.ts';
import type { ConformanceCase } from './conformance-case.ts';

type Check = (store: SessionStore, key: SessionKey) => Promise<void>;

/**
 * What Troupe, and the official SDK, expect of a session store, for any test runner:
 * `for (const { name, run } of sessionStoreConformance(makeStore)) it(name, run);`. `makeStore` is called once per case;
 * every case works under a project of its own, so it may return the same store again. Promises about methods that the
 * store does not have are kept by not having them.
 */
export function sessionStoreConformance(makeStore: () => SessionStore | Promise<SessionStore>): ConformanceCase[] {
  return CASES.map(([name, check]) => ({
    name,
    run: async () => {
      const key = { projectKey: `-conformance-${randomUUID()}`, sessionId: randomUUID() };
      await check(await makeStore(), key);
    },
  }));
}

const SUBAGENT = 'subagents/agent-a1';

const CASES: readonly (readonly [name: string, check: Check])[] = [
  [
    'load returns what append was given, deep-equal and in order',
    async (store, key) => {
      const entries = [
        line('user', { message: { role: 'user', content: 'ü "\\ \u2028 \u0000 😀' } }),
        line('assistant'),
      ];
      await store.append(key, entries);
      deepStrictEqual(await store.load(key), entries);
    },
  ],
  [
    'load returns null for a conversation that was never written',
    async (store, key) => strictEqual(await store.load(key), null),
  ],
  [
    'a second append comes behind the first',
    async (store, key) => {
      const [first, second, third] = [line('user'), line('assistant'), line('user')];
      await store.append(key, [first]);
      await store.append(key, [second, third]);
      deepStrictEqual(await store.load(key), [first, second, third]);
    },
  ],
  [
    'an append without lines changes nothing',
    async (store, key) => {
      const entry = line('user');
      await store.append(key, [entry]);
      await store.append(key, []);
      deepStrictEqual(await store.load(key), [entry]);
    },
  ],
  [
    'lines without uuid are kept each time they come',
    async (store, key) => {
      const tag = { type: 'tag', tag: 'again' };
      await store.append(key, [tag]);
      await store.append(key, [tag]);
      deepStrictEqual(await store.load(key), [tag, tag]);
    },
  ],
  [
    'what the caller changes afterwards does not reach the store',
    async (store, key) => {
      const entry = line('user', { nested: { text: 'before' } });
      const copy = structuredClone(entry);
      await store.append(key, [entry]);
      (entry['nested'] as { text: string }).text = 'after';
      deepStrictEqual(await store.load(key), [copy]);
    },
  ],
  [
    'keeps 1 000 lines of one append, each with 1 KB, in order',
    async (store, key) => {
      const entries = Array.from({ length: 1_000 }, (_, index) => line('user', { index, text: 'x'.repeat(1_024) }));
      await store.append(key, entries);
      deepStrictEqual(await store.load(key), entries);
    },
  ],
  [
    'a subagent is kept apart from its conversation',
    async (store, key) => {
      const [main, sub] = [line('user'), line('assistant')];
      await store.append(key, [main]);
      await store.append({ ...key, subpath: SUBAGENT }, [sub]);
      deepStrictEqual(await store.load(key), [main]);
      deepStrictEqual(await store.load({ ...key, subpath: SUBAGENT }), [sub]);
    },
  ],
  [
    'two projects with the same conversation id are kept apart, also where one name begins with the other',
    async (store, key) => {
      const other = { ...key, projectKey: `${key.projectKey}-2` };
      const [one, two] = [line('user'), line('user')];
      await store.append(key, [one]);
      await store.append(other, [two]);
      deepStrictEqual(await store.load(key), [one]);
      deepStrictEqual(await store.load(other), [two]);
      const listed = await store.listSessions?.(key.projectKey);
      ok(listed === undefined || listed.length === 1, 'the other project is listed, too');
    },
  ],
  [
    'appends that run at the same time lose nothing',
    async (store, key) => {
      const entries = Array.from({ length: 20 }, () => line('user'));
      await Promise.all(entries.map((entry) => store.append(key, [entry])));
      const loaded = (await store.load(key)) ?? [];
      deepStrictEqual(uuidsOf(loaded).toSorted(), uuidsOf(entries).toSorted());
    },
  ],
  [
    'listSessions names each conversation once, with whole epoch milliseconds',
    async (store, key) => {
      if (store.listSessions === undefined) return;
      const other = { ...key, sessionId: randomUUID() };
      await store.append(key, [line('user')]);
      await store.append(key, [line('user')]);
      await store.append(other, [line('user')]);
      const listed = await store.listSessions(key.projectKey);
      deepStrictEqual(listed.map(({ sessionId }) => sessionId).toSorted(), [key.sessionId, other.sessionId].toSorted());
      ok(
        listed.every(({ mtime }) => Number.isInteger(mtime) && mtime > 1e12),
        'mtime is no epoch in milliseconds',
      );
    },
  ],
  [
    'listSessions does not name subagents, and nothing of an unknown project',
    async (store, key) => {
      if (store.listSessions === undefined) return;
      await store.append(key, [line('user')]);
      await store.append({ ...key, subpath: SUBAGENT }, [line('user')]);
      strictEqual((await store.listSessions(key.projectKey)).length, 1);
      deepStrictEqual(await store.listSessions(`${key.projectKey}-unknown`), []);
    },
  ],
  [
    'listSessions moves a conversation forward when lines are added',
    async (store, key) => {
      if (store.listSessions === undefined) return;
      await store.append(key, [line('user')]);
      const before = (await store.listSessions(key.projectKey))[0]?.mtime ?? 0;
      await store.append(key, [line('user')]);
      const after = (await store.listSessions(key.projectKey))[0]?.mtime ?? 0;
      ok(after >= before, 'it moved back');
    },
  ],
  [
    'listSessionSummaries is as new as listSessions, and sums up every append',
    async (store, key) => {
      if (store.listSessionSummaries === undefined) return;
      await store.append(key, [line('user', { cwd: '/somewhere', message: { role: 'user', content: 'Hello' } })]);
      await store.append(key, [{ type: 'custom-title', customTitle: 'A title' }]);
      const [summary] = await store.listSessionSummaries(key.projectKey);
      strictEqual(summary?.sessionId, key.sessionId);
      strictEqual(summary?.data['firstPrompt'], 'Hello');
      strictEqual(summary?.data['customTitle'], 'A title');
      const listed = await store.listSessions?.(key.projectKey);
      ok(listed === undefined || (summary?.mtime ?? 0) >= (listed[0]?.mtime ?? 0), 'the summary looks older');
    },
  ],
  [
    'delete takes a conversation and its subagents, and nothing else',
    async (store, key) => {
      if (store.delete === undefined) return;
      const other = { ...key, sessionId: randomUUID() };
      for (const one of [key, { ...key, subpath: SUBAGENT }, other]) await store.append(one, [line('user')]);
      await store.delete(key);
      strictEqual(await store.load(key), null);
      strictEqual(await store.load({ ...key, subpath: SUBAGENT }), null);
      ok((await store.load(other)) !== null, 'the other conversation is gone, too');
      const listed = await store.listSessions?.(key.projectKey);
      ok(listed === undefined || listed.length === 1, 'it is still listed');
      deepStrictEqual((await store.listSubkeys?.(key)) ?? [], []);
    },
  ],
  [
    'delete with a subpath takes that subagent alone',
    async (store, key) => {
      if (store.delete === undefined) return;
      const other = { ...key, subpath: 'subagents/agent-a2' };
      for (const one of [key, { ...key, subpath: SUBAGENT }, other]) await store.append(one, [line('user')]);
      await store.delete({ ...key, subpath: SUBAGENT });
      strictEqual(await store.load({ ...key, subpath: SUBAGENT }), null);
      ok((await store.load(key)) !== null && (await store.load(other)) !== null, 'more than that is gone');
    },
  ],
  [
    'delete of what is not there does nothing',
    async (store, key) => {
      await store.delete?.(key);
      strictEqual(await store.load(key), null);
    },
  ],
  [
    'listSubkeys names every subagent of this conversation once, nested ones too, and not the conversation',
    async (store, key) => {
      if (store.listSubkeys === undefined) return;
      const nested = 'subagents/workflows/run-1/agent-b2';
      await store.append(key, [line('user')]);
      for (const subpath of [SUBAGENT, nested, SUBAGENT]) await store.append({ ...key, subpath }, [line('user')]);
      await store.append({ ...key, sessionId: randomUUID(), subpath: 'subagents/agent-c3' }, [line('user')]);
      deepStrictEqual((await store.listSubkeys(key)).toSorted(), [SUBAGENT, nested].toSorted());
    },
  ],
];

function line(type: string, more: Record<string, unknown> = {}): SessionStoreEntry {
  return { type, uuid: randomUUID(), timestamp: new Date().toISOString(), ...more };
}

function uuidsOf(entries: readonly SessionStoreEntry[]): string[] {
  return entries.map(({ uuid }) => uuid ?? '');
}
