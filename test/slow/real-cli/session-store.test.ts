import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  getSessionMessages,
  InMemorySessionStore,
  listSessions,
  type ObservedEvent,
  type Session,
  type SessionStore,
  type SessionStoreEntry,
} from '../../../src/index.ts';
import { eventOf, processesOf, type Stage, stage } from './stage.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
const AGENT =
  'CALL Task {"description":"job","prompt":"CALL Bash {\\"command\\":\\"echo sub\\"}","subagent_type":"general-purpose"}';

describe('a session with a store', () => {
  it('has its transcript lines in it, subagents too, as on disk (WIRE §12)', async () => {
    const set = await stage({ env: { IS_SANDBOX: '1' } });
    const store = new InMemorySessionStore();
    const session = await set.start({ ...BYPASS, sessionStore: store });
    await session.prompt('Remember the word heliotrope').result;
    const sessionId = session.conversationId ?? '';
    const projectKey = await projectOf(set);
    // The result comes when its lines are stored, not sooner.
    expect(JSON.stringify(store.getEntries({ projectKey, sessionId }))).toContain('heliotrope');
    await session.prompt(AGENT).result;
    await session.settled();
    await session.close();

    const files = await transcriptsOn(set);
    expect(files.map(({ subpath }) => subpath === undefined).toSorted()).toEqual([false, true]);
    for (const { subpath, rows } of files) {
      const stored = store.getEntries({ projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }) });
      // What a newer CLI notes of each request to the API stays on its disk; no resume needs it.
      const expected = rows.filter(({ type }) => !type.startsWith('api-request'));
      expect(stored.filter(({ type }) => type !== 'agent_metadata')).toEqual(expected);
      expect(stored.some(({ type }) => type === 'agent_metadata')).toBe(subpath !== undefined);
    }
    expect(await store.listSessions(projectKey)).toMatchObject([{ sessionId }]);
  });

  it('reads the same from the store as from the disk', async () => {
    const set = await stage();
    const sessionStore = new InMemorySessionStore();
    const session = await set.start({ sessionStore });
    await session.prompt('Hello there').result;
    await session.prompt('And again').result;
    await session.close();
    const id = session.conversationId ?? '';
    const [stored, onDisk] = [{ sessionStore, dir: set.cwd }, { configDir: set.configDir }];

    expect(await getSessionMessages(id, stored)).toEqual(await getSessionMessages(id, onDisk));
    const [info] = await listSessions(stored);
    const [{ fileSize: _size, lastModified: _time, ...expected } = {}] = await listSessions(onDisk);
    expect(info).toMatchObject(expected);
  });

  it('finds what it stored for a working directory of more than 200 characters', async () => {
    const set = await stage();
    const cwd = join(set.cwd, ...Array.from({ length: 6 }, (_, index) => `${index}`.repeat(40)));
    await mkdir(cwd, { recursive: true });
    const sessionStore = new InMemorySessionStore();
    const session = await set.start({ sessionStore, cwd });
    await session.prompt('Hello there').result;
    await session.close();
    const resume = session.conversationId ?? '';

    expect(await listSessions({ sessionStore, dir: cwd })).toMatchObject([{ sessionId: resume }]);
    const resumed = await set.start({ ...elsewhere(set), sessionStore, cwd, resume });
    await resumed.prompt('What did I say?').result;
    expect(JSON.stringify(set.model.requests.at(-1))).toContain('Hello there');
  });

  it('shows nobody the frames the lines come in', async () => {
    const set = await stage();
    const session = await set.start({ sessionStore: new InMemorySessionStore(), sessionStoreFlush: 'eager' });
    const seen: string[] = [];
    for await (const message of session.prompt('Hello')) seen.push(message.type);
    await session.close();
    for (const event of await eventsOf(session)) if (event.type === 'message') seen.push(event.message.type);

    expect(seen).toContain('assistant');
    expect(seen).not.toContain('transcript_mirror');
    expect(await diagnosticsOf(session)).toEqual([]);
  });

  it('goes on when the store fails, and says which lines are lost (P6)', async () => {
    const set = await stage();
    const sessionStore: SessionStore = { append: () => Promise.reject(new Error('No room.')), load: async () => null };
    const session = await set.start({ sessionStore });
    const result = await session.prompt('Hello').result;
    const { message } = await eventOf(session, 'message', (event) => event.message.subtype === 'mirror_error');

    expect(result.outcome).toBe('completed');
    expect(message.value).toMatchObject({ key: { sessionId: session.conversationId } });
    expect(message.value?.['error']).toContain('No room.');
    await session.close();
    expect(await diagnosticsOf(session)).toContain('mirror-failed');
    // The CLI's own file has it all.
    expect(JSON.stringify(await transcriptsOn(set))).toContain('Hello');
  });
});

