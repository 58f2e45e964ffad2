import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, createSupervisor, type SessionOptions, type SupervisorOptions } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import type { OpenTransport } from '../../src/transport/transport.ts';
import { type MemoryCli, memoryFleet } from './memory-cli.ts';

const LAUNCH: SessionOptions = { model: 'opus', systemPrompt: 'Be brief.', settings: { cleanupPeriodDays: 7 } };

describe('a start with the options of a pool', () => {
  it('takes its process and is ready without another one, and the callbacks are its own', async () => {
    const { supervisor, fleet, told } = stage();
    const pool = await supervisor.prewarm(LAUNCH);
    expect([pool.ready, fleet.started.length]).toEqual([1, 1]);
    const [warm] = fleet.started;

    const session = await supervisor.start({ ...LAUNCH, id: 'mine', canUseTool: () => ({ behavior: 'allow' }) });
    expect([session.state, session.pid]).toEqual(['ready', warm?.peer.pid]);
    warm?.say({
      type: 'control_request',
      request_id: 'q',
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} },
    });
    await settled();
    expect(session.permissions.get('q')).toMatchObject({ toolName: 'Bash' });
    const turn = await session.prompt('hello').result;
    expect([turn.outcome, fleet.prompts[0]?.cli]).toEqual(['completed', warm]);
    expect(told('pool.taken')).toMatchObject([{ poolId: pool.id, pid: warm?.peer.pid, takenBy: 'mine' }]);
  });

  it('hears in order what the process said before, once', async () => {
    const { supervisor, fleet } = stage();
    await supervisor.prewarm(LAUNCH);
    fleet.started[0]?.say({ type: 'system', subtype: 'note', text: 'early' }, { type: 'keep_alive' });
    await settled();
    const session = await supervisor.start(LAUNCH);
    fleet.started[0]?.say({ type: 'system', subtype: 'note', text: 'late' });
    await settled();
    await session.close();
    const notes: unknown[] = [];
    for await (const event of session.events()) {
      if (event.type === 'message' && event.message.type === 'system') notes.push(event.message.value?.['text']);
    }
    expect(notes).toEqual(['early', 'late']);
  });

  it('is followed by another process for the next one, and two starts at once never share one', async () => {
    const { supervisor, fleet } = stage();
    const pool = await supervisor.prewarm(LAUNCH);
    const both = await Promise.all([supervisor.start(LAUNCH), supervisor.start(LAUNCH)]);
    await until(() => pool.ready === 1);
    expect(new Set(both.map(({ pid }) => pid)).size).toBe(2);
    expect([pool.ready, fleet.running().length]).toEqual([1, 3]);
    expect(supervisor.load()).toEqual({ sessions: 3, waiting: 0, starting: 0 });
  });

  it('takes none that differs in anything the process was told', async () => {
    const others: SessionOptions[] = [
      { model: 'haiku' },
      { systemPrompt: 'Be long.' },
      { settings: { cleanupPeriodDays: 8 } },
      { env: { TRACEPARENT: 'of-the-caller' } },
      { hooks: { PreToolUse: [{ hooks: [() => ({})] }] } },
    ];
    for (const other of others) {
      const { supervisor, fleet } = stage();
      const pool = await supervisor.prewarm(LAUNCH);
      const session = await supervisor.start({ ...LAUNCH, ...other });
      expect([session.pid, pool.ready]).toEqual([fleet.started[1]?.peer.pid, 1]);
    }
  });
});

describe('a warm process that is of no use any more', () => {
  it('is not handed out when it died at the very moment: the start has a fresh one, and no failure is seen', async () => {
    const { supervisor, fleet, told } = stage();
    await supervisor.prewarm(LAUNCH);
    fleet.started[0]?.exit(1);
    const session = await supervisor.start(LAUNCH);
    expect([session.state, session.incarnation, session.pid]).toEqual(['ready', 1, fleet.started.at(-1)?.peer.pid]);
    expect(told('pool.taken')).toEqual([]);
    expect(told('pool.lost')).toHaveLength(1);
  });

  it('is not handed out when it does not answer any more within a second (P5)', async () => {
    const { supervisor, fleet, clock, asked } = stage({}, { isDumb: (_, count) => count > 1 });
    await supervisor.prewarm(LAUNCH);
    const starting = supervisor.start(LAUNCH);
    await until(() => asked() === 2);
    await settled();
    expect(fleet.started).toHaveLength(1);
    await clock.advance(1_000);
    expect((await starting).state).toBe('ready');
    expect(fleet.started[0]?.peer.killed).toBe(true);
  });

  it('is replaced after a wait, each longer than the last, and the pool gives up as a session would', async () => {
    const restart = { intensity: 2, periodMs: 60_000, backoff: { minMs: 100, maxMs: 1_000, factor: 2, jitter: 0 } };
    const { supervisor, fleet, clock, told } = stage({ restart });
    const pool = await supervisor.prewarm(LAUNCH);
    for (const waitMs of [100, 200]) {
      fleet.running()[0]?.exit(1);
      await settled();
      const before = fleet.started.length;
      await clock.advance(waitMs - 1);
      await settled();
      expect([pool.ready, fleet.started.length]).toEqual([0, before]);
      await clock.advance(1);
      await until(() => pool.ready === 1);
    }
    fleet.running()[0]?.exit(1);
    await settled();
    expect([pool.state, pool.failure?.code, told('pool.gave-up').length]).toEqual(['gave-up', 'CLI_EXITED', 1]);
    await clock.advance(10_000);
    await settled();
    expect(fleet.started).toHaveLength(3);
  });

  it('is thrown away when it asks what nobody is there to answer', async () => {
    const { supervisor, fleet, told } = stage();
    await supervisor.prewarm(LAUNCH);
    fleet.started[0]?.say({ type: 'control_request', request_id: 'q', request: { subtype: 'hook_callback' } });
    await settled();
    expect(fleet.started[0]?.peer.killed).toBe(true);
    expect(told('pool.lost')).toMatchObject([{ cause: { code: 'INITIALIZE_FAILED' } }]);
  });

  it('is replaced by a fresh one after its time', async () => {
    const { supervisor, fleet, clock } = stage();
    const pool = await supervisor.prewarm(LAUNCH, { ttlMs: 5_000 });
    await clock.advance(4_999);
    await settled();
    expect(fleet.started).toHaveLength(1);
    await clock.advance(1);
    await until(() => pool.ready === 1);
    expect([fleet.started.length, fleet.running().length, pool.ready]).toEqual([2, 1, 1]);
    expect(fleet.started[0]?.peer.killed).toBe(false);
  });
});

