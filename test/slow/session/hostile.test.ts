import { describe, expect, it } from 'vitest';
import { createSupervisor, query } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, isAlive, newFake, newSupervisor, QUICK_RESTART, reaches, SHORT, stage } from './stage.ts';

const message = (content: string) => ({ type: 'user' as const, message: { role: 'user' as const, content } });
const endless = on(when.prompt('endless'), step.delay(60_000));

describe('prompts that cannot be sent', () => {
  it('are refused at the edge and wedge nothing, ready or not (P2, P5)', async () => {
    const { start } = await stage();
    const [ready, hibernated] = [await start(), await start({ autoStart: false })];
    for (const session of [ready, hibernated]) {
      const refused = await errorFrom((async () => session.prompt([{ type: 'text', text: 'x', n: 1n }]))());
      expect(refused).toMatchObject({ code: 'INVALID_PROMPT', details: { field: 'content' } });
      expect((await session.prompt('after').result).text).toBe('Echo: after');
    }
  });

  it('may be taken back by whoever hears that they were accepted (P2)', async () => {
    const { start, supervisor } = await stage({ rules: [endless] });
    const session = await start();
    session.prompt('endless');
    supervisor.on('event', (event) => {
      if (event.type === 'prompt.accepted') void session.cancelPrompt(event.promptId);
    });

    expect((await session.prompt('never').result).outcome).toBe('cancelled');
  });

  it('never run twice under one id, however long ago it was used (P2)', async () => {
    const { start } = await stage({ flavor: { mergesQueue: true } });
    const session = await start({ limits: { maxPromptQueue: 2_000 } });
    await session.prompt('first', { id: 'first' }).result;
    const others = Array.from({ length: 1_010 }, (_, index) => session.prompt(`p${index}`, { onBusy: 'steer' }));
    await Promise.all(others.map(({ result }) => result));

    expect((await errorFrom((async () => session.prompt('first', { id: 'first' }))())).code).toBe('PROMPT_ID_USED');
  });
});

describe('a streamed query', () => {
  it('ends when its process dies, although the stream of prompts stays open (P5, R02)', async () => {
    const fake = await newFake({ rules: [on(when.prompt('die'), step.exit(7))] });
    let isToldToStop = false;
    async function* prompts() {
      try {
        yield message('die');
        await new Promise(() => {});
      } finally {
        isToldToStop = true;
      }
    }
    const run = async () => {
      for await (const _ of query({ prompt: prompts(), options: { pathToClaudeCodeExecutable: fake.path } }));
    };

    expect((await errorFrom(run())).code).toBe('CLI_EXITED');
    expect(isToldToStop).toBe(false); // A generator that waits for ever cannot hear it; nobody waits for that.
  });

  it.each([undefined, 7, null, {}])('refuses the prompt %s before it starts a process', async (prompt) => {
    const fake = await newFake({});
    const run = async () => {
      for await (const _ of query({ prompt: prompt as string, options: { pathToClaudeCodeExecutable: fake.path } }));
    };

    expect((await errorFrom(run())).code).toBe('INVALID_PROMPT');
    expect(await fake.starts()).toEqual([]);
  });
});

describe('a turn that takes too long', () => {
  it('ends as interrupted, names the limit, and is not run again by a restart (R61, P2)', async () => {
    const { start, fake } = await stage({ rules: [on(when.control('interrupt'), step.hang()), endless] });
    const session = await start({
      restart: QUICK_RESTART,
      timeouts: { ...SHORT, turnMs: 200, interruptMs: 200 },
    });
    const result = await session.prompt('endless').result;
    await reaches(session, 'ready', 2);

    expect(result).toMatchObject({ outcome: 'interrupted', error: { code: 'TURN_OVERDUE' } });
    expect((await session.prompt('next').result).text).toBe('Echo: next');
    expect(await fake.starts()).toHaveLength(2);
  });
});

