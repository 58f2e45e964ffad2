import { describe, expect, it } from 'vitest';
import type { ObservedEvent, Session, SupervisorOptions } from '../../src/index.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type SteeredStore, steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';

describe('a session of a supervisor with a store', () => {
  it('is started only when the store has it, and its prompts count only then (P2, P7)', async () => {
    const { store, supervisor, fleet } = house();
    store.steer('hold');
    let started: Session | undefined;
    const starting = supervisor.start({ id: 'a' }).then((session) => {
      started = session;
      return session;
    });
    await until(() => fleet.started.length === 1);
    await settled();
    expect(started).toBeUndefined();
    store.steer(undefined);
    const session = await starting;

    store.steer('hold');
    const turn = session.prompt('work');
    const heard: string[] = [];
    void turn.accepted.then(() => heard.push('accepted'));
    void turn.result.then(() => heard.push('result'));
    await settled();
    expect(heard).toEqual([]);
    expect(fleet.prompts).toEqual([]);
    store.steer(undefined);
    await turn.result;
    expect(heard).toEqual(['accepted', 'result']);
    expect(fleet.prompts).toHaveLength(1);
    await supervisor.shutdown();
  });

  it('shows nobody an event that a crash could still take back; what a reader saw is in the store, byte for byte (P7)', async () => {
    const { store, supervisor, fleet } = house(() => {});
    const session = await supervisor.start({ id: 'a' });
    const seen: ObservedEvent[] = [];
    const reading = read(session, seen);
    const turn = session.prompt('work');
    await until(() => fleet.prompts.length === 1);
    store.steer('hold');
    fleet.prompts[0]?.complete();
    await settled();
    expect(session.snapshot()).toMatchObject({ outstanding: [] });
    expect(session.snapshot().seq).toBeGreaterThan(seen.length);
    expect(seqsOf(seen)).toEqual(await storedSeqs(store));
    store.steer(undefined);
    await turn.result;
    await session.close();
    await reading;
    expect(await storedSeqs(store)).toEqual(seqsOf(seen));
    expect(seqsOf(seen)).toEqual(seqsOf(seen).map((_, index) => index + 1));
    const lines = seen.flatMap((event) => (event.type === 'message' ? [event.message.raw.toString()] : []));
    expect(await storedLines(store)).toEqual(lines);
    await supervisor.shutdown();
  });

  it('is read whole from the store where memory holds only its end (P7)', async () => {
    const { store, supervisor } = house(undefined, { limits: { maxLogItems: 20 } });
    const session = await supervisor.start({ id: 'a' });
    for (const text of ['one', 'two', 'three', 'four', 'five']) await session.prompt(text).result;
    const stored = await storedSeqs(store);
    const seen: ObservedEvent[] = [];
    for await (const event of session.events({ from: 0 })) {
      if (event.type === 'replay.completed') break;
      seen.push(event);
    }
    expect(stored.length).toBeGreaterThan(30);
    expect(seqsOf(seen)).toEqual(stored);
    expect(seen).toHaveLength(stored.length);
    const lines = seen.flatMap((event) => (event.type === 'message' ? [event.message.raw.toString()] : []));
    expect(await storedLines(store)).toEqual(lines);
    await supervisor.shutdown();
  });

  it('lets no interrupt overtake the prompt that it is meant for (P3)', async () => {
    const { store, supervisor, fleet } = house(() => {});
    const session = await supervisor.start({ id: 'a' });
    store.steer('hold');
    const turn = session.prompt('work');
    const interrupted = session.control('anything');
    await settled();
    expect(fleet.prompts).toEqual([]);
    store.steer(undefined);
    await until(() => fleet.prompts.length === 1);
    await interrupted;
    fleet.prompts[0]?.complete();
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    await supervisor.shutdown();
  });
});

