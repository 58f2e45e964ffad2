import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteStoreOn } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { inlineThread } from '../../store/sqlite/inline-thread.ts';
import { change, codeOf, driver, openInline, refusal } from '../../store/sqlite/sqlite-harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KILLS = Number(process.env['TROUPE_TEST_KILLS'] ?? 40);

describe('a writer that is killed by SIGKILL', () => {
  it.concurrent.each(['batched', 'strict'])(
    `P7 has lost nothing that was acknowledged, ${KILLS / 2} times in one file (%s): no gap, no repetition, and records that agree`,
    async (durability) => {
      const path = join(folder, `${durability}.db`);
      const acknowledged = join(folder, `${durability}.acknowledged`);
      const seen = new Map([
        ['a', 0],
        ['b', 0],
      ]);
      for (let kill = 1; kill <= KILLS / 2; kill += 1) {
        const writer = startWriter(path, acknowledged, someDeath(kill), durability);
        const [, signal] = await once(writer, 'exit');
        expect(signal).toBe('SIGKILL');

        const store = await openSqliteStoreOn(path, {}, () => inlineThread(driver));
        for (const [session, before] of seen) seen.set(session, await verify(store, session, before));
        for (const [session, last] of acknowledgedIn(acknowledged)) {
          expect(seen.get(session), `kill ${kill}, session ${session}`).toBeGreaterThanOrEqual(last);
        }
        await store.close();
      }
      expect(seen.get('a')).toBeGreaterThan(KILLS);
    },
    300_000,
  );
});

describe('two processes on one store', () => {
  it('the second is refused with who holds it, and takes over as soon as the first is gone, however it went', async () => {
    const path = join(folder, 'held.db');
    const writer = startWriter(path, join(folder, 'held.acknowledged'), 'never', 'batched');
    onTestFinished(() => void writer.kill('SIGKILL'));
    await firstLine(writer);

    const { code, details } = await refusal(openInline(path));
    expect(code).toBe('STORE_HELD');
    expect(details['holder']).toMatchObject({ pid: writer.pid });
    // A stopped process still holds it: its sessions live.
    writer.kill('SIGSTOP');
    expect(await codeOf(openInline(path))).toBe('STORE_HELD');

    writer.kill('SIGKILL');
    await once(writer, 'exit');
    const store = await openInline(path);
    const last = (await store.head('a'))?.lastSeq ?? 0;
    await store.append(change('a', last + 1, last + 1));
  });

  it('a writer whose lock failed is stopped by the fence in its next write, with who took over', async () => {
    const path = join(folder, 'fenced.db');
    const writer = startWriter(path, join(folder, 'fenced.acknowledged'), 'never', 'batched');
    onTestFinished(() => void writer.kill('SIGKILL'));
    await firstLine(writer);

    rmSync(`${path}-lock`);
    const said = firstLine(writer);
    const store = await openInline(path);
    expect(JSON.parse(await said)).toMatchObject({
      code: 'STORE_TAKEN_OVER',
      details: { holder: { pid: process.pid } },
    });
    const last = (await store.head('a'))?.lastSeq ?? 0;
    for (const [session, acknowledged] of acknowledgedIn(join(folder, 'fenced.acknowledged'))) {
      if (session === 'a') expect(last).toBeGreaterThanOrEqual(acknowledged);
    }
    await store.append(change('a', last + 1, last + 1));
  });
});

/** At a random moment: of every five one while it opens the store, the others while it writes. */
function someDeath(kill: number): string {
  const below = (bound: number): number => Math.floor(Math.random() * bound);
  return kill % 5 === 0 ? `opening ${below(100)}` : `writing ${below(60)} ${below(8)}`;
}

function startWriter(path: string, acknowledged: string, death: string, durability: string): ChildProcess {
  const program = fileURLToPath(new URL('./writer-program.mjs', import.meta.url));
  return spawn(process.execPath, [program, path, acknowledged, death, durability], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout ?? child, 'data');
  return String(chunk).trim();
}

/** Reads on from what was verified before; the last event and the record say the same. */
async function verify(store: Store, session: string, before: number): Promise<number> {
  let last = before;
  for await (const event of store.read({ sessionId: session, after: before })) {
    if (!('seq' in event)) throw new Error('Nothing was pruned.');
    expect(event.seq).toBe(last + 1);
    expect(new TextDecoder().decode(event.data)).toBe(`${session} ${event.seq}`);
    last = event.seq;
  }
  expect((await store.head(session))?.lastSeq ?? 0).toBe(last);
  const [record] = (await store.snapshot(session))?.records ?? [];
  expect(record?.kind === 'prompt' ? record.content : 0).toBe(last);
  return last;
}

/** The highest number that was acknowledged, by session. The last line may be cut off. */
function acknowledgedIn(path: string): Map<string, number> {
  const highest = new Map<string, number>();
  for (const line of textOf(path).split('\n').slice(0, -1)) {
    const [session = '', last] = line.split(' ');
    highest.set(session, Math.max(highest.get(session) ?? 0, Number(last)));
  }
  return highest;
}

/** Nothing when it died before it wrote anything. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
