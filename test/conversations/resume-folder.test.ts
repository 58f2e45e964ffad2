import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InMemorySessionStore } from '../../src/conversations/in-memory-session-store.ts';
import { makeResumeFolder, newestInStore, type ResumeFolderOptions } from '../../src/conversations/resume-folder.ts';
import type { SessionStore } from '../../src/conversations/session-store.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { idOf, linesOf, prompt, transcriptDisk } from './transcript-disk.ts';

const KEY = { projectKey: '-srv', sessionId: idOf(1) };
const ROWS = [{ ...prompt(1, 'Hello') }, { type: 'tag', tag: 'red' }];

describe('a folder for a conversation out of a store', () => {
  it('has the transcript where the CLI looks for it, and subagents, for this user alone', async () => {
    const { store, make, parent } = await openStore();
    await store.append({ ...KEY, subpath: 'subagents/w/agent-a1' }, [
      ...ROWS,
      { type: 'agent_metadata', toolUseId: 't' },
    ]);
    const folder = await make();
    const project = join(folder?.path ?? '', 'projects', '-srv');

    expect(readFileSync(join(project, `${idOf(1)}.jsonl`), 'utf8')).toBe(linesOf(ROWS));
    const agent = join(project, idOf(1), 'subagents', 'w');
    expect(readFileSync(join(agent, 'agent-a1.jsonl'), 'utf8')).toBe(linesOf(ROWS));
    expect(JSON.parse(readFileSync(join(agent, 'agent-a1.meta.json'), 'utf8'))).toEqual({ toolUseId: 't' });
    expect(statSync(folder?.path ?? '').mode & 0o777).toBe(0o700);
    expect(statSync(join(project, `${idOf(1)}.jsonl`)).mode & 0o777).toBe(0o600);
    await folder?.dispose();
    await folder?.dispose();
    expect(readdirSync(parent)).toEqual([]);
  });

  it('is not made for an id that is no UUID, and not where the store has nothing', async () => {
    const { make, parent } = await openStore();
    expect(await make({ key: { ...KEY, sessionId: '../x' } })).toBeUndefined();
    expect(await make({ key: { ...KEY, sessionId: idOf(2) } })).toBeUndefined();
    expect(await make({ store: { append: async () => {}, load: async () => [] } })).toBeUndefined();
    expect(readdirSync(parent)).toEqual([]);
  });

  it.each(['../../../../evil', '/etc/evil', 'subagents/../../evil', '..', '', 'a//b', './a', 'a\\..\\b', 'a\u0000b'])(
    'takes nothing from a store that would lead out of it: %j',
    async (subpath) => {
      const { store, make, parent } = await openStore();
      const evil: SessionStore = {
        append: store.append.bind(store),
        load: async () => ROWS,
        listSubkeys: async () => [subpath],
      };
      const folder = await make({ store: evil });
      const names = readdirSync(parent, { recursive: true, encoding: 'utf8' });
      expect(names.filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
      expect(names.some((name) => name.includes('evil'))).toBe(false);
      await folder?.dispose();
    },
  );

  it('leaves nothing behind when the store fails half way', async () => {
    const { store, make, parent } = await openStore();
    const failing: SessionStore = {
      append: store.append.bind(store),
      load: store.load.bind(store),
      listSubkeys: () => Promise.reject(new Error('No list.')),
    };
    await expect(make({ store: failing })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(readdirSync(parent)).toEqual([]);
  });

  it('leaves nothing behind when the store does not answer half way (P5)', async () => {
    const { store, make, parent } = await openStore();
    const clock = simulatedClock();
    const silent: SessionStore = {
      append: store.append.bind(store),
      load: store.load.bind(store),
      listSubkeys: () => new Promise(() => {}),
    };
    const making = make({ store: silent, deadlineMs: 500, clock }).catch((error: unknown) => error);
    while (readdirSync(parent).length === 0 || clock.openTimers === 0) await nextLoop();
    clock.increment(500);
    expect(await making).toMatchObject({ code: 'STORE_FAILED', details: { method: 'listSubkeys', timedOut: true } });
    expect(readdirSync(parent)).toEqual([]);
  });

  it('that cannot be made says where and why', async () => {
    const { make, parent } = await openStore();
    const making = make({ parent: join(parent, 'none') });
    await expect(making).rejects.toMatchObject({ code: 'SPAWN_FAILED', details: { errno: 'ENOENT' } });
  });
});

describe('the login and the settings that come along', () => {
  it('have no refresh token, no plugins and no other configuration folder; each file is 0600', async () => {
    const { make, source } = await openStore();
    const oauth = { accessToken: 'a', refreshToken: 'r', expiresAt: 1 };
    write(source, '.credentials.json', { claudeAiOauth: oauth, chatHistoryOauth: { accessToken: 'c' } });
    write(source, '.claude.json', { userID: 'u' });
    const env = { A: '1', CLAUDE_CONFIG_DIR: '/nowhere' };
    write(source, 'settings.json', { model: 'm', env, enabledPlugins: { 'a@b': true }, extraKnownMarketplaces: {} });
    const folder = await make();
    const path = folder?.path ?? '';

    expect(read(path, '.credentials.json')).toEqual({ claudeAiOauth: { accessToken: 'a', expiresAt: 1 } });
    expect(read(path, '.claude.json')).toEqual({ userID: 'u' });
    expect(read(path, 'settings.json')).toEqual({ model: 'm', env: { A: '1' } });
    for (const name of ['.credentials.json', '.claude.json', 'settings.json']) {
      expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
    }
    await folder?.dispose();
  });

  it('are copied as they are when they do not parse, and left out when they are not there or no files', async () => {
    const { make, source } = await openStore();
    writeFileSync(join(source, 'settings.json'), '{ // mine\n');
    mkdirSync(join(source, '.credentials.json'));
    const folder = await make();
    const path = folder?.path ?? '';

    expect(readFileSync(join(path, 'settings.json'), 'utf8')).toBe('{ // mine\n');
    expect(existsSync(join(path, '.credentials.json'))).toBe(false);
    expect(existsSync(join(path, '.claude.json'))).toBe(false);
    await folder?.dispose();
  });
});

describe('the newest conversation of a store', () => {
  it('is no side branch, no empty one and none with a foreign id; ties go to the greater id', async () => {
    const times: Record<string, number> = {
      [idOf(1)]: 1,
      [idOf(2)]: 5,
      [idOf(3)]: 5,
      [idOf(4)]: 9,
      x: 10,
      [idOf(5)]: 8,
    };
    const store: SessionStore = {
      append: async () => {},
      load: async ({ sessionId }) => {
        if (sessionId === idOf(5)) return [];
        return [{ type: 'user', isSidechain: sessionId === idOf(4) }];
      },
      listSessions: async () => Object.entries(times).map(([sessionId, mtime]) => ({ sessionId, mtime })),
    };
    expect(await newestInStore(store, '-srv', {})).toBe(idOf(3));
    expect(await newestInStore({ ...store, listSessions: async () => [] }, '-srv', {})).toBeUndefined();
  });
});

async function openStore() {
  const { root } = transcriptDisk();
  const [source, parent] = [join(root, 'source'), join(root, 'temporary')];
  for (const folder of [source, parent]) mkdirSync(folder);
  const store = new InMemorySessionStore();
  await store.append(KEY, ROWS);
  const make = (more: Partial<ResumeFolderOptions> = {}) =>
    makeResumeFolder({ store, key: KEY, source: { configDir: source, stateDir: source }, parent, ...more });
  return { store, source, parent, make };
}

function write(folder: string, name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

function read(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}
