import { describe, expect, it } from 'vitest';
import { query, type Session } from '../../../src/index.ts';
import { on, type Scenario, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import {
  ANSWER_INITIALIZE,
  errorFrom,
  eventOf,
  isAlive,
  newFake,
  newSupervisor,
  processesOf,
  reaches,
  SHORT,
  script,
  stage,
  timed,
} from './stage.ts';

describe('the end of a turn', () => {
  it('is the result, even when the process then sleeps for ever (R47)', async () => {
    const fake = await newFake({ atStart: [step.ignore('eof'), step.ignore('SIGTERM')] });
    const types: string[] = [];
    const options = { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT };
    for await (const { type } of query({ prompt: 'hello', options })) types.push(type);
    expect(types.filter((type) => type === 'result')).toHaveLength(1);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });
});

describe('a close', () => {
  it('lets a running turn end within its grace, also when an answer of ours finds the input ended (P1, WIRE §15)', async () => {
    const question = { type: 'control_request', request_id: 'late', request: { subtype: 'zzz' } };
    const { start, fake } = await stage({
      rules: [on(when.prompt('work'), step.delay(200), step.emit(question), step.delay(2_600), step.echoTurn())],
    });
    const session = await start({ timeouts: { closeGraceMs: 20_000 } });
    const turn = session.prompt('work');
    await eventOf(session, 'turn.started');
    await session.close();
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'Echo: work' });
    const exits = (await fake.journal()).flatMap((entry) => (entry.kind === 'exit' ? [entry.reason] : []));
    expect(exits).toEqual(['eof']);
  });
});

