import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreReader } from '../../../src/store/sqlite/reading.ts';
import type { Store, StoreReader } from '../../../src/store/store.ts';
import { ANSWER, fact, storeFolder, storeWithReview } from './review-store.ts';
import { endStragglers, troupe } from './troupe-process.ts';

const { folder, remove } = storeFolder();
const path = join(folder, 'troupe.db');
const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
let store: Store;

// It stays open: what only reads must not mind.
beforeAll(async () => {
  store = await storeWithReview(path);
});

afterAll(async () => {
  endStragglers(folder);
  await store.close();
  remove();
});

const run = (args: readonly string[], input = '') => troupe(args, { env, input }).finished;

describe('troupe logs', () => {
  it('shows a line for each event, and nothing that a terminal would obey, while another process has the store open', async () => {
    const { code, stdout, stderr } = await run(['logs', 'review', '--store', path]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual([
      '1 #1 2026-01-02T03:04:05.001Z session.state-changed state=spawning from=waiting',
      '2 #1 2026-01-02T03:04:05.002Z prompt.accepted promptId=p1 onBusy=enqueue',
      '3 #1 2026-01-02T03:04:05.003Z assistant Done. [2J All   of it.',
      '4 #1 2026-01-02T03:04:05.004Z assistant Bash {"command":"ls"}',
      '5 #1 2026-01-02T03:04:05.005Z garbage',
      '6 #1 2026-01-02T03:04:05.006Z session.state-changed state=hibernated from=ready',
    ]);
  });

  it('prints JSON with --json, the lines of the CLI as they were, from where it is asked to', async () => {
    const { code, stdout } = await run(['logs', 'review', '--store', path, '--json', '--from', '3']);
    const lines = stdout.trimEnd().split('\n');

    expect(code).toBe(0);
    expect(lines[0]).toContain(ANSWER);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { seq: 3, epoch: 1, type: 'message', message: { type: 'assistant' } },
      { seq: 4 },
      { seq: 5, type: 'message', text: 'not json' },
      { seq: 6, type: 'session.state-changed', state: 'hibernated' },
    ]);
  });

  it('goes on with -f: what is written later comes, once, until it is interrupted', async () => {
    const sessionId = 'followed';
    await store.append({ sessionId, epoch: 1, events: [fact(1, 'stderr', { line: 'first' })] });
    const logs = troupe(['logs', sessionId, '--store', path, '-f'], { env });
    await logs.saw('line=first');

    await store.append({ sessionId, epoch: 1, events: [fact(2, 'stderr', { line: 'second' })] });
    await logs.saw('line=second');
    logs.child.kill('SIGINT');
    const { code, stdout } = await logs.finished;
    expect(code).toBe(130);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  it('ends quietly when its reader has read enough, also with -f', async () => {
    const sessionId = 'long';
    const events = Array.from({ length: 5_000 }, (_, index) => fact(index + 1, 'stderr', { line: 'x'.repeat(100) }));
    await store.append({ sessionId, epoch: 1, events });
    for (const more of [[], ['-f']]) {
      const logs = troupe(['logs', sessionId, '--store', path, ...more], { env });
      await logs.saw('line=');
      logs.child.stdout?.destroy();

      const { code, stderr } = await logs.finished;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });

  it('says what is no longer kept', async () => {
    const sessionId = 'begins-late';
    await store.append({ sessionId, epoch: 1, firstSeq: 5, events: [fact(5, 'stderr', { line: 'x' })] });
    const [text, json] = await Promise.all([
      run(['logs', sessionId, '--store', path]),
      run(['logs', sessionId, '--store', path, '--json']),
    ]);

    expect(text.stdout.split('\n')[0]).toBe('… what came before 5 is no longer kept');
    expect(JSON.parse(json.stdout.split('\n')[0] ?? '')).toEqual({ type: 'log.truncated', from: 0, firstSeq: 5 });
  });
});

describe('what is asked of a wrong place', () => {
  it.each([
    ['an unknown session', ['logs', 'nobody', '--store', path], 1, /knows none called "nobody".*SESSION_NOT_FOUND/],
    ['an unknown session to export', ['export', 'nobody', '--store', path], 1, /SESSION_NOT_FOUND/],
    [
      'a file that is not there',
      ['ps', '--store', join(folder, 'none.db')],
      1,
      /no file .*none\.db.*STORE_UNREACHABLE/,
    ],
    ['a file that is not there to check', ['store', 'check', join(folder, 'none.db')], 1, /STORE_UNREACHABLE/],
    ['no store and no server', ['logs', 'review'], 3, /--store.*SERVER_NOT_FOUND/],
    ['a number that is none', ['logs', 'review', '--store', path, '--from', '0'], 2, /number from 1/],
    ['an export that is not there', ['import', join(folder, 'none'), '--store', join(folder, 'n.db')], 1, /ENOENT/],
    ['a store that is held', ['import', '-', '--store', path], 1, /STORE_HELD/],
  ])('is refused in one line with the reason: %s', async (_, args, expected, reason) => {
    const { code, stdout, stderr } = await run(args);

    expect(code).toBe(expected);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
  });

  it('makes no file by looking', async () => {
    expect(() => statSync(join(folder, 'none.db'))).toThrow('ENOENT');
  });
});

describe('troupe history and ps', () => {
  it('show what became of the session, without its conversation, and which sessions there are', async () => {
    const [history, sessions] = await Promise.all([
      run(['history', 'review', '--store', path]),
      run(['ps', '--store', path, '--json']),
    ]);

    expect(
      history.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ').slice(3).join(' ')),
    ).toEqual([
      'session.state-changed state=spawning from=waiting',
      'session.state-changed state=hibernated from=ready',
    ]);
    expect(
      sessions.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toContainEqual({
      ...{ sessionId: 'review', state: 'hibernated', lastSeq: 6, firstSeq: 1, epoch: 1, conversationIds: ['c1'] },
    });
  });
});

describe('troupe export and import', () => {
  it('P7 carry a session to another store, the same to the last byte; a second time it is refused', async () => {
    const file = join(folder, 'review.jsonl');
    const target = join(folder, 'other.db');
    expect(await run(['export', 'review', '--store', path, '-o', file])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(file).mode & 0o077).toBe(0);
    const again = await run(['export', 'review', '--store', path, '-o', file]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/^troupe: EEXIST.*\n$/) });
    const lines = await run(['export', 'review', '--store', path]);
    expect(lines.stdout).toBe(readFileSync(file, 'utf8'));

    const imported = await run(['import', '--store', target], lines.stdout);
    expect(imported).toEqual({ code: 0, stdout: 'review: 6 events and 1 records\n', stderr: '' });
    const reader = await openStoreReader(target);
    expect(await everythingOf(reader)).toEqual(await everythingOf(store));
    await reader.close();
    expect(await run(['import', file, '--store', target])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SESSION_EXISTS'),
    });
  });

  it('refuse a damaged file with the line, and take nothing of it', async () => {
    const { stdout } = await run(['export', 'review', '--store', path]);
    const target = join(folder, 'nothing.db');

    const { code, stderr } = await run(['import', '--store', target], stdout.replace('Done.', 'Gone.'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/Line 5: .*EXPORT_DAMAGED/);
    expect((await run(['ps', '--store', target])).stdout).toBe('');
  });
});

describe('troupe store', () => {
  it('check says that all is well, and what is not; salvage saves what can be read', async () => {
    const damaged = join(folder, 'damaged.db');
    const victim = await storeWithReview(damaged);
    const events = Array.from({ length: 2_000 }, (_, index) => fact(index + 1, 'stderr', { line: 'x'.repeat(200) }));
    await victim.append({ sessionId: 'long', epoch: 1, events });
    await victim.close();
    expect(await run(['store', 'check', damaged])).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: '2006 events and 1 records of 2 sessions can be read\n',
    });
    overwritePage(damaged, 20);

    const check = await run(['store', 'check', damaged]);
    expect(check.code).toBe(1);
    expect(check.stderr).not.toBe('');
    const saved = join(folder, 'saved.db');
    expect((await run(['store', 'salvage', damaged, saved])).stdout).toMatch(
      /1 records of 2 sessions were saved, [1-9]/,
    );
    expect(await run(['store', 'check', saved])).toMatchObject({ code: 0, stderr: '' });
  });

  it('refuses what is no store', async () => {
    const text = join(folder, 'text');
    writeFileSync(text, 'no store at all, and longer than a page. '.repeat(200));

    for (const args of [
      ['ps', '--store', text],
      ['store', 'check', text],
    ]) {
      expect(await run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('STORE_DAMAGED') });
    }
  });
});

describe('--help', () => {
  it('names every command', async () => {
    const { code, stdout } = await run(['--help']);

    expect(code).toBe(0);
    for (const name of ['run', 'logs', 'history', 'ps', 'export', 'import', 'store']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
  });
});

async function everythingOf(reader: StoreReader): Promise<unknown> {
  const events: unknown[] = [];
  for await (const event of reader.read({ sessionId: 'review', after: 0 })) {
    events.push('data' in event ? { ...event, data: Buffer.from(event.data).toString('base64') } : event);
  }
  return { events, snapshot: await reader.snapshot('review') };
}

/** As a disk does that wrote something else. */
function overwritePage(file: string, page: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(8_192, 0xee), 0, 8_192, page * 8_192);
  closeSync(handle);
}
