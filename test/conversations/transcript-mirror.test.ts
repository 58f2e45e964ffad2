import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SessionKey, SessionStoreEntry, SessionStoreFlush } from '../../src/conversations/session-store.ts';
import { TranscriptMirror } from '../../src/conversations/transcript-mirror.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

const MAIN: SessionKey = { projectKey: '-srv', sessionId: '11111111-1111-4111-8111-111111111111' };
const SUB: SessionKey = { ...MAIN, subpath: 'subagents/agent-a1' };

describe('lines on their way to a store', () => {
  it('wait 100 ms for more, and then go as one append per transcript, in order', async () => {
    const { mirror, clock, appends } = openMirror();
    mirror.add(MAIN, [row(1)], 10);
    mirror.add(SUB, [row(2)], 10);
    mirror.add(MAIN, [row(3), row(4)], 10);
    clock.increment(99);
    await nextLoop();
    expect(appends).toEqual([]);
    expect(mirror.isIdle).toBe(false);

    clock.increment(1);
    await mirror.flush();
    expect(appends).toEqual([
      { key: MAIN, numbers: [1, 3, 4] },
      { key: SUB, numbers: [2] },
    ]);
    expect(mirror.isIdle).toBe(true);
    expect(clock.openTimers).toBe(0);
  });

  it('go at once, each frame by itself, when the flush is eager', async () => {
    const { mirror, appends } = openMirror({ flush: 'eager' });
    mirror.add(MAIN, [row(1)], 10);
    mirror.add(MAIN, [row(2), row(3)], 10);
    await nextLoop();
    expect(appends.map(({ numbers }) => numbers)).toEqual([[1], [2, 3]]);
  });

  it.each([
    [
      '500 lines',
      (mirror: TranscriptMirror) =>
        mirror.add(
          MAIN,
          Array.from({ length: 500 }, (_, at) => row(at)),
          10,
        ),
    ],
    ['1 MiB of characters', (mirror: TranscriptMirror) => mirror.add(MAIN, [row(1)], 2 ** 20)],
  ])('wait for nothing more once they are %s', async (_, fill) => {
    const { mirror, clock, appends } = openMirror();
    fill(mirror);
    await nextLoop();
    expect(appends).toHaveLength(1);
    expect(clock.openTimers).toBe(0);
  });

  it('go one append at a time: the next begins when the former has ended', async () => {
    const { mirror, held, appends } = openMirror({ flush: 'eager', holds: true });
    mirror.add(MAIN, [row(1)], 10);
    mirror.add(MAIN, [row(2)], 10);
    const flushed = Promise.all([mirror.flush(), mirror.flush()]);
    await nextLoop();
    expect(appends.map(({ numbers }) => numbers)).toEqual([[1]]);
    held.shift()?.();
    await nextLoop();
    expect(appends.map(({ numbers }) => numbers)).toEqual([[1], [2]]);
    expect(mirror.isIdle).toBe(false);
    held.shift()?.();
    await flushed;
    expect(mirror.isIdle).toBe(true);
  });

  it('are nothing to send when a frame is empty', async () => {
    const { mirror, appends } = openMirror();
    mirror.add(MAIN, [], 0);
    await mirror.flush();
    expect(appends).toEqual([]);
    expect(mirror.isIdle).toBe(true);
  });
});

describe('a store that fails', () => {
  it('is asked three times, after 200 and 800 ms, and then told of once; what follows goes on', async () => {
    const { mirror, clock, appends, errors } = openMirror({ failures: 3 });
    mirror.add(MAIN, [row(1), row(2)], 10);
    const flushed = mirror.flush();
    await nextLoop();
    expect(appends).toHaveLength(1);
    clock.increment(199);
    await nextLoop();
    expect(appends).toHaveLength(1);
    clock.increment(1);
    await nextLoop();
    expect(appends).toHaveLength(2);
    clock.increment(799);
    await nextLoop();
    expect(appends).toHaveLength(2);
    expect(errors).toEqual([]);
    clock.increment(1);
    await flushed;
    expect(appends).toHaveLength(3);
    expect(errors).toEqual([{ code: 'STORE_FAILED', text: 'append(): No room.', key: MAIN, lines: 2 }]);

    mirror.add(MAIN, [row(3)], 10);
    await mirror.flush();
    expect(appends.at(-1)?.numbers).toEqual([3]);
    expect(errors).toHaveLength(1);
  });

  it('has everything in order when the second attempt succeeds, and nobody hears of the first', async () => {
    const { mirror, clock, appends, errors } = openMirror({ failures: 1, flush: 'eager' });
    mirror.add(MAIN, [row(1)], 10);
    mirror.add(MAIN, [row(2)], 10);
    await nextLoop();
    clock.increment(200);
    await mirror.flush();
    expect(appends.map(({ numbers }) => numbers)).toEqual([[1], [1], [2]]);
    expect(errors).toEqual([]);
  });

  it('may throw instead of rejecting', async () => {
    const { mirror, clock, errors } = openMirror({ failures: 9, throws: true });
    mirror.add(MAIN, [row(1)], 10);
    const flushed = mirror.flush();
    for (const ms of [200, 800]) {
      await nextLoop();
      clock.increment(ms);
    }
    await flushed;
    expect(errors).toHaveLength(1);
  });
});