describe('a process tree', () => {
  const family = [
    step.spawnChild({ detached: true, ignoreTerm: true, grandchild: true }),
    step.spawnChild({ ignoreTerm: true, inheritOutput: true }),
  ];
  const scenario: Scenario = {
    atStart: [...family, step.ignore('SIGTERM')],
    rules: [
      on(when.prompt('busy'), step.hang()),
      on(when.prompt('ask'), step.toolTurn({ tool: 'Bash', input: {} })),
      on(when.control('die'), step.killSelf('SIGKILL')),
    ],
  };
  const states: Record<string, (session: Session) => Promise<unknown>> = {
    idle: async () => {},
    busy: async (session) => {
      session.prompt('busy');
      await eventOf(session, 'turn.started');
    },
    'awaiting a permission': async (session) => {
      session.prompt('ask');
      await eventOf(session, 'permission.requested');
    },
    'already dead': async (session) => {
      session.control('die').catch(() => {});
      await session.ended;
    },
  };
  for (const [name, bring] of Object.entries(states)) {
    it(`is gone when close resolves while ${name} (R50, P1)`, async () => {
      const { start, fake } = await stage(scenario);
      const session = await start({ restart: { type: 'temporary' } });
      const pids = await fake.pids();
      expect(pids.length).toBeGreaterThanOrEqual(4);
      expect(processesOf(session.id)).toEqual(expect.arrayContaining(pids));
      await bring(session);
      await session.close();
      expect(pids.filter(isAlive)).toEqual([]);
      expect(processesOf(session.id)).toEqual([]);
    });
  }

  it('is gone when a start is aborted (R50, R53)', async () => {
    const { start, fake, supervisor } = await stage({ atStart: family, rules: [on(when.initialize(), step.hang())] });
    const controller = new AbortController();
    const starting = errorFrom(start({ id: 'aborted', signal: controller.signal }));
    await expect.poll(() => fake.pids().then(({ length }) => length), { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    controller.abort(new Error('changed my mind'));
    const error = await starting;
    expect(error.code).toBe('ABORTED');
    expect(error.cause).toMatchObject({ message: 'changed my mind' });
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
    expect(processesOf('aborted')).toEqual([]);
    expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
  });

  it('of 50 stubborn sessions ends in about the time of one (R52)', async () => {
    const path = await script("trap '' TERM INT HUP", ...ANSWER_INITIALIZE, 'while :; do sleep 60; done');
    const supervisor = newSupervisor({
      pathToClaudeCodeExecutable: path,
      limits: { maxSessions: 60, maxStarting: 8 },
      timeouts: { closeGraceMs: 1_000, terminateGraceMs: 1_000 },
    });
    const lone = await supervisor.start();
    const oneMs = await timed(() => lone.close());
    const sessions = await Promise.all(Array.from({ length: 50 }, () => supervisor.start()));
    const pids = sessions.flatMap(({ id }) => processesOf(id));
    expect(pids.length).toBeGreaterThanOrEqual(50);
    const allMs = await timed(() => supervisor.shutdown());
    expect(oneMs).toBeGreaterThanOrEqual(1_990);
    expect(allMs).toBeLessThan(4 * oneMs);
    expect(pids.filter(isAlive)).toEqual([]);
    const ends = await Promise.all(sessions.map(({ ended }) => ended));
    expect(ends.map(({ reason }) => reason)).toEqual(sessions.map(() => 'closed'));
  });
});

describe('a shutdown', () => {
  it('kills what is left after its own deadline, and is one for all who ask for it (R52, P1)', async () => {
    const { start, fake, supervisor } = await stage(
      { atStart: [step.ignore('eof'), step.ignore('SIGTERM'), step.spawnChild({ detached: true, ignoreTerm: true })] },
      { timeouts: { closeGraceMs: 60_000, terminateGraceMs: 60_000 } },
    );
    await Promise.all([start(), start(), start()]);
    const ms = await timed(() => Promise.all([supervisor.shutdown(), supervisor.shutdown({ timeoutMs: 300 })]));
    expect(ms).toBeGreaterThanOrEqual(290);
    expect(ms).toBeLessThan(20_000);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
    expect(supervisor.state).toBe('stopped');
  });
});

describe('leaving early', () => {
  const talkative: Scenario = {
    rules: [on(when.prompt('talk'), step.echoTurn({ text: 'a b c d e f', wordMs: 2_000 }))],
  };
  const read = async (path: string, body: () => void) => {
    const options = { pathToClaudeCodeExecutable: path, timeouts: SHORT };
    for await (const message of query({ prompt: 'talk', options })) {
      if (message.type === 'system' && message['subtype'] === 'init') {
        body();
        break;
      }
    }
  };

  it('by break or by a throw reaps the process of a query (R53)', async () => {
    const fake = await newFake(talkative);
    await read(fake.path, () => {});
    const thrown = await read(fake.path, () => {
      throw new Error('my own');
    }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ message: 'my own' });
    const pids = await fake.pids();
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('with a query that is never iterated leaves no rejection unhandled and starts on its own (R53)', async () => {
    const messages = query({ prompt: 'x', options: { pathToClaudeCodeExecutable: '/nowhere/claude' } });
    expect((await errorFrom(messages.next())).code).toBe('CLI_NOT_FOUND');
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });

  it('before a query was iterated ends its process too (R53)', async () => {
    const fake = await newFake(talkative);
    const messages = query({ prompt: 'talk', options: { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT } });
    await messages.return();
    await expect.poll(async () => (await fake.pids()).filter(isAlive), { timeout: 20_000 }).toEqual([]);
    await messages.interrupt().catch(() => {});
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('with a signal that fired before starts nothing (R53)', async () => {
    const { start, fake, supervisor } = await stage();
    const error = await errorFrom(start({ signal: AbortSignal.abort(new Error('no')) }));
    expect(error.code).toBe('ABORTED');
    expect(await fake.starts()).toEqual([]);
    expect(supervisor.list()).toEqual([]);
  });

  it('by the end of an await using block reaps everything (R53)', async () => {
    const fake = await newFake();
    let pid: number | undefined;
    {
      await using supervisor = newSupervisor({ pathToClaudeCodeExecutable: fake.path });
      await using session = await supervisor.start();
      pid = session.pid;
      await session.prompt('hello').result;
    }
    expect(pid).toBeGreaterThan(0);
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('from inside the loop over the own turn ends the loop (R53)', async () => {
    const { start } = await stage(talkative);
    const session = await start();
    const turn = session.prompt('talk');
    let closing: Promise<void> | undefined;
    for await (const _ of turn) closing ??= session.close();
    await closing;
    expect((await turn.result).outcome).toBe('interrupted');
    expect(session.state).toBe('closed');
  });

  it('twice, by close and by kill, settles everybody once (R53)', async () => {
    const { start, fake } = await stage({ ...talkative, atStart: [step.ignore('eof'), step.ignore('SIGTERM')] });
    const session = await start({ timeouts: { closeGraceMs: 20_000 } });
    const turn = session.prompt('talk');
    await eventOf(session, 'turn.started');
    const ms = await timed(async () => {
      const both = [session.close(), session.close()];
      await reaches(session, 'closing');
      await Promise.all([...both, session.kill(), session.kill()]);
    });
    expect(ms).toBeLessThan(15_000);
    expect((await turn.result).outcome).toBe('interrupted');
    expect(await session.ended).toEqual({ reason: 'closed', error: undefined });
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
    expect((await errorFrom((async () => session.prompt('more'))())).code).toBe('SESSION_CLOSED');
  });
});

describe('one process for one conversation', () => {
  it('refuses a second start with the same session id, also at the same moment (R55, R70)', async () => {
    const { start, fake } = await stage();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => start({ id: 'one' })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['SESSION_EXISTS']));
    expect(await fake.starts()).toHaveLength(1);
  });

  it('refuses to resume what lives, ends, or just learned its id, and resumes when it is gone (R55, R70)', async () => {
    const { start, fake } = await stage({ atStart: [step.ignore('eof')] });
    const session = await start();
    await session.prompt('hello').result;
    const resume = session.conversationId ?? '';
    const error = await errorFrom(start({ resume }));
    expect(error.code).toBe('CONVERSATION_IN_USE');
    expect(error.details).toMatchObject({ sessionId: session.id, pid: session.pid });
    const closing = session.close();
    expect((await errorFrom(start({ resume }))).code).toBe('CONVERSATION_IN_USE');
    await closing;
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => start({ resume })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await fake.pids()).filter(isAlive)).toHaveLength(1);
  });
});
