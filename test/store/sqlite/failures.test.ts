import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, TroupeError } from '../../../src/errors.ts';
import { faultyDriver } from './faulty-driver.ts';
import { inlineThread } from './inline-thread.ts';
import { change, codeOf, driver, openInline, refusal, seqsOf, temporaryFolder } from './sqlite-harness.ts';

describe('a disk that is full', () => {
  it('fails what does not fit as STORE_FULL, keeps what was there, and says that no new work should be accepted', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const told: string[] = [];
    const store = await openInline(path, { maxFileBytes: 200_000, onHealth: ({ state }) => told.push(state) });
    const line = new Uint8Array(10_000).fill(120);
    const fill = async (): Promise<number> => {
      for (let seq = 1; ; seq += 1) {
        const events = [{ seq, epoch: 1, at: seq, type: 'message', data: line }];
        const code = await store.append({ sessionId: 'a', epoch: 1, events }).then(
          () => undefined,
          ({ code: refused }) => refused,
        );
        if (code === undefined) continue;
        expect(code).toBe('STORE_FULL');
        return seq - 1;
      }
    };

    const kept = await fill();
    expect(kept).toBeGreaterThan(5);
    expect(store.health()).toMatchObject({ state: 'failing', error: { code: 'STORE_FULL' } });
    expect((await seqsOf(store, 'a')).length).toBe(kept);
    expect(told).toEqual(['failing']);

    await store.prune({ maxEventsPerSession: 2 });
    await store.append(change('a', kept + 1, kept + 1));
    expect(store.health().state).toBe('open');
    expect(told).toEqual(['failing', 'open']);
  });
});

describe('every operation may fail', () => {
  it.each<[string, number, ErrorCode]>([
    ['a full disk', 13, 'STORE_FULL'],
    ['a file that became read-only', 8, 'STORE_READ_ONLY'],
    ['an error of the disk', 10, 'STORE_UNREACHABLE'],
    ['a damaged page', 11, 'STORE_DAMAGED'],
    ['a lock of somebody else', 5, 'STORE_UNREACHABLE'],
  ])(
    '%s at the Nth operation, for every N: a typed error, nothing half kept, and the next try succeeds',
    async (_, errcode, code) => {
      const records = [{ kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: null }] as const;
      const faults = faultyDriver(errcode);
      const store = await openInline(join(temporaryFolder(), 'troupe.db'), { driver: faults.driver });
      for (let nth = 1; ; nth += 1) {
        const [a, b] = [`a${nth}`, `b${nth}`];
        await store.append(change(a, 1, 2));

        faults.failAt(nth);
        const appends = [store.append(change(a, 3, 4, [...records])), store.append(change(b, 1, 1))];
        const outcome = await Promise.allSettled(appends);
        if (!faults.disarm()) {
          expect(nth).toBeGreaterThan(8);
          return;
        }
        for (const one of outcome) expect(one).toMatchObject({ status: 'rejected', reason: { code } });
        expect(await seqsOf(store, a)).toEqual([1, 2]);
        expect(await store.snapshot(a)).toBeUndefined();
        expect(await store.head(b)).toBeUndefined();
        expect(store.health()).toMatchObject({ state: 'failing', error: { code } });

        await store.append(change(a, 3, 4, [...records]));
        expect(await seqsOf(store, a)).toEqual([1, 2, 3, 4]);
        expect(store.health().state).toBe('open');
      }
    },
  );

  it('also while it is opened: the lock is let go, and the next try succeeds', async () => {
    for (let nth = 1; ; nth += 1) {
      const path = join(temporaryFolder(), 'troupe.db');
      const faults = faultyDriver(13);
      faults.failAt(nth);
      const opened = await openInline(path, { driver: faults.driver }).then(
        () => 'open',
        ({ code }) => code,
      );
      const hasFailed = faults.disarm();
      if (!hasFailed) {
        expect(nth).toBeGreaterThan(10);
        expect(opened).toBe('open');
        return;
      }
      expect(opened).toBe('STORE_FULL');
      const store = await openInline(path);
      await store.append(change('a', 1, 1));
      await store.close();
    }
  });
});

describe('a record that is no JSON', () => {
  it('is refused alone: what shares its commit is kept (P10)', async () => {
    const store = await openInline(join(temporaryFolder(), 'troupe.db'));
    const content: { self?: unknown } = {};
    content.self = content;
    const bad = { kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: content as never } as const;

    const outcomes = await Promise.allSettled([
      store.append(change('a', 1, 1)),
      store.append(change('b', 1, 1, [bad])),
      store.append(change('c', 1, 1)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(store.health().state).toBe('open');
  });
});

describe('a thread that ends by itself', () => {
  it('has everything refused that waits and that comes later, and says that the store is lost (P5)', async () => {
    const told: string[] = [];
    let lose = (): void => {};
    const store = await openInline(join(temporaryFolder(), 'troupe.db'), {
      durability: 'batched',
      commitDelayMs: 10_000,
      onHealth: ({ state }) => told.push(state),
      thread(onLost) {
        lose = () => onLost(new TroupeError('STORE_UNREACHABLE'));
        return inlineThread(driver);
      },
    });
    const waiting = codeOf(store.append(change('a', 1, 1)));

    lose();
    expect(await waiting).toBe('STORE_UNREACHABLE');
    expect(await codeOf(store.append(change('a', 1, 1)))).toBe('STORE_UNREACHABLE');
    expect(told).toEqual(['lost']);
  });
});

describe('a place that cannot be written', () => {
  it('is STORE_UNREACHABLE where the folder does not exist', async () => {
    expect(await codeOf(openInline(join(temporaryFolder(), 'nowhere', 'troupe.db')))).toBe('STORE_UNREACHABLE');
    const folder = join(temporaryFolder(), 'troupe.db');
    mkdirSync(folder);
    expect(await codeOf(openInline(folder))).toBe('STORE_UNREACHABLE');
  });

  it('is STORE_READ_ONLY where nothing may be made or changed', async () => {
    // Nobody may make files there, not even root.
    const { code, details } = await refusal(openInline('/sys/troupe.db'));
    expect(code).toBe('STORE_READ_ONLY');
    expect(details).toMatchObject({ path: '/sys/troupe.db' });
  });

  it('names the option that is wrong', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const { code, message } = await refusal(openInline(path, { maxFileBytes: 0 }));
    expect(code).toBe('INVALID_OPTIONS');
    expect(message).toContain('maxFileBytes');
  });
});
