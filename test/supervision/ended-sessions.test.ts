import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('a session that is over (P7)', () => {
  it('is listed with where its log stands, and its log is read as the living one was, by the next host too', async () => {
    const house = recoveryHouse();
    const first = house.host();
    const session = await first.supervisor.start({ id: 'over' });
    await first.supervisor.start({ id: 'living' });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of session.events())
        if ('seq' in event && event.type !== 'replay.completed') seen.push(shown(event));
    })();
    await session.prompt('work').result;
    await session.close();
    await reading;

    const listed = await all(first.supervisor.stored());
    expect(listed).toMatchObject([
      { id: 'over', state: 'closed', isLiving: false, firstSeq: 1, lastSeq: seen.length },
      { id: 'living', state: 'ready', isLiving: true, endedAt: undefined },
    ]);
    expect(listed[0]?.endedAt).toBeTypeOf('number');
    expect((await all(first.supervisor.read('over'))).map(shown)).toEqual(seen);
    const living = await all(first.supervisor.read('living'));
    expect(living.map((event) => 'seq' in event && event.seq)).toEqual(living.map((_, index) => index + 1));
    first.lose();

    const { supervisor } = house.host();
    expect((await all(supervisor.stored())).map(({ id, isLiving }) => [id, isLiving])).toEqual([
      ['over', false],
      ['living', true],
    ]);
    const rest = await all(supervisor.read('over', { from: 3 }));
    expect(rest.map(shown)).toEqual(seen.slice(3));
    await expect(all(supervisor.read('nobody'))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(() => supervisor.read('over', { from: -1 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
    await supervisor.shutdown();
  });

  it('is known to nobody without a store', async () => {
    const supervisor = createSupervisor({ spawn: recoveryHouse().fleet.open });
    const session = await supervisor.start({ id: 'over' });
    expect(await all(supervisor.stored())).toMatchObject([{ id: 'over', isLiving: true }]);
    await session.close();
    expect(await all(supervisor.stored())).toEqual([]);
    await expect(all(supervisor.read('over'))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await supervisor.shutdown();
  });
});

/** Of a message its bytes. */
function shown(event: object): unknown {
  if (!('message' in event) || typeof event.message !== 'object' || event.message === null) return event;
  return { ...event, message: 'raw' in event.message ? String(event.message.raw) : undefined };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}
