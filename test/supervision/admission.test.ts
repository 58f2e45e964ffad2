import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AdmissionControl } from '../../src/supervision/admission.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

const NEVER = Number.POSITIVE_INFINITY;
const PATIENT = new AbortController().signal;

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
    expect(house.load).toEqual({ sessions: 2, waiting: 1, starting: 0 });
    for (const name of ['a', 'b']) release(name);
    await nextLoop();
    expect(house.load).toEqual({ sessions: 1, waiting: 0, starting: 0 });
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
  it('refuses a session at once while less memory is free (P9)', async () => {
    const limits = { maxSessions: 1, maxStarting: 1, minFreeMemoryBytes: Number.MAX_SAFE_INTEGER, admissionMs: NEVER };
    const house = new AdmissionControl(limits, simulatedClock());
    await expect(house.takeSessionSlot(PATIENT)).rejects.toMatchObject({
      code: 'AT_CAPACITY',
      details: {
        field: 'limits.minFreeMemoryBytes',
        limit: Number.MAX_SAFE_INTEGER,
        freeMemoryBytes: expect.any(Number),
      },
    });
    expect(house.load).toEqual({ sessions: 0, waiting: 0, starting: 0 });
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
    expect(house.load).toEqual({ sessions: 1, waiting: 4, starting: 0 });

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
    expect(house.load).toEqual({ sessions: 2, waiting: 0, starting: 0 });
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
    const clock = simulatedClock();
    const house = new AdmissionControl({ maxSessions: 1, maxStarting: 1, admissionMs: 1 }, clock);
    const releaseFirst = await house.takeStartSlot(PATIENT);
    let isAdmitted = false;
    const second = house.takeStartSlot(PATIENT).then((release) => {
      isAdmitted = true;
      return release;
    });
    clock.increment(3_600_000);
    await nextLoop();
    expect([isAdmitted, house.load.starting, house.load.sessions]).toEqual([false, 1, 0]);

    releaseFirst();
    (await second)();
    await nextLoop();
    expect(house.load).toEqual({ sessions: 0, waiting: 0, starting: 0 });
  });

  it('are limited per configuration folder, and one folder does not hold up another (P9)', async () => {
    const limits = { maxSessions: 1, maxStarting: 2, startsPerConfigDir: 1, admissionMs: NEVER };
    const house = new AdmissionControl(limits, simulatedClock());
    const started: string[] = [];
    const start = async (name: string, folder: string, signal = PATIENT) => {
      const release = await house.takeStartSlot(signal, folder);
      started.push(name);
      return release;
    };
    const first = start('home 1', '/home');
    const second = start('home 2', '/home');
    const other = start('other 1', '/other');
    await nextLoop();
    expect(started).toEqual(['home 1', 'other 1']);

    (await first)();
    await nextLoop();
    expect(started).toEqual(['home 1', 'other 1', 'home 2']);
    for (const slot of [second, other]) (await slot)();
    await nextLoop();
    expect(house.load.starting).toBe(0);
  });

  it('give the folder back when the wait for the rest is given up (R65)', async () => {
    const limits = { maxSessions: 1, maxStarting: 1, startsPerConfigDir: 1, admissionMs: NEVER };
    const house = new AdmissionControl(limits, simulatedClock());
    const release = await house.takeStartSlot(PATIENT, '/other');
    const controller = new AbortController();
    const given = house.takeStartSlot(controller.signal, '/home').catch((error: unknown) => error);
    await nextLoop();
    controller.abort('no');
    expect(await given).toMatchObject({ code: 'ABORTED', cause: 'no' });

    release();
    (await house.takeStartSlot(PATIENT, '/home'))();
    await nextLoop();
    expect(house.load.starting).toBe(0);
  });

  it('are given up at once by who aborts (R65)', async () => {
    const house = new AdmissionControl({ maxSessions: 1, maxStarting: 1, admissionMs: NEVER }, simulatedClock());
    await house.takeStartSlot(PATIENT);
    await expect(house.takeStartSlot(AbortSignal.abort('no'))).rejects.toMatchObject({ code: 'ABORTED', cause: 'no' });
  });
});

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

function openHouse(limits: { maxSessions: number; maxSessionsPerKey?: number; admissionMs?: number }) {
  const clock = simulatedClock();
  const house = new AdmissionControl({ maxStarting: 4, admissionMs: NEVER, ...limits }, clock);
  const admitted: string[] = [];
  const refused = new Map<string, unknown>();
  const releases = new Map<string, () => void>();
  const tickets = new Map<string, object>();
  const queue = (name: string, signal: AbortSignal = PATIENT, key?: string) => {
    const ticket = {};
    tickets.set(name, ticket);
    house.takeSessionSlot(signal, key, ticket).then(
      (release) => {
        admitted.push(name);
        releases.set(name, release);
      },
      (error: unknown) => refused.set(name, error),
    );
  };
  const positionOf = (name: string) => house.positionOf(tickets.get(name) ?? {});
  return { house, clock, admitted, refused, queue, positionOf, release: (name: string) => releases.get(name)?.() };
}
