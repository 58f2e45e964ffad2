import { describe, expect, it } from 'vitest';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../src/conversations/session-store.ts';
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts';

const NAMES = sessionStoreConformance(() => new InMemorySessionStore()).map(({ name }) => name);

describe('the store in memory', () => {
  for (const { name, run } of sessionStoreConformance(() => new InMemorySessionStore())) it(name, run);

  const shared = new InMemorySessionStore();
  for (const { name, run } of sessionStoreConformance(() => shared))
    it(`${name}, in a store that all cases share`, run);

  it('keeps a line with a uuid once, however often it comes', async () => {
    const store = new InMemorySessionStore();
    const key = { projectKey: '-srv', sessionId: 'one' };
    const entry = { type: 'user', uuid: 'u' };
    await store.append(key, [entry, entry]);
    await store.append(key, [entry, { type: 'user', uuid: 'v' }]);
    expect((await store.load(key))?.map(({ uuid }) => uuid)).toEqual(['u', 'v']);
  });

  it('shows a test what it holds: lines, the number of conversations, and can be emptied', async () => {
    const store = new InMemorySessionStore();
    const key = { projectKey: '-srv', sessionId: 'one' };
    await store.append(key, [{ type: 'user' }]);
    await store.append({ ...key, subpath: 'subagents/agent-a' }, [{ type: 'user' }]);
    expect(store.getEntries(key)).toEqual([{ type: 'user' }]);
    expect(store.getEntries({ ...key, sessionId: 'two' })).toEqual([]);
    expect(store.size).toBe(1);
    store.clear();
    expect(store.size).toBe(0);
    expect(await store.load(key)).toBeNull();
    expect(await store.listSessionSummaries('-srv')).toEqual([]);
  });
});

describe('the promises of a session store', () => {
  it('are at least 14, each with a name of its own', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(14);
    expect(new Set(NAMES).size).toBe(NAMES.length);
  });

  it('are kept by a store that has append and load alone', async () => {
    const behind = new InMemorySessionStore();
    const store: SessionStore = {
      append: (key, entries) => behind.append(key, entries),
      load: (key) => behind.load(key),
    };
    expect(await brokenBy(() => store)).toEqual([]);
  });

  it.each(Object.entries(faultyStores()))('are not all kept by a store that %s', async (_, { make, breaks }) => {
    const broken = await brokenBy(make);
    expect(broken).toContainEqual(expect.stringMatching(breaks));
    expect(broken.length).toBeLessThan(NAMES.length);
  });

  it('can each be broken: there is no case that every store passes', async () => {
    const broken = new Set<string>();
    for (const { make } of Object.values(faultyStores())) for (const name of await brokenBy(make)) broken.add(name);
    expect(NAMES.filter((name) => !broken.has(name))).toEqual([]);
  });
});

async function brokenBy(make: () => SessionStore): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of sessionStoreConformance(make)) await run().catch(() => names.push(name));
  return names;
}

