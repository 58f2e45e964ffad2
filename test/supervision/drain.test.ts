import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import type { Group } from '../../src/supervision/group.ts';
import { createSupervisor, type Supervisor } from '../../src/supervision/supervisor.ts';
import { type SimulatedClock, simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryManners, type MemoryPrompt, memoryFleet } from './memory-cli.ts';

describe('a drain', () => {
  it('lets running turns and accepted prompts end, and tells each phase and each step (P2)', async () => {
    const { supervisor, told, open, prompt } = await fleet(1);
    const [first, second] = [prompt(0, 'first'), prompt(0, 'second')];
    await settled();

    const drained = supervisor.drain();
    await settled();
    expect(supervisor.state).toBe('draining');
    expect(supervisor.explain()).toMatchObject({
      phase: 'finishing-turns',
      deadlineAt: 600_000,
      awaited: [{ id: 's0', state: 'ready', reason: 'turn' }],
      remaining: { sessions: 1, turns: 1, queued: 1, people: 0 },
    });

    open[0]?.complete();
    await settled();
    open[1]?.complete();
    await drained;
    expect((await first.result).outcome).toBe('completed');
    expect((await second.result).outcome).toBe('completed');
    expect(told('supervisor.phase-changed').map(({ phase }) => phase)).toEqual([
      'stopping-admission',
      'finishing-turns',
      'interrupting',
      'closing',
      'flushing',
      'stopped',
    ]);
    const steps = told('drain.progressed').filter(({ phase }) => phase === 'finishing-turns');
    expect(steps.map(({ remaining }) => `${remaining.turns}+${remaining.queued}`)).toEqual([
      '1+1',
      '0+1',
      '1+0',
      '0+0',
    ]);
    expect(supervisor.explain()).toMatchObject({ state: 'stopped', awaited: [], sessions: 0 });
  });

  it('interrupts what runs at its deadline and gives back what waits, with the reason (P5)', async () => {
    const { supervisor, clock, prompt } = await fleet(1);
    const [running, waiting] = [prompt(0, 'endless'), prompt(0, 'waiting')];
    await settled();

    const drained = supervisor.drain({ timeoutMs: 5_000 });
    await clock.advance(4_999);
    expect(supervisor.explain().phase).toBe('finishing-turns');
    await clock.advance(1);
    await drained;

    expect(await running.result).toMatchObject({ outcome: 'interrupted', error: { code: 'SUPERVISOR_STOPPED' } });
    expect(await waiting.result).toMatchObject({ outcome: 'cancelled', error: { code: 'SUPERVISOR_STOPPED' } });
    expect(supervisor.state).toBe('stopped');
  });

  it('interrupts at once when its signal fires, and goes on', async () => {
    const { supervisor, prompt } = await fleet(1);
    const turn = prompt(0, 'endless');
    await settled();
    const patience = new AbortController();

    const drained = supervisor.drain({ signal: patience.signal });
    await settled();
    expect(supervisor.explain().phase).toBe('finishing-turns');
    patience.abort();
    await drained;

    expect((await turn.result).outcome).toBe('interrupted');
  });

  it('closes sessions whose turn does not obey the interrupt (P3, P5)', async () => {
    const { supervisor, clock, told, prompt } = await fleet(1, { isDeaf: () => true });
    const turn = prompt(0, 'endless');
    await settled();

    const drained = supervisor.drain({ timeoutMs: 1_000 });
    await clock.advance(1_000);
    expect(supervisor.explain().phase).toBe('interrupting');
    await clock.advance(15_000);
    await drained;

    expect((await turn.result).outcome).toBe('interrupted');
    expect(told('supervisor.phase-changed').map(({ phase }) => phase)).not.toContain('killing');
  });

  it('kills, after the time to leave, a session whose own grace is longer (P1, P5)', async () => {
    const { supervisor, clock, cli, told } = await fleet(1, { staysOn: () => true }, { closeGraceMs: 9_999_999 });

    const drained = supervisor.drain();
    await settled();
    expect(supervisor.explain()).toMatchObject({
      phase: 'closing',
      deadlineAt: 120_000,
      awaited: [{ id: 's0', state: 'closing', reason: 'process' }],
    });
    await clock.advance(120_000);
    await drained;

    expect(cli(0)?.peer.killed).toBe(true);
    expect(told('supervisor.phase-changed').map(({ phase }) => phase)).toContain('killing');
  });

  it('ends with everybody deaf and nobody leaving, by its deadlines alone (P5)', async () => {
    const { supervisor, clock, cli, prompt } = await fleet(
      3,
      { isDeaf: () => true, staysOn: () => true },
      { closeGraceMs: 9_999_999 },
    );
    const turns = [0, 1, 2].map((index) => prompt(index, 'endless'));
    await settled();

    const drained = supervisor.drain();
    await clock.advance(600_000 + 15_000 + 120_000);
    await drained;

    expect(turns.length).toBe(3);
    for (const turn of turns) expect((await turn.result).outcome).toBe('interrupted');
    expect([0, 1, 2].map((index) => cli(index)?.peer.killed)).toEqual([true, true, true]);
  });

  it('refuses prompts and starts with a hint, and says so in the state (P6)', async () => {
    const { supervisor, prompt, open } = await fleet(1);
    prompt(0, 'running');
    await settled();
    const drained = supervisor.drain();

    expect(() => prompt(0, 'more')).toThrow(/Prompts that were accepted before still run/);
    await expect(supervisor.start({ id: 'new' })).rejects.toMatchObject({
      code: 'SUPERVISOR_STOPPED',
      details: { state: 'draining', phase: 'stopping-admission' },
    });
    await expect(supervisor.group({ children: [] } as never)).rejects.toMatchObject({ code: 'SUPERVISOR_STOPPED' });
    await settled();
    open[0]?.complete();
    await drained;
    await expect(supervisor.start()).rejects.toThrow(/It is stopped/);
  });

  it('calls off the starts that wait in line, and lets a start end that has a prompt to work on', async () => {
    const { supervisor, prompt, open } = await fleet(1, {}, {}, { maxSessions: 2 });
    const bare = supervisor.start({ id: 'bare' });
    await settled();
    const lazy = await supervisor.start({ id: 'lazy', autoStart: false });
    const waiting = supervisor.start({ id: 'waiting' });
    const turn = lazy.prompt('accepted');
    prompt(0, 'running');
    await settled();
    await bare;

    const drained = supervisor.drain();
    await expect(waiting).rejects.toMatchObject({ code: 'SUPERVISOR_STOPPED' });
    await supervisor.session('bare')?.close();
    await expect.poll(() => open.length).toBe(2);
    for (const asked of open) asked.complete();
    await drained;

    expect((await turn.result).outcome).toBe('completed');
  });

  it('is one and the same, however often and from wherever it is asked for', async () => {
    const { supervisor, told } = await fleet(2);

    await Promise.all([supervisor.drain(), supervisor.shutdown(), supervisor.drain({ timeoutMs: 1 })]);
    await supervisor.shutdown();
    await supervisor.drain();

    expect(told('supervisor.phase-changed').filter(({ phase }) => phase === 'stopped')).toHaveLength(1);
  });

  it('is refused with options it does not know', async () => {
    const { supervisor } = await fleet(0);

    await expect(supervisor.drain({ timeoutMs: -1 })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(supervisor.state).toBe('running');
    await supervisor.shutdown();
  });
});

describe('what a drain does not wait for', () => {
  it('is a session without work, wherever it stands', async () => {
    const { supervisor, clock, sessions, cli } = await fleet(3);
    await supervisor.start({ id: 'never', autoStart: false });
    await sessions[0]?.hibernate();
    cli(1)?.peer.exit({ exitCode: 1, signal: null });
    await settled();
    expect(supervisor.list().map(({ state }) => state)).toEqual(['hibernated', 'backing-off', 'ready', 'hibernated']);

    await supervisor.drain();

    expect(clock.now()).toBe(0);
    expect(supervisor.list()).toEqual([]);
  });

  it('is a session in quarantine, whose prompts were given back', async () => {
    const { supervisor, clock, cli, sessions } = await fleet(1, {}, {}, {}, 0);
    cli(0)?.peer.exit({ exitCode: 1, signal: null });
    await settled();
    expect(sessions[0]?.state).toBe('quarantined');

    await supervisor.drain();

    expect(clock.now()).toBe(0);
  });

  it('is a member that its owner took down, whatever waits in it', async () => {
    const { supervisor, clock, group } = await fleet(0);
    const team = await group('team', ['writer', 'reviewer']);
    await team.terminateChild('reviewer');
    const turn = supervisor.session('reviewer')?.prompt('later');

    await supervisor.drain();

    expect((await turn?.result)?.outcome).toBe('cancelled');
    expect(clock.now()).toBe(0);
  });
});

describe('a drain waits', () => {
  it('for a session that is started again, because its prompts were accepted (P2)', async () => {
    const { supervisor, clock, cli, prompt, open } = await fleet(1);
    const turn = prompt(0, 'again');
    await settled();
    cli(0)?.peer.exit({ exitCode: 1, signal: null });
    await settled();

    const drained = supervisor.drain();
    await settled();
    expect(supervisor.explain().awaited).toEqual([{ id: 's0', state: 'backing-off', reason: 'prompt' }]);
    await clock.advance(2_000);
    await expect.poll(() => open.length).toBe(2);
    open[1]?.complete();
    await drained;

    expect((await turn.result).outcome).toBe('completed');
  });

  it('for a person who is asked, until its deadline, and records no decision (P4)', async () => {
    const { supervisor, clock, cli, prompt, told } = await fleet(1);
    const turn = prompt(0, 'ask');
    await settled();
    cli(0)?.say({
      type: 'control_request',
      request_id: 'q1',
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' },
    });
    await settled();

    const drained = supervisor.drain();
    await settled();
    expect(supervisor.explain()).toMatchObject({
      awaited: [{ id: 's0', reason: 'person' }],
      remaining: { people: 1 },
    });
    // This CLI does not take its question back when it is interrupted.
    await clock.advance(600_000 + 15_000);
    await drained;

    expect((await turn.result).outcome).toBe('interrupted');
    expect(told('permission.settled').map(({ outcome }) => outcome)).not.toContain('denied');
  });

  it('ends groups in their order, the last member first', async () => {
    const { supervisor, group, told } = await fleet(0);
    await group('team', ['writer', 'reviewer', 'tester']);

    await supervisor.drain();

    const ends = told('session.ended').map((event) => ('sessionId' in event ? event.sessionId : ''));
    expect(ends).toEqual(['tester', 'reviewer', 'writer']);
  });
});

it.each([
  ['waits for a session store until its deadline, and no longer (P5)', 60_000],
  ['waits a shorter time where that is asked for', 5_000],
])('the flush phase %s', async (_, drainFlushMs) => {
  const asked: number[] = [];
  const sessionStore = {
    append: () => {
      asked.push(clock.now());
      return new Promise<void>(() => {});
    },
    load: async () => null,
  };
  const { supervisor, clock, cli, told } = await fleet(0, {}, { drainFlushMs });
  const session = await supervisor.start({ id: 's0', sessionStore, env: { CLAUDE_CONFIG_DIR: '/config' } });
  const file = '/config/projects/-work/0b7a4c1e-5d3f-4e8a-9b60-000000000001.jsonl';
  cli(0)?.say({ type: 'transcript_mirror', filePath: file, entries: [{ type: 'user', uuid: 'u1' }] });
  await settled();

  const drained = supervisor.drain();
  await clock.advance(200);
  expect(asked).toHaveLength(1);
  expect(cli(0)?.peer.killed).toBe(false);
  expect(supervisor.explain()).toMatchObject({
    phase: 'flushing',
    awaited: [{ id: 's0', reason: 'store' }],
  });
  await clock.advance(drainFlushMs - 300);
  expect(supervisor.explain().phase).toBe('flushing');
  await clock.advance(300);
  await drained;

  expect(told('supervisor.phase-changed').map(({ phase }) => phase)).not.toContain('killing');
  // The store's own deadline is the end of it for the session.
  await clock.advance(60_000);
  await session.ended;
});

it('a shutdown during a drain stops waiting for turns, and kills after its own time', async () => {
  const { supervisor, clock, cli, prompt } = await fleet(1, { staysOn: () => true }, { closeGraceMs: 9_999_999 });
  const turn = prompt(0, 'endless');
  await settled();

  const drained = supervisor.drain();
  await settled();
  const stopped = supervisor.shutdown({ timeoutMs: 300 });
  await settled();
  expect(supervisor.explain()).toMatchObject({ state: 'stopping', phase: 'closing', deadlineAt: 300 });
  await clock.advance(300);
  await Promise.all([drained, stopped]);

  expect(cli(0)?.peer.killed).toBe(true);
  expect((await turn.result).outcome).toBe('interrupted');
});

async function fleet(
  count: number,
  manners: MemoryManners = {},
  timeouts = {},
  limits = {},
  intensity = 3,
): Promise<{
  supervisor: Supervisor;
  clock: SimulatedClock;
  sessions: Awaited<ReturnType<Supervisor['start']>>[];
  open: MemoryPrompt[];
  told: <T extends FleetEvent['type']>(type: T) => Extract<FleetEvent, { type: T }>[];
  cli: (index: number) => ReturnType<typeof memoryFleet>['started'][number] | undefined;
  prompt: (index: number, text: string) => ReturnType<Awaited<ReturnType<Supervisor['start']>>['prompt']>;
  group: (id: string, members: string[]) => Promise<Group>;
}> {
  const clock = simulatedClock();
  const open: MemoryPrompt[] = [];
  const events: FleetEvent[] = [];
  const { open: spawn, started } = memoryFleet((asked) => void open.push(asked), manners);
  const restart = { intensity, backoff: { minMs: 1_000, jitter: 0 } };
  const supervisor = createSupervisor({ clock, spawn, timeouts, limits, restart });
  supervisor.on('event', (event) => void events.push(event));
  const sessions = await Promise.all(
    Array.from({ length: count }, (_, index) => supervisor.start({ id: `s${index}` })),
  );
  return {
    supervisor,
    clock,
    sessions,
    open,
    told: <T extends FleetEvent['type']>(type: T) =>
      events.filter((event): event is Extract<FleetEvent, { type: T }> => event.type === type),
    cli: (index) => started.find(({ sessionId }) => sessionId === `s${index}`),
    prompt: (index, text) => {
      const session = sessions[index];
      if (session === undefined) throw new Error(`There is no session ${index}.`);
      return session.prompt(text);
    },
    group: (id, members) => supervisor.group({ id, children: members.map((member) => ({ id: member })) }),
  };
}

/** Lets promises and microtasks come to rest; no time passes. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
