import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openHouse, PATIENT } from './admission-house.ts';

describe('session slots of a key', () => {
  it('are limited on their own, and who waits for one keeps nobody else waiting (P9)', async () => {
    const { queue, admitted, release, positionOf } = openHouse({ maxSessions: 3, maxSessionsPerKey: 1 });
    queue('a1', PATIENT, 'a');
    queue('a2', PATIENT, 'a');
    queue('b1', PATIENT, 'b');
    queue('free');
    await nextLoop();
    expect(admitted.toSorted()).toEqual(['a1', 'b1', 'free']);
    expect(positionOf('a2')).toBe(1);

    release('a1');
    await nextLoop();
    expect(admitted).toContain('a2');
    expect(positionOf('a2')).toBeUndefined();
  });

  it('are refused with the limit named, within one deadline for both (P5)', async () => {
    const { queue, refused, clock, release } = openHouse({ maxSessions: 1, maxSessionsPerKey: 1, admissionMs: 1_000 });
    queue('a1', PATIENT, 'a');
    queue('a2', PATIENT, 'a');
    queue('b1', PATIENT, 'b');
    await nextLoop();
    clock.increment(999);
    await nextLoop();
    expect(refused.size).toBe(0);
    clock.increment(1);
    await nextLoop();

    expect(refused.get('a2')).toMatchObject({ code: 'AT_CAPACITY', details: { field: 'limits.maxSessionsPerKey' } });
    expect(refused.get('b1')).toMatchObject({ code: 'AT_CAPACITY', details: { field: 'limits.maxSessions' } });
    release('a1');
    queue('b2', PATIENT, 'b');
    await nextLoop();
    expect(refused.has('b2')).toBe(false);
  });

  it('are left by who gives up: the place in line moves up at once (R65)', async () => {
    const { queue, refused, positionOf } = openHouse({ maxSessions: 1, maxSessionsPerKey: 5 });
    const impatient = new AbortController();
    queue('a', PATIENT, 'x');
    queue('b', impatient.signal, 'x');
    queue('c', PATIENT, 'x');
    await nextLoop();
    expect(['a', 'b', 'c'].map(positionOf)).toEqual([undefined, 1, 2]);
    impatient.abort();
    await nextLoop();

    expect(refused.get('b')).toMatchObject({ code: 'ABORTED' });
    expect(positionOf('c')).toBe(1);
  });

  it('never pass the limits, whoever comes and goes (P9)', async () => {
    const { house, queue, admitted, release } = openHouse({ maxSessions: 5, maxSessionsPerKey: 2 });
    const live = new Set<string>();
    for (let count = 0; count < 2_000; count += 1) {
      queue(`${count}`, PATIENT, `k${count % 7}`);
      if (count % 3 !== 0) continue;
      await nextLoop();
      for (const name of admitted.splice(0)) live.add(name);
      expect(house.load.sessions).toBeLessThanOrEqual(5);
      const ofKey = (key: number) => [...live].filter((name) => Number(name) % 7 === key).length;
      expect(Math.max(...[0, 1, 2, 3, 4, 5, 6].map(ofKey))).toBeLessThanOrEqual(2);
      const [first] = live;
      if (first === undefined) continue;
      live.delete(first);
      release(first);
    }
    expect(live.size).toBeGreaterThan(0);
  });
});

describe('a line of several keys', () => {
  it('serves them in turn, each in the order of asking, and says so (R64)', async () => {
    const { queue, admitted, release, positionOf } = openHouse({ maxSessions: 1 });
    queue('first', PATIENT, 'a');
    for (const name of ['a1', 'a2', 'a3']) queue(name, PATIENT, 'a');
    for (const name of ['b1', 'b2']) queue(name, PATIENT, 'b');
    queue('c1', PATIENT, 'c');
    queue('free');
    await nextLoop();
    const names = ['a1', 'b1', 'c1', 'free', 'a2', 'b2', 'a3'];
    expect(names.map(positionOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);

    for (const name of ['first', ...names]) {
      expect(admitted.at(-1)).toBe(name);
      release(name);
      await nextLoop();
    }
  });

  it('does not keep the turn of a key for whoever of it comes back (R64)', async () => {
    const { queue, admitted, release } = openHouse({ maxSessions: 1 });
    queue('a0', PATIENT, 'a');
    queue('b1', PATIENT, 'b');
    for (let number = 1; number <= 3; number += 1) {
      queue(`a${number}`, PATIENT, 'a');
      await nextLoop();
      release(admitted.at(-1) ?? '');
      await nextLoop();
    }
    expect(admitted).toEqual(['a0', 'b1', 'a1', 'a2']);
  });
});