describe('a store that does not answer', () => {
  it('is given up after 60 s and not asked again, because the first call may still succeed', async () => {
    const { mirror, clock, appends, errors } = openMirror({ holds: true });
    mirror.add(MAIN, [row(1)], 10);
    const flushed = mirror.flush();
    await nextLoop();
    clock.increment(59_999);
    await nextLoop();
    expect(errors).toEqual([]);
    clock.increment(1);
    await flushed;
    expect(appends).toHaveLength(1);
    expect(errors).toEqual([
      { code: 'STORE_FAILED', text: 'append() did not answer within 60000 ms.', key: MAIN, lines: 1 },
    ]);
    expect(clock.openTimers).toBe(0);
  });

  it('holds a result back for 60 s at most, however many calls are under way (P5)', async () => {
    const { mirror, clock, errors } = openMirror({ flush: 'eager', holds: true });
    for (let number = 0; number < 5; number += 1) mirror.add(MAIN, [row(number)], 10);
    let isFree = false;
    const waited = mirror.flushBriefly().then(() => {
      isFree = true;
    });
    await nextLoop();
    clock.increment(59_999);
    await nextLoop();
    expect(isFree).toBe(false);
    clock.increment(1);
    await waited;
    // Only the first has had its time; the others still may arrive.
    expect(errors).toHaveLength(1);
    expect(mirror.isIdle).toBe(false);
  });

  it('holds the end of a session back for 60 s at most, and every line that is lost by that is told (P5, P6)', async () => {
    const { mirror, clock, errors, held, appends } = openMirror({ flush: 'eager', holds: true });
    for (let number = 0; number < 5; number += 1) mirror.add(MAIN, [row(number), row(number)], 10);
    const finished = mirror.finish();
    await nextLoop();
    clock.increment(60_000);
    await finished;
    expect(errors.map(({ lines }) => lines)).toEqual([2, 2, 2, 2, 2]);
    // Nothing is sent, and nothing told twice, when the store answers after all.
    const before = appends.length;
    for (const answer of held) answer();
    await mirror.flush();
    expect(appends).toHaveLength(before);
    expect(errors).toHaveLength(5);
  });

  it('does not fill the memory: beyond 64 Mi characters the newest lines are given up and told (P10)', async () => {
    const { mirror, errors, held, appends } = openMirror({ flush: 'eager', holds: true });
    const half = 2 ** 25;
    for (const number of [1, 2, 3]) mirror.add(MAIN, [row(number)], half);
    expect(errors).toEqual([
      { code: 'STORE_FAILED', text: 'More than 67108864 characters wait for it.', key: MAIN, lines: 1 },
    ]);
    await nextLoop();
    held.shift()?.();
    await nextLoop();
    // What was stored makes room.
    mirror.add(MAIN, [row(4)], half);
    held.shift()?.();
    await nextLoop();
    held.shift()?.();
    await mirror.flush();
    expect(appends.map(({ numbers }) => numbers)).toEqual([[1], [2], [4]]);
    expect(errors).toHaveLength(1);
  });
});

function row(number: number): SessionStoreEntry {
  return { type: 'user', number };
}

interface Behaviour {
  readonly flush?: SessionStoreFlush;
  /** The first so many appends fail. */
  readonly failures?: number;
  readonly throws?: boolean;
  /** Appends answer when the test says so. */
  readonly holds?: boolean;
}

function openMirror({ flush = 'batched', failures = 0, throws = false, holds = false }: Behaviour = {}) {
  const clock = simulatedClock();
  const appends: { key: SessionKey; numbers: unknown[] }[] = [];
  const errors: { code: string; text: string; key: SessionKey; lines: number }[] = [];
  const held: (() => void)[] = [];
  const append = (key: SessionKey, entries: SessionStoreEntry[]): Promise<void> => {
    appends.push({ key, numbers: entries.map(({ number }) => number) });
    if (appends.length <= failures) {
      if (throws) throw new Error('No room.');
      return Promise.reject(new Error('No room.'));
    }
    return holds ? new Promise((resolve) => held.push(resolve)) : Promise.resolve();
  };
  const mirror = new TranscriptMirror({
    store: { append, load: async () => null },
    flush,
    clock,
    onError: (error, key, lines) => {
      errors.push({ code: error.code, text: error.message.replace(/^.*its deadline\. /, ''), key, lines });
    },
  });
  return { mirror, clock, appends, errors, held };
}
