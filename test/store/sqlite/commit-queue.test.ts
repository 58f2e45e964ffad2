import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../../src/errors.ts';
import { type Commit, CommitQueue, type CommitQueueOptions } from '../../../src/store/sqlite/commit-queue.ts';
import { type PlainChange, plainChange } from '../../../src/store/sqlite/packing.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { codeOf, event, change as withRecords } from './sqlite-harness.ts';

describe('group commit', () => {
  it('gathers what comes within the delay: one commit for many changes', async () => {
    const { queue, commits, clock, settle } = openQueue();
    const kept = [queue.add(change('a', 1, 1)), queue.add(change('b', 1, 1))];

    clock.increment(9);
    const late = queue.add(change('a', 2, 2));
    await settle();
    expect(commits).toEqual([]);

    clock.increment(1);
    await Promise.all([...kept, late]);
    expect(commits.map(names)).toEqual([['a1', 'b1', 'a2']]);
  });

  it('does not wait with `strict`, but what one tick adds is one commit', async () => {
    const { queue, commits } = openQueue({ durability: 'strict' });

    await Promise.all([queue.add(change('a', 1, 1)), queue.add(change('a', 2, 2))]);
    await queue.add(change('a', 3, 3));

    expect(commits.map(names)).toEqual([['a1', 'a2'], ['a3']]);
  });

  it('runs one commit at a time: what comes meanwhile is the next one', async () => {
    const { queue, commits, finish, settle } = openQueue({ durability: 'strict' }, 'by hand');
    const first = queue.add(change('a', 1, 1));
    await settle();
    const behind = [queue.add(change('a', 2, 2)), queue.add(change('b', 1, 1))];
    await settle();
    expect(commits.map(names)).toEqual([['a1']]);

    finish();
    await first;
    await settle();
    expect(commits.map(names)).toEqual([['a1'], ['a2', 'b1']]);
    finish();
    await Promise.all(behind);
  });

  it('begins at once when a commit is full, and holds no more than its bound', async () => {
    const { queue, commits } = openQueue({ maxCommitEvents: 3 });

    const kept = [1, 2, 3, 4].map((seq) => queue.add(change('a', seq, seq)));
    await Promise.all(kept.slice(0, 3));

    expect(commits.map(names)).toEqual([['a1', 'a2', 'a3']]);
  });

  it('gives a change that is larger than a commit a commit of its own', async () => {
    const { queue, commits } = openQueue({ maxCommitEvents: 3, durability: 'strict' });

    await Promise.all([queue.add(change('a', 1, 1)), queue.add(change('a', 2, 9)), queue.add(change('a', 10, 10))]);

    expect(commits.map(names)).toEqual([['a1'], ['a2'], ['a10']]);
  });

  it('begins at once when a commit has enough bytes', async () => {
    const { queue, commits } = openQueue({ maxCommitBytes: 1_000 });

    await queue.add({ ...change('a', 1, 1), events: [event(1, 'x'.repeat(1_000))] });

    expect(commits).toHaveLength(1);
  });
});

describe('what waits for the disk', () => {
  it('is bounded: what comes too much is refused as STORE_OVERLOADED, and nothing else is (P9)', async () => {
    const { queue, clock } = openQueue({ maxQueuedEvents: 3 });
    const kept = [1, 2, 3].map((seq) => queue.add(change('a', seq, seq)));

    expect(await codeOf(queue.add(change('b', 1, 1)))).toBe('STORE_OVERLOADED');

    clock.increment(10);
    await Promise.all(kept);
    const again = queue.add(change('b', 1, 1));
    clock.increment(10);
    await again;
  });

  it('is bounded in bytes, too; one change that is larger than the bound passes alone', async () => {
    const { queue } = openQueue({ maxQueuedBytes: 1_000, maxCommitBytes: 500 });
    const large = { ...change('a', 1, 1), events: [event(1, 'x'.repeat(2_000))] };

    const kept = queue.add(large);
    expect(await codeOf(queue.add(change('b', 1, 1)))).toBe('STORE_OVERLOADED');
    await kept;
  });

  it('counts what is being written, too', async () => {
    const { queue, finish, settle } = openQueue({ maxQueuedEvents: 2, durability: 'strict' }, 'by hand');
    const kept = [queue.add(change('a', 1, 1)), queue.add(change('a', 2, 2))];
    await settle();

    expect(await codeOf(queue.add(change('a', 3, 3)))).toBe('STORE_OVERLOADED');
    finish();
    await Promise.all(kept);
  });

  it('tells when less than half of it waits: room()', async () => {
    const { queue, clock } = openQueue({ maxQueuedEvents: 4 });
    await queue.room();
    const kept = [1, 2, 3].map((seq) => queue.add(change('a', seq, seq)));
    let hasRoom = false;
    const room = queue.room().then(() => {
      hasRoom = true;
    });

    await Promise.resolve();
    expect(hasRoom).toBe(false);
    clock.increment(10);
    await Promise.all([...kept, room]);
  });

  it('is kept when the queue is drained, without waiting for the delay', async () => {
    const { queue, commits } = openQueue({ maxCommitEvents: 2 });
    const kept = [1, 2, 3, 4, 5].map((seq) => queue.add(change('a', seq, seq)));

    await queue.drain();
    await Promise.all(kept);
    expect(commits.map(names)).toEqual([['a1', 'a2'], ['a3', 'a4'], ['a5']]);
  });
});