describe('a conversation out of a store', () => {
  it('goes on where nothing of it is on disk, in a private folder that is gone afterwards', async () => {
    const set = await stage({ env: { IS_SANDBOX: '1' } });
    const sessionStore = new InMemorySessionStore();
    const first = await set.start({ ...BYPASS, sessionStore });
    await first.prompt('Remember the word heliotrope').result;
    await first.prompt(AGENT).result;
    await first.settled();
    await first.close();
    const resume = first.conversationId ?? '';
    const before = await getSessionMessages(resume, { sessionStore, dir: set.cwd });
    const empty = elsewhere(set);

    const session = await set.start({ ...empty, ...BYPASS, sessionStore, resume });
    const folder = configFolderOf(session);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'projects', await projectOf(set), resume, 'subagents'))).toHaveLength(2);
    await session.prompt('Which word was it?').result;
    expect(JSON.stringify(set.model.requests.at(-1))).toContain('heliotrope');
    expect(session.conversationId).toBe(resume);
    await session.close();

    expect(existsSync(folder)).toBe(false);
    expect(existsSync(empty.env.CLAUDE_CONFIG_DIR)).toBe(false);
    const after = await getSessionMessages(resume, { sessionStore, dir: set.cwd });
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBe(before.length + 2);
    expect(await diagnosticsOf(session)).toEqual([]);
  });

  it('is still there after a restart, with what was said since (P8)', async () => {
    const set = await stage();
    const sessionStore = new InMemorySessionStore();
    const first = await set.start({ sessionStore });
    await first.prompt('Remember the word heliotrope').result;
    await first.close();
    const resume = first.conversationId ?? '';

    const session = await set.start({ ...elsewhere(set), sessionStore, resume, restart: { type: 'permanent' } });
    await session.prompt('And the word cinnabar').result;
    const folder = configFolderOf(session);
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.started', ({ incarnation }) => incarnation === 2);
    await session.prompt('Which words were it?').result;
    const asked = JSON.stringify(set.model.requests.at(-1));
    expect([asked.includes('heliotrope'), asked.includes('cinnabar')]).toEqual([true, true]);
    expect(configFolderOf(session)).toBe(folder);
    await session.close();
    expect(existsSync(folder)).toBe(false);
  });

  it('is the newest one with continue; where there is none a new one begins', async () => {
    const set = await stage();
    const sessionStore = new InMemorySessionStore();
    const begun = await set.start({ sessionStore, continue: true });
    await begun.prompt('The first').result;
    await begun.close();
    const second = await set.start({ sessionStore });
    await second.prompt('The second').result;
    await second.close();

    const session = await set.start({ ...elsewhere(set), sessionStore, continue: true });
    await session.prompt('Which one?').result;
    expect(session.conversationId).toBe(second.conversationId);
    expect(JSON.stringify(set.model.requests.at(-1))).toContain('The second');
  });

  it('can be forked: the copy has an id of its own, and both are in the store', async () => {
    const set = await stage();
    const sessionStore = new InMemorySessionStore();
    const first = await set.start({ sessionStore });
    await first.prompt('The trunk').result;
    await first.close();
    const resume = first.conversationId ?? '';
    const before = await getSessionMessages(resume, { sessionStore, dir: set.cwd });

    const fork = await set.start({ ...elsewhere(set), sessionStore, resume, forkSession: true });
    await fork.prompt('The branch').result;
    await fork.close();
    const forkId = fork.conversationId ?? '';
    expect(forkId).not.toBe(resume);
    expect(await getSessionMessages(resume, { sessionStore, dir: set.cwd })).toEqual(before);
    const copy = JSON.stringify(await getSessionMessages(forkId, { sessionStore, dir: set.cwd }));
    expect([copy.includes('The trunk'), copy.includes('The branch')]).toEqual([true, true]);
  });

  it('takes the settings of the user along (0600), without what only the first folder has', async () => {
    const set = await stage();
    const sessionStore = new InMemorySessionStore();
    const first = await set.start({ sessionStore });
    await first.prompt('Hello').result;
    await first.close();
    const settings = { env: { SEEN: 'yes', CLAUDE_CONFIG_DIR: '/nowhere' }, enabledPlugins: { 'a@b': true } };
    await writeFile(join(set.configDir, 'settings.json'), JSON.stringify(settings));

    const session = await set.start({
      sessionStore,
      resume: first.conversationId ?? '',
      settingSources: ['user'],
      allowedTools: ['Bash'],
    });
    await session.prompt('CALL Bash {"command":"echo seen: $SEEN"}').result;
    expect(JSON.stringify(set.model.requests.at(-1))).toContain('seen: yes');
    const copy = join(configFolderOf(session), 'settings.json');
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(copy, 'utf8'))).toEqual({ env: { SEEN: 'yes' } });
  });

  it.each([
    ['fails', () => Promise.reject(new Error('No line.')), /No line\./],
    ['does not answer', () => new Promise<null>(() => {}), /within 200 ms/],
  ])('that the store has, but %s to hand out, is an error of the start', async (_, load, reason) => {
    const set = await stage();
    const sessionStore: SessionStore = { append: async () => {}, load };
    const resume = '11111111-1111-4111-8111-111111111111';
    const starting = set.start({ sessionStore, resume, loadTimeoutMs: 200 });

    await expect(starting).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(starting).rejects.toThrow(reason);
  });

  it('that the store does not have is not found, as without a store', async () => {
    const set = await stage();
    const resume = '11111111-1111-4111-8111-111111111111';
    const starting = set.start({ sessionStore: new InMemorySessionStore(), resume });

    await expect(starting).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });
});

