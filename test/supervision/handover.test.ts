import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import type { MemoryPrompt } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

/** A question of the CLI about a tool. */
const ASKING = {
  type: 'control_request',
  request_id: 'q1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'make' }, tool_use_id: 'u1' },
};

/** What still runs is not waited for. */
const AT_ONCE = { signal: AbortSignal.abort() };

describe('a handover', () => {
  it('lets what runs end, and leaves what waits in the queue to the next host (P2)', async () => {
    const { house, clock, first, open } = hosts();
    const session = await first.start({ id: 'one' });
    const [running, waiting] = [session.prompt('first', { id: 'p1' }), session.prompt('second', { id: 'p2' })];
    await settled();

    const over = first.handover();
    await settled();
    expect(first.explain()).toMatchObject({
      state: 'draining',
      phase: 'finishing-turns',
      isHandover: true,
      deadlineAt: clock.now() + 30_000,
      awaited: [{ id: 'one', reason: 'turn' }],
    });
    open[0]?.complete('well');
    await over;

    expect(await running.result).toMatchObject({ outcome: 'completed', text: 'well' });
    expect(await waiting.result).toMatchObject({
      outcome: 'lost',
      error: { code: 'HANDED_OVER', details: { promptId: 'p2' } },
    });
    expect(open.map(({ text }) => text)).toEqual(['first']);
    expect(house.fleet.running()).toEqual([]);
    expect(first.state).toBe('stopped');
    const types = await house.eventsOf('one');
    expect(types.at(-1)).toBe('session.handed-over');
    expect(types).not.toContain('session.ended');
    expect(types.filter((type) => type === 'prompt.ended')).toHaveLength(1);
  });

  it('leaves a session that the next host goes on with at once, and its end is told there (P2, P7)', async () => {
    const { house, first, open, next } = hosts();
    const session = await first.start({ id: 'one' });
    session.prompt('first', { id: 'p1' });
    session.prompt('second', { id: 'p2' });
    await settled();
    const over = first.handover();
    open[0]?.complete();
    await over;

    const second = next();
    const report = await second.recovered;
    expect(report.sessions).toMatchObject([{ id: 'one', decision: 'resumed' }]);
    expect(report.sessions[0]?.reason).toBe('It was handed over. It has work.');
    await until(() => open.length === 2);
    expect(open.map(({ text }) => text)).toEqual(['first', 'second']);
    open[1]?.complete('there');
    expect(await second.session('one')?.prompt('second', { id: 'p2' }).result).toMatchObject({
      outcome: 'completed',
      text: 'there',
    });
    const types = await house.eventsOf('one');
    expect(types.filter((type) => type === 'prompt.accepted')).toHaveLength(2);
    expect(types.filter((type) => type === 'prompt.ended')).toHaveLength(2);
    expect(types.filter((type) => type === 'session.recovered')).toHaveLength(1);
    expect(JSON.stringify(await house.recordsOf('one'))).not.toContain('handedOverAt');
  });

  it('cuts off at its deadline what still runs; the declared policy decides there (P5)', async () => {
    const { house, clock, first, open, next } = hosts();
    const sessions = await Promise.all([
      first.start({ id: 'once' }),
      first.start({ id: 'fail', onPromptLost: 'fail' }),
    ]);
    const turns = sessions.map((session) => session.prompt('endless', { id: 'p1' }));
    await settled();

    const over = first.handover({ timeoutMs: 5_000 });
    await clock.advance(4_999);
    expect(first.explain().phase).toBe('finishing-turns');
    expect(house.fleet.running()).toHaveLength(2);
    await clock.advance(1);
    await over;
    for (const { result } of turns)
      expect(await result).toMatchObject({ outcome: 'lost', error: { code: 'HANDED_OVER' } });
    expect(house.fleet.running()).toEqual([]);
    for (const id of ['once', 'fail']) expect(await house.eventsOf(id)).not.toContain('prompt.ended');

    const second = next();
    await second.recovered;
    expect((await second.session('fail')?.prompt('endless', { id: 'p1' }).result)?.outcome).toBe('lost');
    await until(() => open.length === 3);
    // Sent again under the id that the CLI knows, so that it cannot run twice.
    expect(open[2]).toMatchObject({ text: 'endless', uuid: open[0]?.uuid });
    open[2]?.complete();
    expect((await second.session('once')?.prompt('endless', { id: 'p1' }).result)?.outcome).toBe('completed');
  });

  it('leaves an open question open, and the answer that comes afterwards is the one decision (P4)', async () => {
    const { house, clock, first, open, next } = hosts();
    const session = await first.start({ id: 'one' });
    session.prompt('ask', { id: 'p1' });
    await settled();
    open[0]?.cli.say(ASKING);
    await settled();
    const [asked] = session.permissions.pending();

    const over = first.handover({ timeoutMs: 1_000 });
    await clock.advance(1_000);
    await over;
    expect(await house.eventsOf('one')).not.toContain('permission.settled');
    await expect(session.permissions.answer('q1', { behavior: 'allow' })).rejects.toMatchObject({
      code: 'HANDED_OVER',
    });

    const second = next();
    await second.recovered;
    const after = second.session('one');
    expect(after?.permissions.pending()).toEqual([asked]);
    await until(() => open.length === 2);
    open[1]?.cli.say({ ...ASKING, request_id: 'q2' });
    await settled();
    expect(after?.permissions.pending()).toHaveLength(1);
    await after?.permissions.answer('q1', { behavior: 'allow' });
    await settled();
    const types = await house.eventsOf('one');
    expect(types.filter((type) => type === 'permission.requested')).toHaveLength(1);
    expect(types.filter((type) => type === 'permission.settled')).toHaveLength(1);
    open[1]?.complete();
    await settled();
  });

  it('sends nothing more out while another session is still let end (P2)', async () => {
    const { first, open } = hosts();
    const [one, two] = await Promise.all([first.start({ id: 'one' }), first.start({ id: 'two' })]);
    one.prompt('first');
    await until(() => open.length === 1);
    one.prompt('waiting');
    two.prompt('endless');
    await until(() => open.length === 2);

    const over = first.handover();
    open[0]?.complete();
    await settled();
    expect(open.map(({ text }) => text)).toEqual(['first', 'endless']);
    open[1]?.complete();
    await over;
  });

  it('cuts off at once what runs when its signal fires', async () => {
    const { first } = hosts();
    const session = await first.start({ id: 'one' });
    const turn = session.prompt('endless');
    await settled();
    const patience = new AbortController();

    const over = first.handover({ signal: patience.signal });
    await settled();
    expect(first.explain().phase).toBe('finishing-turns');
    patience.abort();
    await over;

    expect((await turn.result).error?.code).toBe('HANDED_OVER');
  });

  it('interrupts nothing and gives nothing back, and ends the streams of its readers', async () => {
    const { first, open, told, clock } = hosts();
    const session = await first.start({ id: 'one' });
    const turn = session.prompt('endless');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of session.events()) seen.push(event.type);
    })();
    const messages = (async () => {
      for await (const _message of turn);
    })();
    messages.catch(() => {});
    await settled();

    const over = first.handover({ timeoutMs: 1_000 });
    await clock.advance(1_000);
    await over;
    await reading;

    expect(seen.at(-1)).toBe('session.handed-over');
    await expect(messages).rejects.toMatchObject({ code: 'HANDED_OVER' });
    expect(open[0]?.cli.peer.killed).toBe(true);
    expect(told('supervisor.phase-changed').map(({ phase }) => phase)).toEqual([
      'finishing-turns',
      'closing',
      'flushing',
      'stopped',
    ]);
  });

  it('refuses with HANDED_OVER whatever is asked of a session that is no longer here', async () => {
    const { first } = hosts();
    const session = await first.start({ id: 'one' });
    const queued = session.prompt('endless');
    await settled();
    await first.handover(AT_ONCE);

    expect(await session.ended).toMatchObject({ reason: 'handed-over', error: { code: 'HANDED_OVER' } });
    const refused = expect.objectContaining({ code: 'HANDED_OVER' });
    expect(() => session.prompt('more')).toThrow(refused);
    expect(() => session.restart()).toThrow(refused);
    expect(() => session.doubts.resolve(queued.id, 'fail')).toThrow(refused);
    for (const call of [
      () => session.close(),
      () => session.kill(),
      () => session.interrupt(),
      () => session.hibernate(),
      () => session.cancelPrompt(queued.id),
      () => session.setModel('other'),
    ]) {
      await expect(call()).rejects.toEqual(refused);
    }
    await session[Symbol.asyncDispose]();
    expect(first.list()).toEqual([]);
    await expect(first.start({ id: 'two' })).rejects.toMatchObject({ code: 'SUPERVISOR_STOPPED' });
  });

  it('admits nothing new while it lasts', async () => {
    const { first, open } = hosts();
    const session = await first.start({ id: 'one' });
    session.prompt('first');
    await settled();
    const over = first.handover();

    expect(() => session.prompt('more')).toThrow(expect.objectContaining({ code: 'SUPERVISOR_STOPPED' }));
    await expect(first.start({ id: 'two' })).rejects.toMatchObject({ code: 'SUPERVISOR_STOPPED' });
    open[0]?.complete();
    await over;
  });

  it('counts no recovery against a session: it took no host down', async () => {
    const { first, next, house, open } = hosts();
    const session = await first.start({ id: 'one' });
    session.prompt('endless', { id: 'p1' });
    let host = first;
    for (let times = 1; times <= 7; times += 1) {
      await until(() => open.length === times);
      await host.handover(AT_ONCE);
      host = next();
      expect((await host.recovered).sessions).toMatchObject([{ decision: 'resumed' }]);
    }
    expect(JSON.stringify(await house.recordsOf('one'))).not.toContain('"recoveries"');
  });

  it('keeps sessions that sleep, are held or have nothing to do as they were, and lets an end that was asked for happen', async () => {
    const { first, next, house } = hosts();
    const [idle, asleep, closing] = await Promise.all([
      first.start({ id: 'idle' }),
      first.start({ id: 'asleep' }),
      first.start({ id: 'closing' }),
    ]);
    await asleep.hibernate();
    const closed = closing.close();

    await first.handover();
    await closed;

    expect((await idle.ended).reason).toBe('handed-over');
    expect((await closing.ended).reason).toBe('closed');
    const report = await next().recovered;
    expect(report.sessions.map(({ id, decision }) => `${id} ${decision}`)).toEqual(['idle kept', 'asleep kept']);
    expect((await house.eventsOf('closing')).at(-1)).toBe('session.ended');
  });

  it('needs a store, and is refused where the sessions are already ended', async () => {
    const alone = createSupervisor();
    await expect(alone.handover()).rejects.toMatchObject({ code: 'STORE_REQUIRED' });
    await expect(alone.handover({ timeoutMs: -1 })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await alone.shutdown();

    const { first, open } = hosts();
    const session = await first.start({ id: 'one' });
    session.prompt('first');
    await settled();
    const drained = first.drain();
    await expect(first.handover()).rejects.toMatchObject({ code: 'SUPERVISOR_STOPPED' });
    open[0]?.complete();
    await drained;
  });

  it('is what a drain or a shutdown in its middle hurries, and nothing else (P2)', async () => {
    const { house, first, next } = hosts();
    const session = await first.start({ id: 'one' });
    session.prompt('endless', { id: 'p1' });
    session.prompt('waiting', { id: 'p2' });
    await settled();

    const over = first.handover();
    await first.shutdown();
    await over;

    expect(await house.eventsOf('one')).not.toContain('prompt.ended');
    expect((await next().recovered).sessions).toMatchObject([{ decision: 'resumed' }]);
  });

  it('hands over the members of a group, each with its conversation, for the group of the next host', async () => {
    const { first, next, open } = hosts();
    await first.group({ id: 'team', children: [{ id: 'a' }, { id: 'b' }] });
    first.session('a')?.prompt('endless', { id: 'p1' });
    await settled();
    await first.handover(AT_ONCE);

    const second = next();
    expect((await second.recovered).sessions).toMatchObject([
      { id: 'a', decision: 'held' },
      { id: 'b', decision: 'held' },
    ]);
    await second.group({ id: 'team', children: [{ id: 'a' }, { id: 'b' }] });
    await until(() => open.length === 2);
    expect(open[1]).toMatchObject({ text: 'endless', uuid: open[0]?.uuid });
  });
});

/** Hosts on one store, one after the other. Prompts are ended by hand. */
function hosts() {
  const open: MemoryPrompt[] = [];
  const house = recoveryHouse((prompt) => void open.push(prompt));
  const clock = simulatedClock();
  const events: FleetEvent[] = [];
  const next = () => {
    const { supervisor } = house.host({ clock });
    supervisor.on('event', (event) => void events.push(event));
    return supervisor;
  };
  return {
    house,
    clock,
    open,
    next,
    first: next(),
    told: <T extends FleetEvent['type']>(type: T) =>
      events.filter((event): event is Extract<FleetEvent, { type: T }> => event.type === type),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  await settled();
}

/** Lets promises and microtasks come to rest; no time passes. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
