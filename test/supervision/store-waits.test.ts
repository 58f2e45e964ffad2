import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';

describe('explain() where a store is waited for (P2, P5)', () => {
  it('says how much of a session is held back, since when, and what moves it', async () => {
    const { store, fleet, supervisor } = house();
    const session = await supervisor.start({ id: 'one' });
    await until(() => session.explain().store === undefined);
    expect(supervisor.explain().store).toBeUndefined();

    store.steer('hold');
    const turn = session.prompt('Hello');
    await until(() => session.explain().store?.heldLines === 1);
    const { store: wait, waitingFor } = session.explain();
    expect(wait).toMatchObject({ since: expect.any(Number), events: expect.any(Number), refusal: undefined });
    expect(waitingFor.at(-1)).toContain('the store to keep');
    expect(supervisor.explain().store).toMatchObject({ state: 'writing', sessions: 1, since: wait?.since });
    expect(fleet.prompts).toEqual([]);
    store.steer(undefined);
    await turn.result;
    await until(() => session.explain().store === undefined);
    expect(supervisor.explain().store).toBeUndefined();
    await supervisor.shutdown();
  });

  it('says why a session is not begun that was taken up while the store fails: no word of a free slot', async () => {
    const { store, fleet, supervisor } = house(() => {});
    const session = await supervisor.start({ id: 'one' });
    await session.prompt('Poison', { id: 'p1' }).accepted;
    await until(() => fleet.prompts.length === 1);
    store.steer('STORE_TAKEN_OVER');
    await supervisor.shutdown();

    store.steer('STORE_FULL');
    const next = createSupervisor({ spawn: fleet.open, store });
    expect(next.explain()).toMatchObject({
      store: { state: 'opening' },
      because: expect.stringMatching(/opens its store/),
    });
    await next.recovered;
    const again = next.session('one')?.explain();
    expect(again).toMatchObject({ state: 'waiting', store: { refusal: { code: 'STORE_FULL' } } });
    expect(again?.because).not.toMatch(/slot/);
    expect(again?.waitingFor).toEqual([expect.stringMatching(/^the store to keep/)]);
    expect(next.explain()).toMatchObject({ store: { state: 'failing', refusal: { code: 'STORE_FULL' }, sessions: 1 } });
    expect(next.explain().because).toMatch(/tried again/);
    store.steer(undefined);
    await until(() => fleet.prompts.length === 2);
    await next.shutdown();
  });

  it('says that the store is lost', async () => {
    const { store, supervisor } = house();
    const session = await supervisor.start();
    store.steer('STORE_TAKEN_OVER');
    session.prompt('Hello').result.catch(() => {});
    await session.ended;
    expect(supervisor.explain()).toMatchObject({
      because: expect.stringMatching(/cannot be used any more/),
      store: { state: 'lost', refusal: { code: 'STORE_TAKEN_OVER' } },
    });
    await supervisor.shutdown();
  });
});

function house(answer?: () => void) {
  const store = steeredStore();
  const fleet = memoryFleet(answer);
  return { store, fleet, supervisor: createSupervisor({ spawn: fleet.open, store }) };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