describe('the slots of warm processes (P9)', () => {
  it('never are more than there are, and what was missing follows when one is given back', async () => {
    const { supervisor, fleet } = stage({ limits: { maxSessions: 3 } });
    const session = await supervisor.start();
    const pool = await supervisor.prewarm(LAUNCH, { count: 5 });
    expect([pool.ready, fleet.running().length, supervisor.load().sessions]).toEqual([2, 3, 3]);
    await session.close();
    await until(() => pool.ready === 3);
    expect(fleet.running()).toHaveLength(3);
  });

  it('make no start wait: one is ended for a start of another kind before that has a process (R64)', async () => {
    const { supervisor, fleet, most } = stage({ limits: { maxSessions: 2 } });
    const pool = await supervisor.prewarm(LAUNCH, { count: 2 });
    const session = await supervisor.start({ model: 'haiku' });
    await settled();
    expect([session.state, pool.ready, fleet.running().length]).toEqual(['ready', 1, 2]);
    expect(fleet.started.filter(({ peer }) => peer.killed)).toHaveLength(1);
    expect([most(), supervisor.load().sessions]).toEqual([2, 2]);
  });

  it('are not start slots: each start of one counts for its configuration folder, and sessions go before (P9, R89)', async () => {
    const { supervisor, fleet, asked } = stage({ limits: { startsPerConfigDir: 1 } }, { isDumb: () => true });
    const warming = supervisor.prewarm({ ...LAUNCH, configDir: '/home' }, { count: 3 }).catch(() => {});
    await until(() => asked() === 1);
    await settled();
    expect([fleet.started.length, supervisor.load().starting]).toEqual([1, 1]);

    void supervisor.start({ model: 'haiku', configDir: '/other' }).catch(() => {});
    await until(() => fleet.started.length === 2);
    void supervisor.start({ model: 'sonnet', configDir: '/home' }).catch(() => {});
    await settled();
    expect(fleet.started).toHaveLength(2);
    fleet.started[0]?.exit(1);
    await until(() => fleet.started.length === 3);
    await settled();
    const models = fleet.started.map(({ peer: { plan } }) =>
      plan.args.find((argument) => argument.startsWith('--model')),
    );
    expect(models).toEqual(['--model=opus', '--model=haiku', '--model=sonnet']);
    await supervisor.shutdown();
    await warming;
  });

  it('go over to the start that takes the process, when there is no other', async () => {
    const { supervisor, fleet, most } = stage({ limits: { maxSessions: 1 } });
    const pool = await supervisor.prewarm(LAUNCH);
    const session = await supervisor.start(LAUNCH);
    await settled();
    expect([session.pid, pool.ready]).toEqual([fleet.started[0]?.peer.pid, 0]);
    expect([most(), supervisor.load().sessions]).toEqual([1, 1]);
    await session.close();
    await until(() => pool.ready === 1);
    expect(supervisor.load().sessions).toBe(1);
  });

  it('come back to the pool when the start that wanted one was called off', async () => {
    const { supervisor, fleet } = stage({ limits: { maxSessions: 1 } });
    const pool = await supervisor.prewarm(LAUNCH);
    const controller = new AbortController();
    const start = supervisor.start({ model: 'haiku', signal: controller.signal }).catch((error: unknown) => error);
    controller.abort();
    expect(await start).toMatchObject({ code: 'ABORTED' });
    await settled();
    expect([pool.ready, supervisor.load().sessions, fleet.running().length]).toEqual([1, 1, 1]);
  });

  it('are free again where memory is short: one is ended for a start that waits for memory', async () => {
    let freeBytes = 10e9;
    const limits = { minFreeMemoryBytes: 1e9 };
    const { supervisor, fleet, clock } = stage({ limits, admission: { freeMemory: () => freeBytes } });
    await supervisor.prewarm(LAUNCH);
    freeBytes = 0;
    const start = supervisor.start({ model: 'haiku' });
    await until(() => fleet.running().length === 0);
    freeBytes = 10e9;
    await clock.advance(1_000);
    expect((await start).state).toBe('ready');
  });
});