describe('a store that fails', () => {
  it('stops acceptance, not the work in progress, and gets everything under the same numbers later (P2, P7)', async () => {
    const { store, supervisor, fleet, clock, told } = house(() => {});
    const session = await supervisor.start({ id: 'a' });
    const seen: ObservedEvent[] = [];
    const reading = read(session, seen);
    const turn = session.prompt('work');
    await until(() => fleet.prompts.length === 1);

    store.steer('STORE_FULL');
    fleet.prompts[0]?.complete();
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'done' });
    expect(() => session.prompt('more')).toThrow(expect.objectContaining({ code: 'STORE_FULL' }));
    await expect(supervisor.start()).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(told).toEqual(['store.failing']);
    await until(() => seen.some(({ type }) => type === 'log.volatile'));

    store.steer(undefined);
    clock.increment(10_000);
    await until(() => told.length === 2);
    expect(told).toEqual(['store.failing', 'store.recovered']);
    const again = session.prompt('again');
    await again.accepted;
    await until(() => fleet.prompts.length === 2);
    fleet.prompts[1]?.complete();
    await again.result;
    await session.close();
    await reading;
    expect(seen.map(({ type }) => type)).toContain('log.durable');
    expect(await storedSeqs(store)).toEqual(seqsOf(seen));
    await supervisor.shutdown();
  });

  it('has a prompt that it did not take rejected, and that prompt does not run (P2)', async () => {
    const { store, supervisor, fleet, clock } = house();
    const session = await supervisor.start({ id: 'a' });
    store.steer('STORE_READ_ONLY');
    const turn = session.prompt('work');
    await expect(turn.accepted).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
    expect(await turn.result).toMatchObject({ outcome: 'cancelled', error: { code: 'STORE_READ_ONLY' } });
    store.steer(undefined);
    clock.increment(10_000);
    await until(() => supervisor.list().length === 1 && storeIsBack(session));
    expect(fleet.prompts).toEqual([]);
    await supervisor.shutdown();
  });

  it('does not take a session whose first record it cannot keep, and leaves nothing of it (P1)', async () => {
    const { store, supervisor, fleet } = house();
    store.steer('STORE_FULL');
    await expect(supervisor.start({ id: 'a' })).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(supervisor.list()).toEqual([]);
    expect(fleet.running()).toEqual([]);
    store.steer(undefined);
    await supervisor.shutdown();
  });

  it('that another process has taken over ends every session at once, and nothing more is written (P1)', async () => {
    const { store, supervisor, fleet, told } = house(() => {});
    const session = await supervisor.start({ id: 'a' });
    const seen: ObservedEvent[] = [];
    const reading = read(session, seen);
    const turn = session.prompt('work');
    await until(() => fleet.prompts.length === 1);
    const kept = await storedSeqs(store);
    store.steer('STORE_TAKEN_OVER');
    fleet.prompts[0]?.complete();
    expect(await turn.result).toMatchObject({ outcome: 'lost', error: { code: 'STORE_TAKEN_OVER' } });
    await session.ended;
    await reading;
    expect(fleet.running()).toEqual([]);
    expect(told).toEqual(['store.lost']);
    store.steer(undefined);
    await expect(supervisor.start()).rejects.toMatchObject({ code: 'STORE_TAKEN_OVER' });
    await supervisor.shutdown();
    expect((await storedSeqs(store)).length).toBeGreaterThanOrEqual(kept.length);
    expect(seqsOf(seen)).toEqual(await storedSeqs(store));
  });
});

describe('a store that does not answer', () => {
  it('counts as failing after its deadline: what runs goes on, and nothing is written twice when it answers after all (P5, P7)', async () => {
    const { store, supervisor, fleet, clock, told } = house(() => {}, { timeouts: { storeMs: 5_000 } });
    const session = await supervisor.start({ id: 'a' });
    const turn = session.prompt('work');
    await until(() => fleet.prompts.length === 1);
    await settled();

    store.steer('hold');
    fleet.prompts[0]?.complete();
    await settled();
    const given = store.given.length;
    clock.increment(4_999);
    await settled();
    expect(told).toEqual([]);
    clock.increment(1);
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    expect(told).toEqual(['store.failing']);
    expect(() => session.prompt('more')).toThrow(expect.objectContaining({ code: 'STORE_UNREACHABLE' }));
    clock.increment(60_000);
    await settled();
    // Tried again under the same numbers it would be refused, should the first try still come through.
    expect(store.given).toHaveLength(given);

    store.steer(undefined);
    await until(() => told.length === 2);
    expect(told).toEqual(['store.failing', 'store.recovered']);
    await session.close();
    const seqs = await storedSeqs(store);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    await supervisor.shutdown();
  });
});

