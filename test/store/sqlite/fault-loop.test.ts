import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ErrorCode, TroupeError } from '../../../src/errors.ts';
import type { Change, Store } from '../../../src/store/store.ts';
import { faultyDriver } from './faulty-driver.ts';
import { inlineThread } from './inline-thread.ts';
import { change, type driver, openInline, readAll, temporaryFolder } from './sqlite-harness.ts';

/** SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY: what a disk does. */
const FAULTS: readonly (readonly [number, ErrorCode])[] = [
  [13, 'STORE_FULL'],
  [10, 'STORE_UNREACHABLE'],
  [8, 'STORE_READ_ONLY'],
];

describe('the whole life of a store whose Nth operation fails, for every N', () => {
  it('P7 every call is kept or refused with the code of the fault; reopened it has what was acknowledged and nothing else', async () => {
    let faults = 0;
    for (let nth = 1; ; nth += 1) {
      const [errcode, code] = FAULTS[nth % FAULTS.length] ?? [13, 'STORE_FULL'];
      const path = join(temporaryFolder(), 'troupe.db');
      const faulty = faultyDriver(errcode);
      faulty.failAt(nth);
      const refused: ErrorCode[] = [];
      const kept = await life(path, faulty.driver, refused);
      const hasFailed = faulty.disarm();

      // One that failed while the store was closed, or while it undid something, is nobody's to hear.
      expect(refused.length, `${nth}`).toBeLessThanOrEqual(1);
      expect(
        refused.filter((one) => one !== code),
        `operation ${nth}`,
      ).toEqual([]);
      await verify(path, kept, nth);
      if (!hasFailed) break;
      faults += refused.length;
    }
    expect(faults).toBeGreaterThan(60);
  });
});

/** Opens, writes, forgets, reads, closes; every call that is refused is made once more. The last event that was acknowledged. */
async function life(path: string, faulty: typeof driver, refused: ErrorCode[]): Promise<number> {
  const again = async <Result>(work: () => Promise<Result>): Promise<Result> =>
    await work().catch((error: TroupeError) => {
      refused.push(error.code);
      return work();
    });
  const store = await again(() => openInline(path, { driver: faulty, thread: () => inlineThread(faulty) }));
  let kept = 0;
  for (let count = 1; count <= 6; count += 1) {
    await again(() => store.append(next(kept, count)));
    kept += count;
    if (count === 3) await again(() => store.prune({ maxEventsPerSession: 4 }));
    expect((await again(() => readAll(store, 'a', kept - 1))).length).toBe(1);
  }
  await store.close();
  return kept;
}

async function verify(path: string, kept: number, nth: number): Promise<void> {
  const store: Store = await openInline(path);
  const all = await readAll(store, 'a');
  const seqs = all.flatMap((one) => ('seq' in one ? [one.seq] : []));
  const first = (await store.head('a'))?.firstSeq ?? 0;
  expect(seqs, `operation ${nth}`).toEqual(Array.from({ length: kept - first + 1 }, (_, index) => first + index));
  expect(first, `operation ${nth}`).toBeLessThanOrEqual(3);
  expect((await store.snapshot('a'))?.records, `operation ${nth}`).toMatchObject([{ id: 'p', content: kept }]);
  await store.close();
}

function next(from: number, count: number): Change {
  const record = { kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: from + count } as const;
  return change('a', from + 1, from + count, [record]);
}