describe('the end of a pool', () => {
  it('is that of its processes: seen gone when the supervisor is down, with drain and with shutdown (P1)', async () => {
    for (const way of ['drain', 'shutdown'] as const) {
      const { supervisor, fleet } = stage();
      const pool = await supervisor.prewarm(LAUNCH, { count: 2 });
      const session = await supervisor.start(LAUNCH);
      await supervisor[way]();
      expect([fleet.running(), pool.state, session.state]).toEqual([[], 'closed', 'closed']);
      await expect(supervisor.prewarm(LAUNCH)).rejects.toMatchObject({ code: 'SUPERVISOR_STOPPED' });
    }
  });

  it('leaves alone what was taken, and a process that does not leave is killed (P1)', async () => {
    const { supervisor, fleet, clock } = stage({}, { staysOn: () => true });
    const pool = await supervisor.prewarm(LAUNCH);
    const session = await supervisor.start(LAUNCH);
    await until(() => pool.ready === 1);
    const closing = pool.close();
    await settled();
    await clock.advance(2_000);
    await closing;
    expect(fleet.started.map(({ peer }) => peer.killed)).toEqual([false, true]);
    expect([session.state, pool.ready]).toEqual(['ready', 0]);
  });

  it('comes with its scope', async () => {
    const { supervisor, fleet } = stage();
    {
      await using pool = await supervisor.prewarm(LAUNCH);
      expect(pool.ready).toBe(1);
    }
    expect([fleet.running(), supervisor.load().sessions]).toEqual([[], 0]);
  });
});

describe('what cannot be warm', () => {
  it('is refused with the field: one conversation, servers of this process, servers that a start waits for', async () => {
    const conversation = '0b7a4c1e-5d3f-4e8a-9b60-000000000009';
    const cases: [SessionOptions, string][] = [
      [{ resume: conversation }, 'resume'],
      [{ continue: true }, 'continue'],
      [{ sessionId: conversation }, 'sessionId'],
      [{ mcpServers: { own: createSdkMcpServer({ name: 'own', tools: [] }) } }, 'mcpServers.own'],
      [{ mcpServers: { far: { type: 'http', url: 'http://127.0.0.1:1', required: true } } }, 'mcpServers.far.required'],
    ];
    const { supervisor, fleet } = stage();
    for (const [options, field] of cases) {
      await expect(supervisor.prewarm(options)).rejects.toMatchObject({ code: 'INVALID_OPTIONS', details: { field } });
    }
    await expect(supervisor.prewarm({}, { count: 0 })).rejects.toMatchObject({ details: { field: 'options.count' } });
    expect(fleet.started).toEqual([]);
  });

  it('is told with the reason when not one process could start, and nothing is tried again', async () => {
    const { supervisor, fleet, clock, asked } = stage({}, { isDumb: () => true });
    const warming = supervisor.prewarm(LAUNCH, { count: 2 }).catch((error: unknown) => error);
    await until(() => asked() === 2);
    await settled();
    await clock.advance(60_000);
    expect(await warming).toMatchObject({ code: 'INITIALIZE_TIMEOUT' });
    await clock.advance(60_000);
    await settled();
    expect([fleet.started.length, fleet.running()]).toEqual([2, []]);
  });
});

interface Manners {
  readonly staysOn?: (cli: MemoryCli) => boolean;
  /** Whether the first process leaves its so-manieth line without an answer; others when all do. */
  readonly isDumb?: (line: string, count: number) => boolean;
}

function stage(options: SupervisorOptions = {}, { staysOn, isDumb = () => false }: Manners = {}) {
  const fleet = memoryFleet(undefined, staysOn === undefined ? {} : { staysOn });
  const clock = simulatedClock();
  let most = 0;
  let written = 0;
  const spawn: OpenTransport = async (plan, listeners) => {
    let count = 0;
    const isFirst = fleet.started.length === 0;
    const transport = await fleet.open(plan, listeners);
    most = Math.max(most, fleet.running().length);
    const write = (line: string) => {
      count += 1;
      written += 1;
      return isDumb(line, isFirst ? count : 0) ? Promise.resolve() : transport.write(line);
    };
    return { ...transport, write };
  };
  const supervisor = createSupervisor({ pathToClaudeCodeExecutable: process.execPath, spawn, clock, ...options });
  const events: { readonly type: string }[] = [];
  supervisor.on('event', (event) => events.push(event));
  return {
    supervisor,
    fleet,
    clock,
    most: () => most,
    /** Lines that were written to all of them. */
    asked: () => written,
    told: (type: string) => events.filter((event) => event.type === type),
  };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 60; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Plans look at files, which takes as long as it takes. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