/** A configuration folder that does not exist: nothing can come from there. */
function elsewhere(set: Stage) {
  return { env: { ...set.setting.env, CLAUDE_CONFIG_DIR: join(set.cwd, '..', 'elsewhere') } };
}

/** The configuration folder its process really has, read independently of the code under test. */
function configFolderOf(session: Session): string {
  const [found] = processesOf(session.id).filter(({ pid }) => pid === session.pid);
  const environment = readFileSync(`/proc/${found?.pid}/environ`, 'utf8').split('\0');
  return environment.find((line) => line.startsWith('CLAUDE_CONFIG_DIR='))?.slice('CLAUDE_CONFIG_DIR='.length) ?? '';
}

async function projectOf({ configDir }: Stage): Promise<string> {
  const [project = ''] = await readdir(join(configDir, 'projects'));
  return project;
}

async function transcriptsOn(set: Stage): Promise<{ subpath: string | undefined; rows: SessionStoreEntry[] }[]> {
  const folder = join(set.configDir, 'projects', await projectOf(set));
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  return Promise.all(
    names.map(async (name) => {
      const [, ...parts] = name.slice(0, -'.jsonl'.length).split('/');
      const lines = (await readFile(join(folder, name), 'utf8')).split('\n').filter((line) => line !== '');
      return { subpath: parts.join('/') || undefined, rows: lines.map((line) => JSON.parse(line)) };
    }),
  );
}

async function eventsOf(session: Session): Promise<ObservedEvent[]> {
  const events: ObservedEvent[] = [];
  for await (const event of session.events()) events.push(event);
  return events;
}

async function diagnosticsOf(session: Session): Promise<string[]> {
  return (await eventsOf(session)).flatMap((event) => (event.type === 'diagnostic' ? [event.reason] : []));
}
