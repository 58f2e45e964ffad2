import { describe, expect, it } from 'vitest';
import type { Store, StoredEvent } from '../../src/store/store.ts';
import type { Supervisor } from '../../src/supervision/supervisor.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('the id of a session that ended under another host', () => {
  it('goes on counting events and processes in the session that takes it (P7)', async () => {
    const { store, second } = await afterOneHost();
    const before = await eventsOf(store, 'a');
    const session = await second.start({ id: 'a' });
    expect(session.incarnation).toBe(2);
    expect(await session.prompt('again').result).toMatchObject({ outcome: 'completed' });
    await session.close();
    const all = await eventsOf(store, 'a');
    expectGoesOn(all, before.length);
    expect(all.map(({ type }) => type)).not.toContain('session.resumed');
    await second.shutdown();
  });

  it('goes on counting when a member of a group takes it, at the start and later, and when the store has forgotten it (P7)', async () => {
    const { store, second } = await afterOneHost('a', 'b');
    const [a, b] = [await eventsOf(store, 'a'), await eventsOf(store, 'b')];
    await second.recovered;
    // Not at the opening: what the supervisor read then says nothing any more.
    await store.prune({ maxEndedSessions: 0 });
    const group = await second.group({ id: 'team', children: [{ id: 'a' }] });
    await group.startChild({ id: 'b' });
    expect([group.session('a')?.incarnation, group.session('b')?.incarnation]).toEqual([2, 2]);
    await group.close();
    for (const [id, before] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const after = await eventsOf(store, id);
      expect(after[0]?.seq).toBe(before.length + 1);
      expectGoesOn([...before, ...after], before.length);
    }
    await second.shutdown();
  });

  it('goes on counting when the store had forgotten it before it was opened (P7)', async () => {
    const house = recoveryHouse();
    await playOut(house.host().supervisor, ['a', 'b']);
    const [a, b] = [await eventsOf(house.store, 'a'), await eventsOf(house.store, 'b')];
    await house.store.prune({ maxEndedSessions: 0 });
    const { supervisor } = house.host();
    const session = await supervisor.start({ id: 'a' });
    const group = await supervisor.group({ id: 'team', children: [] });
    await group.startChild({ id: 'b' });
    expect([session.incarnation, group.session('b')?.incarnation]).toEqual([2, 2]);
    await supervisor.shutdown();
    expectGoesOn([...a, ...(await eventsOf(house.store, 'a'))], a.length);
    expectGoesOn([...b, ...(await eventsOf(house.store, 'b'))], b.length);
  });

  it('leaves what its session used to that session, and has its own prompts and usage after a loss (P2, P7)', async () => {
    const house = recoveryHouse();
    const first = house.host();
    const former = await first.supervisor.start({ id: 'a', key: 'theirs' });
    for (const id of ['one', 'two', 'three']) await former.prompt(id, { id }).result;
    await former.close();
    await former.ended;
    const own = await first.supervisor.start({ id: 'a', key: 'ours' });
    await own.prompt('own', { id: 'own' }).result;
    const { turns, costUsd } = own.usage();
    first.lose();

    const { supervisor } = house.host();
    await supervisor.recovered;
    const again = supervisor.session('a');
    expect(again?.usage()).toMatchObject({ turns, costUsd });
    expect(again?.turns().map(({ number, promptIds }) => [number, ...promptIds])).toEqual([[1, 'own']]);
    expect([again?.turn('one'), again?.turn('own')?.id]).toEqual([undefined, 'own']);
    const spent = supervisor.ledger().keys.map(({ name, spent: { turns: count } }) => [name, count]);
    expect(spent.sort()).toEqual([
      ['ours', 1],
      ['theirs', 3],
    ]);
    await supervisor.shutdown();
  });
});

/** Sessions with those ids have had one process each, and ended; the second host is as new. */
async function afterOneHost(...ids: string[]) {
  const house = recoveryHouse();
  await playOut(house.host().supervisor, ids.length === 0 ? ['a'] : ids);
  return { store: house.store, second: house.host().supervisor };
}

async function playOut(supervisor: Supervisor, ids: readonly string[]): Promise<void> {
  for (const id of ids) await (await supervisor.start({ id })).prompt('work').result;
  await supervisor.shutdown();
}

/** Dense; before its first process the new session bears the number of the last one, and then the next. */
function expectGoesOn(events: readonly StoredEvent[], former: number): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const own = events.slice(former).map(({ epoch }) => epoch);
  expect(own[0]).toBe(1);
  expect(own.at(-1)).toBe(2);
  expect(own).toEqual([...own].sort((one, other) => one - other));
}

async function eventsOf(store: Store, id: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of store.read({ sessionId: id, after: 0 })) if ('data' in event) events.push(event);
  return events;
}