describe('a process that closed its output and lives on', () => {
  it('is noticed and replaced (R61, P5)', async () => {
    const { start } = await stage({
      perStart: [{ rules: [on(when.prompt('mute'), step.closeStdout(), step.hang())] }, {}],
    });
    const session = await start({ restart: QUICK_RESTART, timeouts: SHORT });
    const turn = session.prompt('mute');

    expect((await turn.result).outcome).toBe('completed');
    expect(session.incarnation).toBe(2);
  });
});

describe('a supervisor', () => {
  it.each([null, 5, [], () => {}, new Date(), new Map()])('refuses %s as the options of a start', async (options) => {
    const supervisor = newSupervisor();

    expect((await errorFrom(supervisor.start(options as never))).code).toBe('INVALID_OPTIONS');
    expect(supervisor.list()).toEqual([]);
  });

  it('takes undefined for not given, so that it hides no default', async () => {
    const fake = await newFake({});
    await using supervisor = createSupervisor({ pathToClaudeCodeExecutable: fake.path });
    const session = await supervisor.start({ pathToClaudeCodeExecutable: undefined } as never);

    expect(session.state).toBe('ready');
  });

  it('lets no observer stop it, whether it throws at once or later (R100)', async () => {
    const fake = await newFake({});
    const heard: string[] = [];
    const boom = () => {
      throw new Error('boom');
    };
    await using supervisor = createSupervisor({
      pathToClaudeCodeExecutable: fake.path,
      inspect: boom,
      logger: { debug: boom, info: boom, warn: boom, error: boom },
    });
    supervisor.on('event', boom);
    supervisor.on('event', async () => boom());
    supervisor.on('event', ({ type }) => void heard.push(type));
    const session = await supervisor.start({ stderr: async () => boom() });

    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect(heard).toContain('prompt.ended');
  });

  it('accepts no prompt while it drains, and ends (P5)', async () => {
    const { start, supervisor } = await stage({ rules: [on(when.prompt('slow'), step.delay(300), step.echoTurn())] });
    const session = await start();
    const turn = session.prompt('slow');
    const drained = supervisor.drain();

    expect((await errorFrom((async () => session.prompt('more'))())).code).toBe('SUPERVISOR_STOPPED');
    await drained;
    expect((await turn.result).outcome).toBe('completed');
  });

  it('gives one conversation to one session only, however it is named (R70)', async () => {
    const sessionId = '33333333-3333-4333-8333-333333333333';
    const { start } = await stage();
    await start({ sessionId });

    for (const options of [{ sessionId }, { resume: sessionId }, { continue: true }]) {
      expect((await errorFrom(start(options))).code).toBe('CONVERSATION_IN_USE');
    }
  });

  it('keeps a registered session whose first start found no room, and says why (P6)', async () => {
    const fake = await newFake({});
    await using supervisor = createSupervisor({
      pathToClaudeCodeExecutable: fake.path,
      limits: { maxSessions: 1 },
      timeouts: { admissionMs: 100 },
    });
    const holder = await supervisor.start();
    const session = await supervisor.start({ autoStart: false });
    const refused = await session.prompt('hello').result;

    expect(refused).toMatchObject({ outcome: 'cancelled', error: { code: 'AT_CAPACITY' } });
    expect(session.state).toBe('hibernated');
    await holder.close();
    expect((await session.prompt('again').result).text).toBe('Echo: again');
  });
});

describe('settings changed at run time', () => {
  it('rule after a restart: a model that was reset, a mode that was left (P8)', async () => {
    const { start, fake } = await stage({ rules: [on(when.prompt('die'), step.killSelf('SIGKILL'))] });
    const session = await start({ model: 'opus', permissionMode: 'plan', restart: QUICK_RESTART });
    await session.setModel();
    await session.setPermissionMode('acceptEdits');
    session.prompt('die');
    await reaches(session, 'ready', 2);
    const [, second] = await fake.starts();

    expect(second?.argv).toContain('--permission-mode=acceptEdits');
    expect(second?.argv.filter((word) => word.startsWith('--model'))).toEqual([]);
  });
});

