import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import type { Change, LogTruncated, RetentionPolicy, Store, StoredEvent } from '../../../src/store/store.ts';
import { change, openInline, readAll, seqsOf, temporaryFolder } from './sqlite-harness.ts';

describe('a file whose end was not written any more', () => {
  it('P7 opens with whole changes only, wherever it was cut off: dense, and log and records agree', async () => {
    const path = await writtenBy(30);
    const wal = readFileSync(`${path}-wal`);
    const lasts = new Set<number>();

    for (let cut = 0; cut <= wal.length; cut += Math.ceil(wal.length / 25)) {
      lasts.add(await lastAfter(path, wal.subarray(0, cut)));
    }
    expect(lasts.size).toBeGreaterThan(5);
    expect(await lastAfter(path, wal)).toBe(90);
  });

  it('P7 opens with whole changes only when a sector came out wrong', async () => {
    const path = await writtenBy(30);
    const wal = readFileSync(`${path}-wal`);

    for (let at = 0; at < wal.length; at += Math.ceil(wal.length / 10)) {
      const torn = Buffer.from(wal);
      torn.fill(0x5a, at, at + 512);
      expect(await lastAfter(path, torn)).toBeLessThan(90);
    }
  });
});

describe('a reader that is slower than retention', () => {
  it('R81 is told in the middle of its reading what it can no longer have, and goes on behind it', async () => {
    const store = await openInline(join(temporaryFolder(), 'troupe.db'));
    await store.append(change('a', 1, 2_000));
    const seen: (StoredEvent | LogTruncated)[] = [];

    for await (const one of store.read({ sessionId: 'a', after: 0 })) {
      if (seen.length === 0) await store.prune({ maxEventsPerSession: 100 });
      seen.push(one);
    }
    const truncations = seen.filter((one) => one.type === 'log.truncated');
    expect(truncations).toEqual([{ type: 'log.truncated', from: 500, firstSeq: 1_901 }]);
    expect(seen.slice(501).map((one) => ('seq' in one ? one.seq : 0))).toEqual(
      Array.from({ length: 100 }, (_, index) => 1_901 + index),
    );
  });

  it('does not hinder who writes: a page is short, and the next is read when it is pulled', async () => {
    const store = await openInline(join(temporaryFolder(), 'troupe.db'));
    await store.append(change('a', 1, 1_000));
    const reading = store.read({ sessionId: 'a', after: 0 })[Symbol.asyncIterator]();
    await reading.next();

    await store.append(change('a', 1_001, 1_001));
    await store.prune({ maxEventsPerSession: 1_001 });
    expect((await reading.next()).value).toMatchObject({ seq: 2 });
    await reading.return?.();
  });
});

describe('the store in a file and the one in memory', () => {
  it('say the same after any changes, refusals, prunings and reopenings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(Step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const path = join(temporaryFolder(), 'troupe.db');
        let file = await openInline(path);
        const memory = new MemoryStore();
        const lasts = new Map<string, number>();
        for (const step of steps) {
          if (step.kind === 'reopen') {
            await file.close();
            file = await openInline(path);
          } else if (step.kind === 'prune') {
            expect(await file.prune(policyOf(step))).toEqual(await memory.prune(policyOf(step)));
          } else {
            const next = changeOf(step, lasts.get(step.session) ?? 0);
            const outcome = await outcomeOf(file.append(next));
            expect(outcome).toBe(await outcomeOf(memory.append(next)));
            if (outcome === 'kept') lasts.set(step.session, next.events.at(-1)?.seq ?? lasts.get(step.session) ?? 0);
          }
        }
        expect(await everythingIn(file)).toEqual(await everythingIn(memory));
        await file.close();
      }),
      { numRuns: 25 },
    );
  });
});

const Step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      session: fc.constantFrom('a', 'b', 'c'),
      count: fc.integer({ min: 0, max: 4 }),
      gap: fc.constantFrom(0, 0, 0, 0, 1, -1),
      prompt: fc.constantFrom('p', 'q', undefined),
      forget: fc.constantFrom('p', undefined, undefined),
      open: fc.constantFrom('c1', undefined, undefined),
      endedAt: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('prune' as const),
      perSession: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
      bytes: fc.option(fc.integer({ min: 0, max: 1_500 }), { nil: undefined }),
      ended: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);
type Append = Extract<typeof Step extends fc.Arbitrary<infer T> ? T : never, { kind: 'append' }>;
type Prune = Extract<typeof Step extends fc.Arbitrary<infer T> ? T : never, { kind: 'prune' }>;

function changeOf({ session, count, gap, prompt, forget, open, endedAt }: Append, last: number): Change {
  const base = change(session, last + 1 + gap, last + count + gap);
  return {
    ...base,
    records: [
      ...(prompt === undefined
        ? []
        : [{ kind: 'prompt', id: prompt, state: 'accepted', acceptedAt: last, content: { last } } as const]),
      {
        ...{ kind: 'session', state: 'running', options: null, settings: null, conversationIds: [], restarts: [] },
        ...{ deadlines: {}, ...(open !== undefined && { openConversation: open }) },
        ...(endedAt !== undefined && { endedAt }),
      },
    ],
    ...(forget !== undefined && { forget: [{ kind: 'prompt', id: forget }] }),
  };
}

function policyOf({ perSession, bytes, ended }: Prune): RetentionPolicy {
  return {
    ...(perSession !== undefined && { maxEventsPerSession: perSession }),
    ...(bytes !== undefined && { maxBytes: bytes }),
    ...(ended !== undefined && { maxEndedSessions: ended }),
  };
}

async function outcomeOf(appended: Promise<void>): Promise<string> {
  return await appended.then(
    () => 'kept',
    ({ code }) => code,
  );
}

async function everythingIn(store: Store): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const entry of store.sessions()) all.push(entry);
  for (const session of ['a', 'b', 'c']) {
    const events = (await readAll(store, session)).map((one) =>
      'data' in one ? { ...one, data: [...one.data] } : one,
    );
    all.push(await store.head(session), await store.snapshot(session), events);
  }
  return all;
}

/** So many commits of three events and a record, in a store that is still open: nothing was moved out of its WAL. */
async function writtenBy(commits: number): Promise<string> {
  const path = join(temporaryFolder(), 'troupe.db');
  const store = await openInline(path);
  for (let last = 3; last <= commits * 3; last += 3) {
    const record = { kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: last } as const;
    await store.append(change('a', last - 2, last, [record]));
  }
  return path;
}

/** The last event when the file is opened with this WAL, as after a power cut. */
async function lastAfter(path: string, wal: Buffer): Promise<number> {
  const copy = join(temporaryFolder(), 'copy.db');
  copyFileSync(path, copy);
  writeFileSync(`${copy}-wal`, wal);
  const store = await openInline(copy);
  const seqs = await seqsOf(store, 'a');
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
  const [record] = (await store.snapshot('a'))?.records ?? [];
  expect(record?.kind === 'prompt' ? record.content : 0).toBe(seqs.length);
  expect((await store.head('a'))?.lastSeq ?? 0).toBe(seqs.length);
  await store.close();
  return seqs.length;
}
