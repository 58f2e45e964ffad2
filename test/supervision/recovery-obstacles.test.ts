import { describe, expect, it } from 'vitest';
import type { StoreRecord } from '../../src/store/store-record.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('a session whose records nobody can make sense of', () => {
  it('is set aside, costs no other session, is not written over, and can be ended for good', async () => {
    const house = recoveryHouse(() => {});
    const first = house.host();
    const broken = await first.supervisor.start({ id: 'broken' });
    await broken.prompt('Hello', { id: 'p1' }).accepted;
    await first.supervisor.start({ id: 'sound' });
    first.lose();
    const [session] = await house.recordsOf('broken');
    const { lastSeq, epoch } = (await house.store.head('broken')) ?? { lastSeq: 0, epoch: 0 };
    const event = { seq: lastSeq + 1, epoch, at: 0, type: 'stderr', data: Buffer.from('{"line":"x"}') };
    const nonsense = { ...session, conversationIds: 7, settings: 'none', recoveries: 'many' } as unknown as StoreRecord;
    await house.store.append({ sessionId: 'broken', epoch, events: [event], records: [nonsense] });

    const second = house.host();
    const { sessions } = await second.supervisor.recovered;
    expect(sessions).toMatchObject([
      { id: 'broken', decision: 'quarantined' },
      { id: 'sound', decision: 'kept' },
    ]);
    const found = second.supervisor.session('broken');
    expect(found?.explain()).toMatchObject({ state: 'quarantined', lastFailure: { code: 'RECORD_UNREADABLE' } });
    expect((await house.recordsOf('broken'))[0]).toEqual(nonsense);
    await found?.close();
    second.lose();

    const third = house.host();
    expect((await third.supervisor.recovered).sessions).toMatchObject([{ id: 'sound' }]);
    await third.supervisor.shutdown();
  });
});

describe('a store that fails while sessions are taken up', () => {
  it('has no process started before it is durable that the session was taken up once more', async () => {
    const store = steeredStore();
    const fleet = memoryFleet(() => {});
    const first = createSupervisor({ spawn: fleet.open, store });
    const session = await first.start({ id: 'one' });
    await session.prompt('Poison', { id: 'p1' }).accepted;
    await until(() => fleet.prompts.length === 1);
    // As by SIGKILL: what it would still write is refused for ever.
    store.steer('STORE_TAKEN_OVER');
    await first.shutdown();

    store.steer('STORE_FULL');
    const second = createSupervisor({ spawn: fleet.open, store });
    expect((await second.recovered).sessions).toMatchObject([{ id: 'one', decision: 'resumed' }]);
    await settled();
    expect(fleet.started).toHaveLength(1);
    store.steer(undefined);
    await until(() => fleet.prompts.length === 2);
    const kept = await store.snapshot('one');
    expect(kept?.records.find(({ kind }) => kind === 'session')).toMatchObject({ recoveries: [expect.any(Number)] });
    await second.shutdown();
  });

  it('keeps nobody from leaving: what was not begun ends with the supervisor', async () => {
    const store = steeredStore();
    const fleet = memoryFleet(() => {});
    const first = createSupervisor({ spawn: fleet.open, store });
    const session = await first.start({ id: 'one' });
    await session.prompt('Poison', { id: 'p1' }).accepted;
    store.steer('STORE_TAKEN_OVER');
    await first.shutdown();
    const before = fleet.started.length;

    store.steer('STORE_FULL');
    const second = createSupervisor({ spawn: fleet.open, store, timeouts: { drainFlushMs: 50 } });
    await second.recovered;
    await second.shutdown();
    expect(fleet.running()).toEqual([]);
    expect(fleet.started.length).toBe(before);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
