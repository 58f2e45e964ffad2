import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteStoreOn } from '../../../src/store/sqlite/sqlite-store.ts';
import { inlineThread } from '../../store/sqlite/inline-thread.ts';
import { driver } from '../../store/sqlite/sqlite-harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-failing-disk-'));
const SHIM = join(folder, 'failing-disk.so');
const ERRORS = { EIO: 5, ENOSPC: 28, EROFS: 30 } as const;
/** Every how many calls one fails; the long run, `npm run chaos:faults`, has it be every single one. */
const STRIDE = Number(process.env['TROUPE_TEST_FAULT_STRIDE'] ?? 31);

beforeAll(() => {
  // A C compiler comes with every system that has g++ and make; without one nothing here can be shown.
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', SHIM, here('./failing-disk.c'), '-ldl']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a disk whose Nth call fails: write, sync, truncate or open', () => {
  it.each([
    ['once, and what was refused succeeds when it is tried again', false],
    ['from then on, and what was acknowledged before is there', true],
  ])(
    'P7 %s: a typed error or none, and behind it whole changes, dense',
    async (_, keeps) => {
      const seen = new Set<string>();
      const names = Object.keys(ERRORS) as (keyof typeof ERRORS)[];
      for (let nth = 1; ; nth += STRIDE) {
        const name = names[nth % names.length] ?? 'EIO';
        const path = join(folder, `${keeps}-${nth}.db`);
        const { failed, refused, kept, isDone } = await work(path, nth, name, keeps);
        const context = `call ${nth} fails with ${name}: ${failed}`;
        if (failed === undefined) {
          expect({ isDone, refused }, context).toEqual({ isDone: true, refused: [] });
          break;
        }
        seen.add(failed.split(' ')[0] ?? '');
        expect(
          refused.filter((code) => !code.startsWith('STORE_')),
          context,
        ).toEqual([]);
        if (!keeps) expect(isDone, context).toBe(true);
        await verify(path, kept, context);
        rmSync(path);
      }
      // Which call syncs is for the driver to say.
      const kinds = new Set([...seen].map((call) => call.replace('fdatasync', 'fsync')));
      if (STRIDE === 1) expect([...kinds].toSorted()).toEqual(['fsync', 'ftruncate', 'open', 'pwrite']);
      expect(seen.size).toBeGreaterThan(1);
    },
    3_600_000,
  );
});

async function work(path: string, nth: number, error: keyof typeof ERRORS, keeps: boolean) {
  const child = spawn(process.execPath, [here('./failing-disk-program.mjs'), path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      LD_PRELOAD: SHIM,
      FAILING_DISK_PATH: path,
      FAILING_DISK_NTH: String(nth),
      FAILING_DISK_ERRNO: String(ERRORS[error]),
      ...(keeps && { FAILING_DISK_KEEPS: '1' }),
    },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const lines = stdout.trimEnd().split('\n');
  const after = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return {
    failed: /^failed (.*)$/m.exec(stderr)?.[1],
    refused: after('refused'),
    kept: Number(after('kept').at(-1) ?? 0),
    isDone: lines.includes('done'),
  };
}

/** On a disk that is well again: everything acknowledged, whole changes only, and records that say the same. */
async function verify(path: string, kept: number, context: string): Promise<void> {
  const store = await openSqliteStoreOn(path, {}, () => inlineThread(driver));
  const head = await store.head('a');
  let next = head?.firstSeq ?? 1;
  for await (const event of store.read({ sessionId: 'a', after: next - 1 })) {
    if (!('seq' in event)) throw new Error('It begins where the head says.');
    expect(event.seq, context).toBe(next);
    expect(Buffer.from(event.data).toString().split(' ')[0], context).toBe(String(next));
    next += 1;
  }
  const last = head?.lastSeq ?? 0;
  expect(next - 1, context).toBe(last);
  expect(last, context).toBeGreaterThanOrEqual(kept);
  const [record] = (await store.snapshot('a'))?.records ?? [];
  expect(record?.kind === 'prompt' ? record.content : 0, context).toBe(last);
  await store.close();
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