describe('a commit that fails', () => {
  it('fails what it held, once, with the reason, and what waits behind it of the same sessions', async () => {
    const { queue, fail, finish, settle, commits } = openQueue({ durability: 'strict' }, 'by hand');
    const held = [codeOf(queue.add(change('a', 1, 1))), codeOf(queue.add(change('b', 1, 1)))];
    await settle();
    const behind = codeOf(queue.add(change('a', 2, 2)));
    const other = queue.add(change('c', 1, 1));

    fail(new TroupeError('STORE_FULL'));
    expect(await Promise.all([...held, behind])).toEqual(['STORE_FULL', 'STORE_FULL', 'STORE_FULL']);
    await settle();
    finish();
    await other;
    expect(commits.map(names)).toEqual([['a1', 'b1'], ['c1']]);
  });

  it('frees the room that it held', async () => {
    const { queue, fail, finish, settle } = openQueue({ maxQueuedEvents: 1, durability: 'strict' }, 'by hand');
    const failed = codeOf(queue.add(change('a', 1, 1)));
    await settle();
    fail(new TroupeError('STORE_FULL'));
    await failed;

    const again = queue.add(change('a', 1, 1));
    await settle();
    finish();
    await again;
  });

  it('refuses one change alone when only that was refused', async () => {
    const { queue } = openQueue({ durability: 'strict' }, (changes) =>
      changes.map(({ sessionId }) => (sessionId === 'b' ? new TroupeError('STORE_CONFLICT') : undefined)),
    );

    const results = ['a', 'b', 'c'].map((session) => queue.add(change(session, 1, 1)));
    const settled = await Promise.allSettled(results);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

type Mode = 'at once' | 'by hand' | ((changes: readonly PlainChange[]) => (TroupeError | undefined)[]);

function openQueue(options: Partial<CommitQueueOptions> = {}, mode: Mode = 'at once') {
  const clock = simulatedClock();
  const commits: (readonly PlainChange[])[] = [];
  let open: { resolve: (refusals: undefined[]) => void; reject: (error: unknown) => void } | undefined;
  const commit: Commit = (changes) => {
    commits.push(changes);
    if (typeof mode === 'function') return Promise.resolve(mode(changes));
    if (mode === 'at once') return Promise.resolve(changes.map(() => undefined));
    return new Promise((resolve, reject) => {
      open = { resolve, reject };
    });
  };
  const queue = new CommitQueue(commit, {
    durability: 'batched',
    commitDelayMs: 10,
    maxCommitEvents: 100,
    maxCommitBytes: 100_000,
    maxQueuedEvents: 1_000,
    maxQueuedBytes: 1_000_000,
    clock,
    ...options,
  });
  return {
    queue,
    clock,
    commits,
    finish: () => open?.resolve([]),
    fail: (error: unknown) => open?.reject(error),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** Session and first event of each change. */
function names(changes: readonly PlainChange[]): string[] {
  return changes.map(({ sessionId, events }) => `${sessionId}${events[0]?.seq}`);
}

function change(sessionId: string, first: number, last: number): PlainChange {
  return plainChange(withRecords(sessionId, first, last));
}