/** Stores with one fault each, and a case that has to see it. */
function faultyStores(): Record<string, { make: () => SessionStore; breaks: RegExp }> {
  const store = (fault: (good: InMemorySessionStore) => Partial<SessionStore>) => () => {
    const good = new InMemorySessionStore();
    return {
      append: (key: SessionKey, entries: SessionStoreEntry[]) => good.append(key, entries),
      load: (key: SessionKey) => good.load(key),
      listSessions: (projectKey: string) => good.listSessions(projectKey),
      listSessionSummaries: (projectKey: string) => good.listSessionSummaries(projectKey),
      delete: (key: SessionKey) => good.delete(key),
      listSubkeys: (key: { projectKey: string; sessionId: string }) => good.listSubkeys(key),
      ...fault(good),
    };
  };
  const withoutSubpath = ({ projectKey, sessionId }: SessionKey) => ({ projectKey, sessionId });
  return {
    'reverses lines': {
      make: store((good) => ({ load: async (key) => (await good.load(key))?.reverse() ?? null })),
      breaks: /in order/,
    },
    'stores text as Latin letters': {
      make: store((good) => ({
        append: (key, entries) => good.append(key, JSON.parse(JSON.stringify(entries).replaceAll(/[^ -~]/g, '?'))),
      })),
      breaks: /deep-equal/,
    },
    'returns an empty list for what it never had': {
      make: store((good) => ({ load: async (key) => (await good.load(key)) ?? [] })),
      breaks: /null for a conversation/,
    },
    'creates what was asked to be deleted': {
      make: store((good) => ({
        delete: async (key) => {
          await good.delete(key);
          await good.append(key, [{ type: 'tombstone' }]);
        },
      })),
      breaks: /is not there does nothing/,
    },
    'replaces lines instead of adding': {
      make: store((good) => ({
        append: async (key, entries) => {
          await good.delete(key);
          await good.append(key, entries);
        },
      })),
      breaks: /comes behind/,
    },
    'drops everything at an append without lines': {
      make: store((good) => ({
        append: (key, entries) => (entries.length === 0 ? good.delete(key) : good.append(key, entries)),
      })),
      breaks: /without lines changes nothing/,
    },
    'keeps equal lines once': {
      make: store((good) => ({
        append: (key, entries) =>
          good.append(
            key,
            entries.filter((one) => !good.getEntries(key).some((it) => JSON.stringify(it) === JSON.stringify(one))),
          ),
      })),
      breaks: /without uuid/,
    },
    'keeps what it was given by reference': {
      make: () => {
        const kept = new Map<string, SessionStoreEntry[]>();
        return {
          append: async (key, entries) => {
            const place = JSON.stringify(key);
            kept.set(place, [...(kept.get(place) ?? []), ...entries]);
          },
          load: async (key) => kept.get(JSON.stringify(key)) ?? null,
        };
      },
      breaks: /changes afterwards/,
    },
    'takes 100 lines of an append': {
      make: store((good) => ({ append: (key, entries) => good.append(key, entries.slice(0, 100)) })),
      breaks: /1 000 lines/,
    },
    'has one place for a conversation and its subagents': {
      make: store((good) => ({
        append: (key, entries) => good.append(withoutSubpath(key), entries),
        load: (key) => good.load(withoutSubpath(key)),
      })),
      breaks: /kept apart from its conversation/,
    },
    'finds projects by the start of their name': {
      make: store((good) => ({
        append: (key, entries) => good.append({ ...key, projectKey: key.projectKey.slice(0, 30) }, entries),
        load: (key) => good.load({ ...key, projectKey: key.projectKey.slice(0, 30) }),
        listSessions: (projectKey) => good.listSessions(projectKey.slice(0, 30)),
      })),
      breaks: /two projects/,
    },
    'reads, waits and writes back': {
      make: () => {
        const kept = new Map<string, string>();
        return {
          append: async (key, entries) => {
            const place = JSON.stringify(key);
            const before: SessionStoreEntry[] = JSON.parse(kept.get(place) ?? '[]');
            await Promise.resolve();
            kept.set(place, JSON.stringify([...before, ...entries]));
          },
          load: async (key) => JSON.parse(kept.get(JSON.stringify(key)) ?? 'null'),
        };
      },
      breaks: /same time/,
    },
    'tells times in seconds': {
      make: store((good) => ({
        listSessions: async (projectKey) =>
          (await good.listSessions(projectKey)).map((it) => ({ ...it, mtime: it.mtime / 1_000 })),
      })),
      breaks: /epoch milliseconds/,
    },
    'lists subagents as conversations': {
      make: store((good) => ({
        listSessions: async (projectKey) => {
          const main = await good.listSessions(projectKey);
          const subkeys = await Promise.all(main.map(({ sessionId }) => good.listSubkeys({ projectKey, sessionId })));
          return [...main, ...subkeys.flat().map((subpath) => ({ sessionId: subpath, mtime: Date.now() }))];
        },
      })),
      breaks: /does not name subagents/,
    },
    'counts times down': {
      make: store((good) => {
        let mtime = Date.now();
        return {
          listSessions: async (projectKey) => {
            mtime -= 1;
            return (await good.listSessions(projectKey)).map((it) => ({ ...it, mtime }));
          },
        };
      }),
      breaks: /moves a conversation forward/,
    },
    'sums up the first append alone': {
      make: store((good) => {
        const first = new InMemorySessionStore();
        return {
          append: async (key, entries) => {
            if (first.getEntries(key).length === 0) await first.append(key, entries);
            await good.append(key, entries);
          },
          listSessionSummaries: (projectKey) => first.listSessionSummaries(projectKey),
        };
      }),
      breaks: /sums up every append/,
    },
    'leaves subagents behind': {
      make: store((good) => ({
        delete: async (key) => {
          const subpaths = await good.listSubkeys(key);
          const kept = subpaths.map((subpath) => ({ subpath, entries: good.getEntries({ ...key, subpath }) }));
          await good.delete(key);
          for (const { subpath, entries } of kept) await good.append({ ...key, subpath }, entries);
        },
      })),
      breaks: /takes a conversation and its subagents/,
    },
    'deletes all when asked for one subagent': {
      make: store((good) => ({ delete: (key) => good.delete(withoutSubpath(key)) })),
      breaks: /that subagent alone/,
    },
    'forgets nested subagents': {
      make: store((good) => ({
        listSubkeys: async (key) => (await good.listSubkeys(key)).filter((it) => it.split('/').length === 2),
      })),
      breaks: /nested ones too/,
    },
  };
}
