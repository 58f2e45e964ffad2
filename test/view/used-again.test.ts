import { describe, expect, it } from 'vitest';
import { viewEventOf } from '../../src/server/event-frame.ts';
import type { SessionEvent } from '../../src/store/session-event.ts';
import type { Store } from '../../src/store/store.ts';
import { sessionEventOf } from '../../src/store/stored-session-event.ts';
import { applyEvent } from '../../src/view/apply-event.ts';
import { type SessionView, startView } from '../../src/view/session-view.ts';
import { recoveryHouse } from '../supervision/recovery-house.ts';

describe('the view of an id that is used again on the same store (P7)', () => {
  it.each([
    ['at once', {}],
    ['for later', { autoStart: false }],
  ])('begins anew with the session that is started %s, wherever its log is cut', async (_when, options) => {
    const { store, host } = recoveryHouse();
    const { supervisor } = host();
    const first = await supervisor.start({ id: 'a' });
    await first.prompt('one').result;
    await first.prompt('two').result;
    await first.close();
    const ended = (await eventsOf(store)).length;
    const second = await supervisor.start({ id: 'a', ...options });
    const begun = viewOf(await eventsOf(store));
    expect(begun.ended).toBeUndefined();
    expect([begun.state, begun.status]).toEqual([second.state, second.status]);
    await second.prompt('three', { id: 'third' }).result;
    await expect.poll(async () => viewOf(await eventsOf(store)).usage.turns).toBe(1);
    const events = await eventsOf(store);
    const view = viewOf(events);

    expect(view).toMatchObject({ state: 'ready', status: 'idle', epoch: 2, createdAt: events[ended]?.at });
    expect(view.prompts.map(({ id }) => id)).toEqual(['third']);
    expect(view.transitions[0]).toMatchObject({ seq: ended + 1 });
    expect(view.transitions.map(({ to }) => to)).toEqual(second.history().map(({ state }) => state));
    expect(viewOf(events.slice(0, ended))).toMatchObject({ usage: { turns: 2 }, ended: { cause: { code: 'closed' } } });
    for (let cut = 0; cut <= events.length; cut += 1) {
      const half = viewOf(events.slice(0, cut));
      expect(events.slice(Math.max(0, cut - 3)).reduce(folded, half)).toEqual(view);
    }
    await second.close();
    expect(viewOf(await eventsOf(store))).toMatchObject({ usage: { turns: 1 }, ended: { cause: { code: 'closed' } } });
  });

  it('begins anew also where the first event of the next session cannot be read (P6)', async () => {
    const { store, host } = recoveryHouse();
    const { supervisor } = host();
    await (await supervisor.start({ id: 'a' })).close();
    const ended = (await eventsOf(store)).length;
    await supervisor.start({ id: 'a' });
    const events = (await eventsOf(store)).map((event, index): SessionEvent => {
      const { seq, epoch, at } = event;
      return index === ended ? { type: 'diagnostic', reason: 'log-lost', seq, epoch, at } : event;
    });

    expect(viewOf(events)).toMatchObject({ state: 'ready', epoch: 2 });
    expect(viewOf(events).ended).toBeUndefined();
  });
});

async function eventsOf(store: Store): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of store.read({ sessionId: 'a', after: 0 })) {
    if ('data' in event) events.push(sessionEventOf(event));
  }
  return events;
}

function viewOf(events: readonly SessionEvent[]): SessionView {
  return events.reduce(folded, startView({ id: 'a', groups: [] }));
}

function folded(view: SessionView, event: SessionEvent): SessionView {
  return applyEvent(view, viewEventOf(event));
}
