import { describe, expect, it } from 'vitest';
import { createSupervisor, type SessionOptions, type SupervisorOptions } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryPrompt, memoryFleet } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('a start that waits while sessions have nothing to do', () => {
  it('is admitted in the place of the one used longest ago, whose next prompt goes on with its conversation (R64)', async () => {
    const { supervisor, start, fleet } = stage({ limits: { maxSessions: 2 } });
    const [first, second] = [await start({ id: 'first' }), await start({ id: 'second' })];
    await second.prompt('a').result;
    await first.prompt('b').result;

    const third = await start({ id: 'third' });
    expect([first.state, second.state, third.state]).toEqual(['ready', 'hibernated', 'ready']);
    expect(fleet.running()).toHaveLength(2);
    expect(second.explain().waitingFor).toEqual(['a prompt']);

    expect((await second.prompt('again').result).outcome).toBe('completed');
    expect([first.state, second.incarnation]).toEqual(['hibernated', 2]);
    expect(fleet.started.at(-1)?.peer.plan.args.join(' ')).toContain('--resume');
    expect(supervisor.load()).toEqual({ sessions: 2, waiting: 0, starting: 0 });
  });

  it('is told apart from a sleep by itself: the event says that it was evicted', async () => {
    const { supervisor, start } = stage({ limits: { maxSessions: 1 } });
    const told: unknown[] = [];
    supervisor.on('event', (event) => {
      if (event.type === 'session.hibernated') told.push([event.sessionId, event.reason]);
    });
    const first = await start({ id: 'first' });
    const second = await start({ id: 'second' });
    await second.hibernate();
    expect(first.state).toBe('hibernated');
    expect(told).toEqual([
      ['first', 'evicted'],
      ['second', undefined],
    ]);
  });

  it('waits for one that works, and takes its place as soon as it has nothing to do (R64)', async () => {
    const open: MemoryPrompt[] = [];
    const { start, supervisor } = stage({ limits: { maxSessions: 1 } }, (prompt) => void open.push(prompt));
    const busy = await start({ id: 'busy' });
    const turn = busy.prompt('long');
    await settled();
    const waiting = start({ id: 'waiting' });
    await settled();
    expect(supervisor.load()).toEqual({ sessions: 1, waiting: 1, starting: 0 });
    expect(supervisor.session('waiting')?.explain().waitingFor).toEqual(['a session slot, as number 1 in line']);
    expect(busy.state).toBe('ready');

    open[0]?.complete();
    expect((await turn.result).outcome).toBe('completed');
    expect((await waiting).state).toBe('ready');
    expect(busy.state).toBe('hibernated');
  });

  it('is refused after its deadline where nobody may be evicted, and nobody is (P5, R64)', async () => {
    for (const more of [{ admission: {} }, { options: { persistSession: false } }]) {
      const { start, clock, supervisor } = stage({ limits: { maxSessions: 1 }, ...more });
      const first = await start({ ...more.options });
      const refused = start().catch((error: unknown) => error);
      await clock.advance(29_999);
      expect([first.state, supervisor.load().waiting]).toEqual(['ready', 1]);
      await clock.advance(1);
      expect(await refused).toMatchObject({ code: 'AT_CAPACITY', details: { field: 'limits.maxSessions', limit: 1 } });
      expect(first.state).toBe('ready');
    }
  });

  it('evicts one session for one that waits, and one of its key where its key is full', async () => {
    const { start } = stage({ limits: { maxSessions: 4, maxSessionsPerKey: 2 } });
    const ofA = [await start({ key: 'a' }), await start({ key: 'a' })];
    const ofB = [await start({ key: 'b' }), await start({ key: 'b' })];
    const another = await start({ key: 'b' });
    await settled();
    expect(ofA.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect([...ofB, another].map(({ state }) => state)).toEqual(['hibernated', 'ready', 'ready']);
  });
});

describe('a prompt that wakes a session', () => {
  it('waits in line for a slot, and is given back as AT_CAPACITY after the deadline; the next one tries again (P2, P5)', async () => {
    const { start, clock } = stage({ limits: { maxSessions: 1 }, admission: {} });
    const sleeper = await start({ id: 'sleeper' });
    await sleeper.prompt('first').result;
    await sleeper.hibernate();
    const holder = await start({ id: 'holder' });

    const turn = sleeper.prompt('second');
    await settled();
    expect(sleeper.explain()).toMatchObject({ state: 'waiting', waitingFor: ['a session slot, as number 1 in line'] });
    await clock.advance(30_000);
    expect(await turn.result).toMatchObject({ outcome: 'cancelled', error: { code: 'AT_CAPACITY' } });
    expect(sleeper.state).toBe('hibernated');
    expect(sleeper.explain().because).toContain('All 1 slots are taken.');

    const again = sleeper.prompt('third');
    await settled();
    await holder.close();
    expect((await again.result).outcome).toBe('completed');
  });

  it('waits no longer where another host had put it to sleep: every wait has a deadline in the options (P5)', async () => {
    const house = recoveryHouse();
    const first = house.host();
    await first.supervisor.start({ id: 'sleeper' });
    first.lose();

    const clock = simulatedClock();
    const { supervisor } = house.host({
      clock,
      limits: { maxSessions: 1 },
      pathToClaudeCodeExecutable: process.execPath,
    });
    await supervisor.recovered;
    await supervisor.start({ id: 'holder' });
    const turn = supervisor.session('sleeper')?.prompt('wake up');
    await settled();
    expect(supervisor.session('sleeper')?.state).toBe('waiting');
    await clock.advance(30_000);
    await settled();
    expect(supervisor.session('sleeper')?.state).toBe('hibernated');
    expect(await turn?.result).toMatchObject({ outcome: 'cancelled', error: { code: 'AT_CAPACITY' } });
  });
});

describe('a session without a process', () => {
  it('holds no slot: hibernated, or set aside (R64)', async () => {
    const { start, supervisor, fleet } = stage({
      limits: { maxSessions: 1 },
      admission: {},
      restart: { intensity: 1, backoff: { minMs: 10, maxMs: 10, jitter: 0 } },
    });
    const sleeper = await start();
    await sleeper.hibernate();
    expect(supervisor.load().sessions).toBe(0);
    await sleeper.close();

    const crashing = await start({ restart: { intensity: 0 } });
    expect(supervisor.load().sessions).toBe(1);
    fleet.running()[0]?.exit(1);
    await settled();
    expect([crashing.state, supervisor.load().sessions]).toEqual(['quarantined', 0]);
  });
});

function stage(options: SupervisorOptions & { options?: SessionOptions }, answer?: (prompt: MemoryPrompt) => void) {
  const { options: _options, ...more } = options;
  const clock = simulatedClock();
  const fleet = memoryFleet(answer);
  const supervisor = createSupervisor({
    pathToClaudeCodeExecutable: process.execPath,
    spawn: fleet.open,
    clock,
    admission: { evictIdle: true },
    ...more,
  });
  return { supervisor, fleet, clock, start: (session: SessionOptions = {}) => supervisor.start(session) };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 30; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
