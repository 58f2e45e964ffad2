import { mkdtemp, readdir, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InMemorySessionStore, query, type SessionStore } from '../../../src/index.ts';
import { ANSWER_INITIALIZE, errorFrom, newFake, newSupervisor, SHORT, script, stage } from './stage.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const ROW = { type: 'user', uuid: 'aaaaaaaa-2222-4333-8444-555555555555', message: { role: 'user', content: 'hi' } };

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'resume-folders-'));
  vi.stubEnv('TMPDIR', root);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true, force: true });
});

describe('the private folder of a conversation out of a store (PEER test_session_resume)', () => {
  it('is there while the session lives, and gone with it', async () => {
    const { start } = await stage(
      {},
      { pathToClaudeCodeExecutable: await script(...ANSWER_INITIALIZE, 'cat > /dev/null') },
    );
    const session = await start({ sessionStore: storeWithOne(), resume: ID });

    expect(await folders()).toHaveLength(1);
    await session.close();
    expect(await folders()).toEqual([]);
  });

  it('is gone when there is nothing to start', async () => {
    const supervisor = newSupervisor();
    const options = { sessionStore: storeWithOne(), resume: ID, pathToClaudeCodeExecutable: '/nowhere/claude' };

    expect((await errorFrom(supervisor.start(options))).code).toBe('CLI_NOT_FOUND');
    expect(await folders()).toEqual([]);
  });

  it.each([
    ['that ends at once', ['exit 3'], 'CLI_EXITED'],
    ['that never answers', ['exec sleep 60'], 'INITIALIZE_TIMEOUT'],
  ])('is gone after the start of a process %s', async (_, lines, code) => {
    const supervisor = newSupervisor({ timeouts: { initializeMs: 300 } });
    const pathToClaudeCodeExecutable = await script(...lines);
    const options = { sessionStore: storeWithOne(), resume: ID, pathToClaudeCodeExecutable };

    expect((await errorFrom(supervisor.start(options))).code).toBe(code);
    expect(await folders()).toEqual([]);
  });

  it('is gone when the start was called off while the store was still being asked', async () => {
    const { supervisor } = await stage({}, { timeouts: { killGraceMs: 300 } });
    const calledOff = new AbortController();
    const [asked, answered] = [gate(), gate()];
    const slow = storeWithOne(async () => {
      asked.open();
      await answered.opened;
    });
    const starting = errorFrom(supervisor.start({ sessionStore: slow, resume: ID, signal: calledOff.signal }));
    await asked.opened;
    calledOff.abort();
    expect((await starting).code).toBe('ABORTED');
    const changes = watch(root);
    answered.open();

    // It is made by what was under way, and removed as soon as that looks up.
    for await (const { filename } of changes) if (filename?.includes('resume') && (await folders()).length === 0) break;
    await supervisor.shutdown();
    expect(await folders()).toEqual([]);
  });

  it('is gone when the loop over a query is left early', async () => {
    const fake = await newFake();
    const options = {
      pathToClaudeCodeExecutable: fake.path,
      timeouts: SHORT,
      sessionStore: storeWithOne(),
      resume: ID,
    };
    for await (const _ of query({ prompt: 'hello', options })) break;

    expect(await folders()).toEqual([]);
  });
});

/** Whatever project it is asked for; `wait` holds the first answer back. */
function storeWithOne(wait: () => Promise<void> = () => Promise.resolve()): SessionStore {
  const store = new InMemorySessionStore();
  return {
    append: (key, entries) => store.append(key, entries),
    load: async ({ subpath }) => {
      await wait();
      return subpath === undefined ? [ROW] : null;
    },
  };
}

async function folders(): Promise<string[]> {
  return (await readdir(root)).filter((name) => name.includes('resume'));
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