describe('the end of a supervisor', () => {
  it.each(['STORE_FULL', 'hold'] as const)(
    'leaves nothing behind that goes on when the store never keeps the rest: %s (P5)',
    async (word) => {
      const { store, supervisor, clock } = house();
      const session = await supervisor.start({ id: 'a' });
      const seen: ObservedEvent[] = [];
      const reading = read(session, seen);
      store.steer(word);
      let isDown = false;
      const down = supervisor.shutdown().then(() => {
        isDown = true;
      });
      for (let minutes = 0; minutes < 10 && !isDown; minutes += 1) {
        await settled();
        clock.increment(60_000);
      }
      await down;
      await reading;
      const given = store.given.length;
      clock.increment(600_000);
      await settled();
      expect(store.given).toHaveLength(given);
    },
  );

  it('waits until everything is stored (P7)', async () => {
    const { store, supervisor } = house();
    await supervisor.start({ id: 'a' });
    store.steer('hold');
    let isDown = false;
    const down = supervisor.shutdown().then(() => {
      isDown = true;
    });
    await settled();
    expect(isDown).toBe(false);
    store.steer(undefined);
    await down;
    const snapshot = await store.snapshot('a');
    expect(snapshot?.records.find(({ kind }) => kind === 'session')).toMatchObject({ endedAt: expect.any(Number) });
  });

  it('lets a session with the id of one that has ended go on counting (P7)', async () => {
    const { store, supervisor } = house();
    const first = await supervisor.start({ id: 'a' });
    await first.close();
    const last = (await storedSeqs(store)).at(-1) ?? 0;
    const second = await supervisor.start({ id: 'a' });
    await second.close();
    const all = await storedSeqs(store);
    expect(all.length).toBeGreaterThan(last);
    expect(all).toEqual(all.map((_, index) => index + 1));
    await supervisor.shutdown();
  });

  it('lets an id that the failing store refused begin behind all that its log told, also after its end (P7)', async () => {
    const { store, supervisor, clock, told } = house();
    store.steer('STORE_FULL');
    await expect(supervisor.start({ id: 'a' })).rejects.toMatchObject({ code: 'STORE_FULL' });
    store.steer(undefined);
    clock.increment(60_000);
    await until(() => told.includes('store.recovered'));
    const second = await supervisor.start({ id: 'a' });
    await second.close();
    await supervisor.shutdown();
    const all = await storedSeqs(store);
    expect(all).toEqual(all.map((_, index) => index + 1));
  });

  it('lets an id be taken again when the store has all of its last log, and waits for that no longer than for any change (P5, P7)', async () => {
    const { store, supervisor, clock, told } = house(() => {}, { timeouts: { storeMs: 5_000 } });
    store.steer('STORE_FULL');
    await expect(supervisor.start({ id: 'a' })).rejects.toMatchObject({ code: 'STORE_FULL' });
    store.steer('hold');
    clock.increment(60_000);
    await until(() => store.waiting === 1);
    // It keeps what it refused, and does not answer about the event that tells so.
    store.steer('hold');
    await until(() => told.includes('store.recovered') && store.waiting === 1);
    const given = store.given.length;
    const early = supervisor.start({ id: 'a' }).catch((error: unknown) => error);
    await settled();
    expect(store.given).toHaveLength(given);
    clock.increment(5_000);
    expect(await early).toMatchObject({ code: 'STORE_UNREACHABLE' });
    store.steer(undefined);
    await until(() => told.at(-1) === 'store.recovered');
    const second = await supervisor.start({ id: 'a' });
    await second.close();
    await supervisor.shutdown();
    const all = await storedSeqs(store);
    expect(all).toEqual(all.map((_, index) => index + 1));
  });
});

function house(answer?: Parameters<typeof memoryFleet>[0], options: SupervisorOptions = {}) {
  const store = steeredStore();
  const fleet = memoryFleet(answer);
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const supervisor = createSupervisor({
    store,
    clock,
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    ...options,
  });
  const told: string[] = [];
  supervisor.on('event', ({ type }) => {
    if (type.startsWith('store.')) told.push(type);
  });
  return { store, fleet, clock, supervisor, told };
}

async function read(session: Session, seen: ObservedEvent[]): Promise<void> {
  for await (const event of session.events()) if (event.type !== 'replay.completed') seen.push(event);
}

function seqsOf(events: readonly ObservedEvent[]): number[] {
  return events.flatMap((event) => ('epoch' in event ? [event.seq] : []));
}

async function storedSeqs(store: SteeredStore): Promise<number[]> {
  const seqs: number[] = [];
  for await (const event of store.read({ sessionId: 'a', after: 0 })) if ('seq' in event) seqs.push(event.seq);
  return seqs;
}

async function storedLines(store: SteeredStore): Promise<string[]> {
  const lines: string[] = [];
  for await (const event of store.read({ sessionId: 'a', after: 0 })) {
    if ('data' in event && event.type.startsWith('message')) lines.push(Buffer.from(event.data).toString());
  }
  return lines;
}

function storeIsBack(session: Session): boolean {
  return session.snapshot().outstanding.length === 0;
}

/** What is not there after so many rounds will not come. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 2_000 && !isTrue(); round += 1) await new Promise((resolve) => setImmediate(resolve));
  if (!isTrue()) throw new Error(`It did not come true: ${isTrue}`);
}
