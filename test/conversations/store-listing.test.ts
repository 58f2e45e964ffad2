import * as official from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import { getSessionInfo, listSessions } from '../../src/conversations/list-sessions.ts';
import { getSessionMessages } from '../../src/conversations/read-messages.ts';
import type { SessionStore, SessionStoreEntry } from '../../src/conversations/session-store.ts';
import { askStore } from '../../src/conversations/store-call.ts';
import { storeProject } from '../../src/conversations/store-listing.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { answer, idOf, prompt } from './transcript-disk.ts';

/** A last line without a time would be told as written now, each time it is asked for. */
const WRITTEN = '2026-01-02T03:04:05.678Z';

describe('listing a store', () => {
  it('says the same by summaries as by loading everything, and the same as the official SDK', async () => {
    const store = await filledStore();
    const loading = withoutSummaries(store);
    const bySummaries = await listSessions({ sessionStore: store });

    expect(bySummaries.map(({ summary }) => summary)).toEqual(['Named', 'Two']);
    expect(await listSessions({ sessionStore: loading })).toEqual(
      bySummaries.map((info) => expect.objectContaining(info)),
    );
    for (const sessionStore of [store, loading]) {
      expect(asJson(await listSessions({ sessionStore }))).toEqual(
        asJson(await official.listSessions({ sessionStore })),
      );
      for (const number of [1, 2, 3, 9]) {
        const ours = await getSessionInfo(idOf(number), { sessionStore });
        expect(asJson(ours)).toEqual(asJson(await official.getSessionInfo(idOf(number), { sessionStore })));
        const messages = await getSessionMessages(idOf(number), { sessionStore });
        expect(asJson(messages)).toEqual(asJson(await official.getSessionMessages(idOf(number), { sessionStore })));
      }
    }
  });

  it('loads nothing where summaries are up to date, and only what is older than its lines', async () => {
    const store = await filledStore();
    const loaded: string[] = [];
    const counting: SessionStore = {
      append: store.append.bind(store),
      load: (key) => {
        loaded.push(key.sessionId);
        return store.load(key);
      },
      listSessions: store.listSessions.bind(store),
      listSessionSummaries: store.listSessionSummaries.bind(store),
    };
    await listSessions({ sessionStore: counting });
    expect(loaded).toEqual([]);
    const stale: SessionStore = {
      ...counting,
      listSessionSummaries: async (key) =>
        (await store.listSessionSummaries(key)).map((it) => (it.sessionId === idOf(2) ? { ...it, mtime: 1 } : it)),
    };
    expect(await listSessions({ sessionStore: stale })).toHaveLength(2);
    expect(loaded).toEqual([idOf(2)]);
  });

  it('pages before it loads', async () => {
    const loaded: string[] = [];
    const store = withoutSummaries(await filledStore(), (sessionId) => loaded.push(sessionId));
    expect(await listSessions({ sessionStore: store, limit: 1 })).toMatchObject([{ sessionId: idOf(3) }]);
    expect(loaded).toEqual([idOf(3)]);
  });

  it('loads 16 at a time, not more', async () => {
    const { projectKey } = await storeProject(undefined);
    const behind = new InMemorySessionStore();
    for (let number = 1; number <= 40; number += 1) {
      await behind.append({ projectKey, sessionId: idOf(number) }, [entry(prompt(1, `Number ${number}`))]);
    }
    let [running, most] = [0, 0];
    const store: SessionStore = {
      append: behind.append.bind(behind),
      listSessions: behind.listSessions.bind(behind),
      load: async (key) => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return behind.load(key);
      },
    };
    expect(await listSessions({ sessionStore: store })).toHaveLength(40);
    expect(most).toBe(16);
  });

  it('shows one that cannot be loaded with its id and time alone', async () => {
    const store = withoutSummaries(await filledStore(), (sessionId) => {
      if (sessionId === idOf(2)) throw new Error('No line.');
    });
    const listed = await listSessions({ sessionStore: store });
    expect(listed.map(({ sessionId, summary }) => [sessionId, summary])).toEqual([
      [idOf(3), 'Named'],
      [idOf(2), ''],
    ]);
  });

  it('needs a store that can list, and says so', async () => {
    const sessionStore: SessionStore = { append: async () => {}, load: async () => null };
    await expect(listSessions({ sessionStore })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'sessionStore', method: 'listSessions' },
    });
  });

  it('fails with the reason of the store', async () => {
    const sessionStore: SessionStore = {
      append: async () => {},
      load: () => Promise.reject(new Error('No line.')),
      listSessions: () => {
        throw new Error('No list.');
      },
    };
    await expect(listSessions({ sessionStore })).rejects.toMatchObject({ code: 'STORE_FAILED', message: /No list\./ });
    await expect(getSessionMessages(idOf(1), { sessionStore })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      cause: expect.objectContaining({ message: 'No line.' }),
    });
  });
});

describe('a call of a store', () => {
  it('fails after its deadline, and leaves no timer behind (P5)', async () => {
    const clock = simulatedClock();
    const asking = askStore('load', () => new Promise(() => {}), { deadlineMs: 50, clock });
    clock.increment(50);
    await expect(asking).rejects.toMatchObject({
      code: 'STORE_FAILED',
      details: { method: 'load', deadlineMs: 50, timedOut: true },
    });
    await expect(askStore('load', async () => 7, { deadlineMs: 50, clock })).resolves.toBe(7);
    expect(clock.openTimers).toBe(0);
  });
});

async function filledStore(): Promise<InMemorySessionStore> {
  const store = new InMemorySessionStore();
  const { projectKey } = await storeProject(undefined);
  const append = (number: number, rows: readonly object[]) =>
    store.append({ projectKey, sessionId: idOf(number) }, rows.map(entry));
  await append(1, [prompt(1, 'Aside', { isSidechain: true })]);
  await append(2, [
    prompt(1, 'Two', { gitBranch: 'main' }),
    answer(2, 'Yes'),
    { type: 'tag', tag: 'red', timestamp: WRITTEN },
  ]);
  await append(3, [prompt(1, 'Three'), { type: 'custom-title', customTitle: 'Named', timestamp: WRITTEN }]);
  return store;
}

/** The same store for a caller that can only load. */
function withoutSummaries(store: InMemorySessionStore, onLoad: (sessionId: string) => void = () => {}): SessionStore {
  return {
    append: store.append.bind(store),
    listSessions: store.listSessions.bind(store),
    load: async (key) => {
      onLoad(key.sessionId);
      return store.load(key);
    },
  };
}

function entry(row: object): SessionStoreEntry {
  return { type: 'user', ...row };
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
