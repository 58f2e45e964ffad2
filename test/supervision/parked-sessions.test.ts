import { describe, expect, it } from 'vitest';
import type { Parking } from '../../machines/child/child.context.ts';
import { awakeClock } from '../../src/clock.ts';
import type { Admission } from '../../src/session/admission.ts';
import { SecretKeeper } from '../../src/supervision/secret-keeper.ts';
import { buildSession } from '../../src/supervision/session-factory.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryPrompt, memoryFleet } from './memory-cli.ts';

const WALL: Parking = { reason: 'quota', until: 90_000, note: 'The account is at its limit.' };

describe('a parked session', () => {
  it('takes prompts, says until when it waits, and runs them afterwards (R86)', async () => {
    const { session, life, fleet, slots, told } = await started();

    life.parking.park(WALL);
    await settled();
    expect(session.state).toBe('parked');
    expect(fleet.running()).toEqual([]);
    expect(slots.held).toBe(0);

    const turn = session.prompt('later');
    expect(session.explain()).toMatchObject({
      state: 'parked',
      because: expect.stringContaining(WALL.note),
      waitingFor: [expect.stringContaining('1970-01-01T00:01:30.000Z')],
      parked: WALL,
      queuedPrompts: 1,
    });
    expect(fleet.started).toHaveLength(1);

    life.parking.unpark();
    expect((await turn.result).outcome).toBe('completed');
    expect(slots.held).toBe(1);
    expect(told().filter(({ type }) => type === 'session.parked')).toEqual([
      expect.objectContaining({ type: 'session.parked', ...WALL }),
    ]);
    expect(told().some(({ type }) => type === 'session.restarting')).toBe(false);
  });

  it('lets the running turn end first, and sends nothing more meanwhile', async () => {
    const open: MemoryPrompt[] = [];
    const { session, life, fleet } = await started((prompt) => void open.push(prompt));
    const first = session.prompt('first');
    const second = session.prompt('second');
    await settled();

    life.parking.park(WALL);
    await settled();
    expect(session.state).toBe('ready');
    expect(session.explain().parked).toEqual(WALL);

    open[0]?.complete();
    expect((await first.result).outcome).toBe('completed');
    await settled();
    expect(session.state).toBe('parked');
    expect(fleet.prompts.map(({ text }) => text)).toEqual(['first']);

    life.parking.unpark();
    await settled();
    open[1]?.complete();
    expect((await second.result).outcome).toBe('completed');
  });

  it('goes on as if nothing had been when the way is free before the turn has ended', async () => {
    const open: MemoryPrompt[] = [];
    const { session, life, fleet } = await started((prompt) => void open.push(prompt));
    const turns = [session.prompt('first'), session.prompt('second')];
    await settled();

    life.parking.park(WALL);
    life.parking.unpark();
    open[0]?.complete();
    await settled();
    open[1]?.complete();

    expect((await Promise.all(turns.map(({ result }) => result))).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
    ]);
    expect(fleet.started).toHaveLength(1);
  });

  it('ends the running turn at once where that is asked for', async () => {
    const { session, life } = await started(() => {});
    const turn = session.prompt('long');
    await settled();

    life.parking.park(WALL, 'now');

    expect((await turn.result).outcome).toBe('interrupted');
    await settled();
    expect(session.state).toBe('parked');
  });

  it('is not started by hand: the refusal says until when (DESIGN §2, no state is a trap)', async () => {
    const { session, life } = await started();
    life.parking.park(WALL);
    await settled();

    expect(() => session.restart()).toThrow(
      expect.objectContaining({ code: 'SESSION_PARKED', details: { id: 'one', reason: 'quota', until: 90_000 } }),
    );
    await session.hibernate();
    expect(session.state).toBe('parked');
  });

  it('refuses a start by hand on the way there, too, and hears it again when nothing stands in the way (P6)', async () => {
    const { session, life } = await started();
    life.parking.park(WALL);

    expect(life.childSnapshot().value).toBe('pausing');
    expect(() => session.restart()).toThrow(
      expect.objectContaining({ code: 'SESSION_PARKED', details: { id: 'one', reason: 'quota', until: 90_000 } }),
    );
    life.parking.unpark();
    session.restart();
    await settled();
    expect(session.state).toBe('ready');
  });

  it('gives its prompts back when it is closed', async () => {
    const { session, life } = await started();
    life.parking.park(WALL);
    await settled();
    const turn = session.prompt('never');

    await session.close();

    expect(await turn.result).toMatchObject({ outcome: 'cancelled', error: { code: 'SESSION_CLOSED' } });
  });

  it('is asked for before each prompt goes out: what stands in the way parks it', async () => {
    let obstacle: Parking | undefined;
    const { session, life, fleet } = await started(undefined, () => obstacle);
    obstacle = WALL;

    const turn = session.prompt('later');
    await settled();
    expect(session.state).toBe('parked');
    expect(fleet.prompts).toEqual([]);

    obstacle = undefined;
    life.parking.unpark();
    expect((await turn.result).outcome).toBe('completed');
  });

  it('never had a process when something stood in its way from the beginning', async () => {
    const { session, fleet, slots } = await started(undefined, () => WALL);

    expect(session.state).toBe('parked');
    expect(fleet.started).toEqual([]);
    expect(slots.held).toBe(0);
  });
});

async function started(answer?: (prompt: MemoryPrompt) => void, barrier?: () => Parking | undefined) {
  const fleet = memoryFleet(answer);
  const slots = { held: 0 };
  let holds = false;
  const admission: Admission = {
    start: async () => {
      if (!holds) slots.held += 1;
      holds = true;
      return () => {};
    },
    giveBack: () => {
      if (holds) slots.held -= 1;
      holds = false;
    },
    position: () => undefined,
    lack: () => undefined,
  };
  const events: { readonly type: string }[] = [];
  const clock = simulatedClock();
  const built = buildSession(
    'one',
    { pathToClaudeCodeExecutable: process.execPath },
    {
      clock,
      awake: awakeClock(clock),
      launcher: (_id, _env, plan) => ({ plan, open: fleet.open }),
      inspect: undefined,
      admission,
      barrier,
      isMember: false,
      secrets: new SecretKeeper({}, () => ({})),
      admitsPrompts: () => true,
      onListenerError: () => {},
      isolated: (observer) => (line) => void observer(line),
      permissions: undefined,
      restart: undefined,
      timeouts: undefined,
      onPromptLost: undefined,
      limits: undefined,
    },
  );
  built.log.listen((event) => events.push(event));
  built.life.begin();
  await settled();
  return { ...built, fleet, slots, told: () => events };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