describe('a prompt that was under way when its process was lost', () => {
  it('is no cancelled one when the session is closed before it could run again (P2)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('die'), step.killSelf('SIGKILL'))] });
    const session = await start({ restart: { type: 'transient', backoff: { minMs: 60_000, maxMs: 60_000 } } });
    const turn = session.prompt('die');
    await reaches(session, 'backing-off');
    await session.close();

    expect((await turn.result).outcome).toBe('interrupted');
  });
});

describe('an interrupt by a prompt', () => {
  it('hits nobody when the prompt is only a repetition (P2, R79)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('slow'), step.delay(400), step.echoTurn())] });
    const session = await start();
    const options = { id: 'a', onBusy: 'interrupt' } as const;
    const [a, b] = [session.prompt('slow', options), session.prompt('b')];
    expect(session.prompt('slow', options)).toBe(a);
    const outcomes = [(await a.result).outcome, (await b.result).outcome];
    const c = session.prompt('slow', { id: 'c' });
    session.prompt('slow', options);

    expect([...outcomes, (await c.result).outcome]).toEqual(['completed', 'completed', 'completed']);
  });

  it('stops a turn of the CLI itself, and the prompt runs after it (WIRE §0.6, §8)', async () => {
    const text = Array.from({ length: 100 }, (_, index) => `w${index}`).join(' ');
    const { start } = await stage({
      rules: [on(when.prompt('go'), step.echoTurn(), step.echoTurn({ text, wordMs: 100 }))],
    });
    const session = await start();
    await session.prompt('go').result;
    await eventOf(session, 'turn.started', ({ promptId }) => promptId === undefined);
    const next = session.prompt('next', { onBusy: 'interrupt' });

    expect((await next.result).text).toBe('Echo: next');
  }, 9_000);

  it('that the CLI refuses leaves the turn alone (R41)', async () => {
    const { start } = await stage({
      rules: [
        on(when.control('interrupt'), step.respondError('not now')),
        on(when.prompt('slow'), step.delay(1_500), step.echoTurn()),
      ],
    });
    const session = await start({ timeouts: { ...SHORT, interruptMs: 300 } });
    const turn = session.prompt('slow');
    await reaches(session, 'ready');

    expect((await errorFrom(session.interrupt())).code).toBe('CONTROL_REFUSED');
    expect((await turn.result).outcome).toBe('completed');
    expect(session.incarnation).toBe(1);
  });
});

describe('waiting for a session to settle', () => {
  it('ends when the last prompt is taken back (P5)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('die'), step.killSelf('SIGKILL'))] });
    const session = await start({ restart: { type: 'transient', backoff: { minMs: 60_000, maxMs: 60_000 } } });
    session.prompt('die');
    await reaches(session, 'backing-off');
    const later = session.prompt('later');
    const settled = session.settled();
    await session.interrupt({ cancelQueued: true });
    await settled;

    expect((await later.result).outcome).toBe('cancelled');
  });
});

describe('a query that is used against its grain', () => {
  it('leaves no process when something is thrown into it before its first step (R53)', async () => {
    const fake = await newFake({});
    const messages = query({ prompt: 'hi', options: { pathToClaudeCodeExecutable: fake.path } });
    await messages.setModel('haiku');
    await expect(messages.throw(new Error('boo'))).rejects.toThrow('boo');

    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it.each([[{ nope: 1 }], [null], [{ type: 'user', message: { role: 'user', content: ' ' } }]])(
    'names the place of %j in a stream of prompts',
    async (item) => {
      const fake = await newFake({});
      async function* prompts() {
        yield item as never;
      }
      const run = async () => {
        for await (const _ of query({ prompt: prompts(), options: { pathToClaudeCodeExecutable: fake.path } }));
      };

      expect((await errorFrom(run())).code).toBe('INVALID_PROMPT');
    },
  );
});
