import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openHouse, PATIENT } from './admission-house.ts';

const GIB = 2 ** 30;

describe('session slots', () => {
  it('are given up to the limit, then in the order of asking (P9)', async () => {
    const { queue, admitted, release } = openHouse({ maxSessions: 2 });
    for (const name of ['a', 'b', 'c', 'd']) queue(name);
    await nextLoop();
    expect(admitted).toEqual(['a', 'b']);

    release('b');
    await nextLoop();
    expect(admitted).toEqual(['a', 'b', 'c']);
    release('a');
    release('c');
    await nextLoop();
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are counted: who holds one, who waits (P9)', async () => {
    const { house, queue, release } = openHouse({ maxSessions: 2 });
    for (const name of ['a', 'b', 'c']) queue(name);
    await nextLoop();
    expect(house.load).toEqual({ sessions: 2, waiting: 1, starting: 2 });
    for (const name of ['a', 'b']) release(name);
    await nextLoop();
    expect(house.load).toEqual({ sessions: 1, waiting: 0, starting: 1 });
  });

  it('are given back once, however often that is said', async () => {
    const { house, queue, admitted, release } = openHouse({ maxSessions: 1 });
    for (const name of ['a', 'b', 'c']) queue(name);
    await nextLoop();
    release('a');
    release('a');
    await nextLoop();
    release('a');
    await nextLoop();
    expect(admitted).toEqual(['a', 'b']);
    expect(house.load.sessions).toBe(1);
  });

  it('are refused after the deadline, by the time of the clock, with the limit named (P5, P9)', async () => {
    const { clock, queue, refused, admitted, release } = openHouse({ maxSessions: 1, admissionMs: 30_000 });
    queue('a');
    queue('b');
    await nextLoop();
    clock.increment(29_999);
    await nextLoop();
    expect(refused.size).toBe(0);

    clock.increment(1);
    await nextLoop();
    expect(refused.get('b')).toMatchObject({
      code: 'AT_CAPACITY',
      details: { field: 'limits.maxSessions', limit: 1, waitedMs: 30_000 },
    });
    release('a');
    queue('c');
    await nextLoop();
    expect(admitted).toEqual(['a', 'c']);
  });

  it('leave no timer and no listener with those who got one or gave up (R60)', async () => {
    const { clock, queue, release } = openHouse({ maxSessions: 1, admissionMs: 1_000 });
    const { signal } = new AbortController();
    for (let number = 0; number < 20; number += 1) {
      queue(`holder-${number}`, signal);
      queue(`waiter-${number}`, signal);
      await nextLoop();
      clock.increment(1_000);
      release(`holder-${number}`);
      await nextLoop();
    }
    expect(clock.openTimers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the memory floor', () => {
  it('holds back starts until the memory is there, and says what is missing (P5, P9)', async () => {
    const { clock, queue, admitted, lackOf, memory, release } = openHouse({
      maxSessions: 2,
      minFreeMemoryBytes: 2 * GIB,
    });
    memory.free = GIB;
    queue('a');
    await nextLoop();
    expect(lackOf('a')).toEqual({ what: 'memory', freeBytes: GIB, wantedBytes: 2 * GIB });
    await clock.advance(5_000);
    expect(admitted).toEqual([]);

    memory.free = 2 * GIB;
    await clock.advance(1_000);
    expect(admitted).toEqual(['a']);
    release('a');
    expect(clock.openTimers).toBe(0);
  });

  it('counts what those that are starting will take: they do not all find the same memory free (P9)', async () => {
    const limits = { maxSessions: 9, maxStarting: 9, minFreeMemoryBytes: GIB };
    const { clock, queue, admitted, started, memory } = openHouse(limits);
    memory.free = 1.6 * GIB;
    for (const name of ['a', 'b', 'c', 'd']) queue(name);
    await nextLoop();
    expect(admitted).toEqual(['a', 'b', 'c']);

    memory.free = 1.1 * GIB;
    for (const name of admitted) started(name);
    await clock.advance(1_000);
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses after the admission deadline, with the figures (P5)', async () => {
    const { clock, queue, refused, memory, house } = openHouse({
      maxSessions: 1,
      minFreeMemoryBytes: GIB,
      admissionMs: 10_000,
    });
    memory.free = 5;
    queue('a');
    await clock.advance(9_999);
    expect(refused.size).toBe(0);
    await clock.advance(1);
    expect(refused.get('a')).toMatchObject({
      code: 'AT_CAPACITY',
      details: { field: 'limits.minFreeMemoryBytes', limit: GIB, freeMemoryBytes: 5, waitedMs: 10_000 },
    });
    await clock.advance(2_000);
    expect([house.load, clock.openTimers]).toEqual([{ sessions: 0, waiting: 0, starting: 0 }, 0]);
  });

  it('holds back also who has a slot and starts again, before all who have none (P9)', async () => {
    const { clock, queue, again, started, admitted, lackOf, memory } = openHouse({
      maxSessions: 2,
      minFreeMemoryBytes: GIB,
    });
    queue('crashing');
    await nextLoop();
    started('crashing');
    memory.free = 0;
    queue('new');
    again('crashing');
    await nextLoop();
    expect([lackOf('crashing')?.what, lackOf('new')?.what]).toEqual(['memory', 'memory']);

    memory.free = GIB;
    await clock.advance(1_000);
    expect(admitted).toEqual(['crashing', 'crashing']);
  });
});

describe('giving up while waiting', () => {
  it('rejects at once and gives the place to the next; the rest run in order; all is idle in the end (R65)', async () => {
    const { house, queue, admitted, refused, release } = openHouse({ maxSessions: 1 });
    const [second, fourth] = [new AbortController(), new AbortController()];
    queue('running');
    queue('before', AbortSignal.abort('never mind'));
    queue('1');
    queue('2', second.signal);
    queue('3');
    queue('4', fourth.signal);
    queue('5');
    await nextLoop();
    expect(refused.get('before')).toMatchObject({ code: 'ABORTED', cause: 'never mind' });

    second.abort('changed my mind');
    await nextLoop();
    expect(refused.get('2')).toMatchObject({ code: 'ABORTED', cause: 'changed my mind' });
    expect(house.load).toEqual({ sessions: 1, waiting: 4, starting: 1 });

    fourth.abort('too late');
    release('running');
    await nextLoop();
    for (const name of ['1', '3', '5']) {
      expect(admitted.at(-1)).toBe(name);
      release(name);
      await nextLoop();
    }
    expect(admitted).toEqual(['running', '1', '3', '5']);
    expect([...refused.keys()]).toEqual(['before', '2', '4']);
    expect(house.load).toEqual({ sessions: 0, waiting: 0, starting: 0 });
  });

  it('changes nothing for who has a slot already', async () => {
    const { house, queue, refused, admitted } = openHouse({ maxSessions: 1 });
    const controller = new AbortController();
    queue('a', controller.signal);
    await nextLoop();
    controller.abort();
    await nextLoop();
    expect([admitted, refused.size, house.load.sessions]).toEqual([['a'], 0, 1]);
  });

  it('leaks no slot: a thousand who leave make room for the next (R65)', async () => {
    const { house, queue, admitted, release } = openHouse({ maxSessions: 2 });
    queue('a');
    queue('b');
    for (let number = 0; number < 1_000; number += 1) {
      const controller = new AbortController();
      queue(`leaver-${number}`, controller.signal);
      controller.abort();
    }
    await nextLoop();
    expect(house.load).toEqual({ sessions: 2, waiting: 0, starting: 2 });
    queue('c');
    queue('d');
    release('a');
    release('b');
    await nextLoop();
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('start slots', () => {
  it('are limited on their own and wait without a deadline (P9)', async () => {
    const { house, clock, queue, admitted, started } = openHouse({ maxSessions: 2, maxStarting: 1, admissionMs: 1 });
    queue('first');
    queue('second');
    await nextLoop();
    clock.increment(3_600_000);
    await nextLoop();
    expect([admitted, house.load]).toEqual([['first'], { sessions: 2, waiting: 0, starting: 1 }]);

    started('first');
    await nextLoop();
    started('second');
    await nextLoop();
    expect(admitted).toEqual(['first', 'second']);
    expect(house.load).toEqual({ sessions: 2, waiting: 0, starting: 0 });
  });

  it('are limited per configuration folder, and one folder does not hold up another (P9)', async () => {
    const { house, queue, admitted, started } = openHouse({ maxSessions: 3, maxStarting: 2, startsPerConfigDir: 1 });
    queue('home 1', PATIENT, undefined, '/home');
    queue('home 2', PATIENT, undefined, '/home');
    queue('other 1', PATIENT, undefined, '/other');
    await nextLoop();
    expect(admitted).toEqual(['home 1', 'other 1']);

    started('home 1');
    await nextLoop();
    expect(admitted).toEqual(['home 1', 'other 1', 'home 2']);
    for (const name of ['home 2', 'other 1']) started(name);
    await nextLoop();
    expect(house.load.starting).toBe(0);
  });

  it('give the folder back when the wait for the rest is given up (R65)', async () => {
    const { house, queue, refused, started } = openHouse({ maxSessions: 3, maxStarting: 1, startsPerConfigDir: 1 });
    const controller = new AbortController();
    queue('holder', PATIENT, undefined, '/other');
    queue('leaver', controller.signal, undefined, '/home');
    await nextLoop();
    controller.abort('no');
    await nextLoop();
    expect(refused.get('leaver')).toMatchObject({ code: 'ABORTED', cause: 'no' });

    started('holder');
    queue('next', PATIENT, undefined, '/home');
    await nextLoop();
    started('next');
    await nextLoop();
    expect(house.load.starting).toBe(0);
  });

  it('are asked for again by who holds a session slot, and its slot is given back when it says so', async () => {
    const { house, queue, started, again, release, admitted } = openHouse({ maxSessions: 1 });
    queue('crashing');
    await nextLoop();
    started('crashing');
    queue('waiting');
    await nextLoop();

    again('crashing');
    await nextLoop();
    expect(admitted).toEqual(['crashing', 'crashing']);
    expect(house.load).toEqual({ sessions: 1, waiting: 1, starting: 1 });
    started('crashing');
    release('crashing');
    await nextLoop();
    expect(admitted.at(-1)).toBe('waiting');
  });
});
