import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type FleetEvent, type Session, type SupervisorOptions } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryPrompt, memoryFleet } from './memory-cli.ts';

const HOUR_MS = 3_600_000;
const opened: { shutdown(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((supervisor) => supervisor.shutdown()));
});

describe('a budget that parks', () => {
  it('holds every session of the key when one has reached it, keeps their prompts, and lets them go on when it is raised', async () => {
    const { start, supervisor, told, prompts } = open({ budget: { perKeyUsd: 1 } }, spending(0.6));
    const [one, two, other] = [
      await start('one', { key: 'shop' }),
      await start('two', { key: 'shop' }),
      await start('other'),
    ];

    await one.prompt('first').result;
    expect(told('budget.warned')).toEqual([]);
    await two.prompt('second').result;
    await settled();

    const mark = { scope: 'key', name: 'shop', unit: 'usd', spent: 1.2, limit: 1 };
    expect(told('budget.reached')).toMatchObject([{ sessionId: 'two', ...mark, onLimit: 'park' }]);
    expect([one.state, two.state, other.state]).toEqual(['parked', 'parked', 'ready']);
    const waiting = [two.prompt('fourth'), one.prompt('third')];
    await settled();
    expect(prompts()).toEqual(['first', 'second']);
    expect(one.explain().because).toContain('supervisor.raiseBudget({ key: "shop" }');

    supervisor.raiseBudget({ key: 'shop' }, { usd: 2 });
    const outcomes = await Promise.all(waiting.map(({ result }) => result));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(supervisor.ledger().keys).toMatchObject([
      { name: 'shop', spent: { usd: 2.4, turns: 4 }, limits: { usd: 3 } },
    ]);
  });

  it('warns once at its share', async () => {
    const { start, told } = open({ budget: { maxTurns: 4, warnAt: 0.5 } });
    const one = await start('one');
    for (const text of ['a', 'b', 'c']) await one.prompt(text).result;

    expect(told('budget.warned')).toMatchObject([{ scope: 'total', name: '', unit: 'turns', spent: 2, limit: 4 }]);
  });

  it('lets the turn that runs end, however much that still uses', async () => {
    const held: MemoryPrompt[] = [];
    const { start } = open({ budget: { perSessionTokens: 100 } }, (prompt) => void held.push(prompt));
    const one = await start('one');
    const turns = [one.prompt('first'), one.prompt('second')];
    await settled();
    held[0]?.cli.say(answer('m1', 200));
    await settled();
    expect(one.state).toBe('ready');
    expect(one.explain().parked).toMatchObject({ reason: 'budget', until: null });

    held[0]?.cli.say(answer('m2', 300));
    held[0]?.complete('done', added({ inputTokens: 500 }));
    expect((await turns[0]?.result)?.outcome).toBe('completed');
    await settled();
    expect(one.state).toBe('parked');
    expect(held).toHaveLength(1);

    one.raiseBudget({ tokens: 1_000 });
    await settled();
    held[1]?.complete();
    expect((await turns[1]?.result)?.outcome).toBe('completed');
  });

  it('gives no prompt to who sends it in the moment in which the limit is reached', async () => {
    const { start, supervisor, prompts } = open({ budget: { maxTurns: 1 } });
    const [one, two] = [await start('one'), await start('two')];
    supervisor.on('event', (event) => {
      if (event.type === 'prompt.ended') {
        one.prompt('at once');
        two.prompt('beside it');
      }
    });
    await one.prompt('first').result;
    await settled();

    expect(prompts()).toEqual(['first']);
    expect([one.state, two.state]).toEqual(['parked', 'parked']);
  });

  it('takes the place of a turn before anybody hears that its prompt went out', async () => {
    const { start, supervisor, prompts } = open({ budget: { maxTurns: 1 } }, () => {});
    const [one, two] = [await start('one'), await start('two')];
    supervisor.on('event', (event) => {
      if (event.type === 'prompt.delivered' && event.sessionId === 'one') two.prompt('beside it');
    });
    one.prompt('first');
    await settled();

    expect(prompts()).toEqual(['first']);
  });

  it('never begins more turns than are left, however many sessions want one at once', async () => {
    const held: MemoryPrompt[] = [];
    const { start, supervisor } = open({ budget: { maxTurns: 2 } }, (prompt) => void held.push(prompt));
    const sessions = await Promise.all(['a', 'b', 'c', 'd'].map((id) => start(id)));
    for (const session of sessions) session.prompt('go');
    await settled();
    expect(held.map(({ text }) => text)).toEqual(['go', 'go']);

    for (const prompt of held) prompt.complete();
    await settled();
    expect(supervisor.ledger().total).toMatchObject({ spent: { turns: 2 }, share: 1 });
    supervisor.raiseBudget('total', { turns: 1 });
    await settled();
    expect(held).toHaveLength(3);
  });

  it('starts no process for a prompt that would only wait, and says so (P5)', async () => {
    const { start, fleet } = open({ budget: { maxTurns: 1 } });
    await (await start('one')).prompt('first').result;
    const late = await start('late', { autoStart: false });
    const turn = late.prompt('waits');
    await settled();

    expect(late.state).toBe('parked');
    expect(fleet.started).toHaveLength(1);
    await late.close();
    expect(await turn.result).toMatchObject({ outcome: 'cancelled' });
  });

  it('counts a session of its own by its own limits', async () => {
    const { start, supervisor } = open({ budget: { perSessionTurns: 1 } });
    const [small, large] = [await start('small'), await start('large', { budget: { maxTurns: 2 } })];
    for (const session of [small, large]) await session.prompt('once').result;
    await settled();

    expect([small.state, large.state]).toEqual(['parked', 'ready']);
    expect(supervisor.ledger().sessions.map(({ limits }) => limits)).toEqual([{ turns: 1 }, { turns: 2 }]);
  });
});

describe('a budget that interrupts', () => {
  it('stops the turn in which it is reached, before its next request, and parks', async () => {
    const held: MemoryPrompt[] = [];
    const { start, told } = open(
      { budget: { maxTokens: 100, onLimit: 'interrupt' } },
      (prompt) => void held.push(prompt),
    );
    const [one, two] = [await start('one'), await start('two')];
    const turns = [one.prompt('a'), two.prompt('b')];
    await settled();
    held[0]?.cli.say(answer('m1', 60));
    held[1]?.cli.say(answer('m2', 60));

    const results = await Promise.all(turns.map(({ result }) => result));
    expect(results.map(({ outcome }) => outcome)).toEqual(['interrupted', 'interrupted']);
    expect(results.map(({ error }) => error?.code)).toEqual(['BUDGET_REACHED', 'BUDGET_REACHED']);
    await settled();
    expect([one.state, two.state]).toEqual(['parked', 'parked']);
    expect(told('budget.reached')).toMatchObject([{ sessionId: 'two', spent: 120, onLimit: 'interrupt' }]);
  });
});

describe('a budget that kills', () => {
  it('ends the sessions of the scope with that as the reason, and refuses new ones until it is raised', async () => {
    const { start, supervisor, fleet } = open({ budget: { perKeyUsd: 1, onLimit: 'kill' } }, spending(2));
    const [one, two, other] = [
      await start('one', { key: 'shop' }),
      await start('two', { key: 'shop' }),
      await start('other'),
    ];
    await one.prompt('first').result;

    expect(await two.ended).toMatchObject({ reason: 'failed', error: { code: 'BUDGET_REACHED' } });
    expect(await one.ended).toMatchObject({
      reason: 'failed',
      error: { details: { scope: 'key', name: 'shop', spent: 2 } },
    });
    expect(other.state).toBe('ready');
    expect(fleet.running()).toHaveLength(1);
    await expect(start('three', { key: 'shop' })).rejects.toMatchObject({ code: 'BUDGET_REACHED' });
    expect(supervisor.session('three')).toBeUndefined();

    supervisor.raiseBudget({ key: 'shop' }, { usd: 5 });
    expect((await start('three', { key: 'shop' })).state).toBe('ready');
  });
});

describe('a budget of a day', () => {
  it('is there again when the next day has begun, in its own time zone', async () => {
    // 13:00 in Berlin.
    const clock = simulatedClock({ startAt: Date.parse('2026-11-28T12:00:00Z') });
    const { start, supervisor } = open({ clock, budget: { perDayTurns: 1, timeZone: 'Europe/Berlin' } });
    const one = await start('one');
    await one.prompt('first').result;
    await settled();
    const later = one.prompt('tomorrow');
    expect(one.explain().waitingFor).toEqual([expect.stringContaining('2026-11-28T23:00:00.000Z')]);

    await clock.advance(11 * HOUR_MS - 1);
    expect(one.state).toBe('parked');
    await clock.advance(1);
    expect((await later.result).outcome).toBe('completed');
    expect(supervisor.ledger().days).toMatchObject([
      { name: '2026-11-28', spent: { turns: 1 } },
      { name: '2026-11-29', spent: { turns: 1 } },
    ]);
    expect(supervisor.ledger().total.spent.turns).toBe(2);
  });

  it('is noticed by a machine that slept, within minutes of its own time', async () => {
    const clock = simulatedClock({ startAt: Date.parse('2026-11-28T12:00:00Z') });
    const { start } = open({ clock, budget: { perDayTurns: 1 } });
    const one = await start('one');
    await one.prompt('first').result;
    await settled();
    const later = one.prompt('tomorrow');

    clock.jump(24 * HOUR_MS);
    await clock.advance(600_000);
    expect((await later.result).outcome).toBe('completed');
  });
});

describe('the ledger', () => {
  it('sums by session, key, group, day and total, also what is over', async () => {
    const { supervisor, start } = open({}, spending(0.25));
    const team = await supervisor.group({
      id: 'team',
      children: [
        { id: 'a', pathToClaudeCodeExecutable: process.execPath, key: 'shop' },
        { id: 'inner', children: [{ id: 'b', pathToClaudeCodeExecutable: process.execPath }] },
      ],
    });
    const alone = await start('alone', { key: 'shop' });
    for (const session of [supervisor.session('a'), supervisor.session('b'), alone]) await session?.prompt('go').result;
    await alone.close();

    const { total, day, keys, groups, sessions } = supervisor.ledger();
    expect([total.spent.usd, day.spent.usd]).toEqual([0.75, 0.75]);
    const sums = (entries: typeof keys) => Object.fromEntries(entries.map(({ name, spent }) => [name, spent.usd]));
    expect(sums(keys)).toEqual({ shop: 0.5 });
    expect(sums(groups)).toEqual({ team: 0.5, inner: 0.25 });
    expect(sums(sessions)).toEqual({ a: 0.25, b: 0.25 });
    expect(JSON.parse(JSON.stringify(supervisor.ledger()))).toMatchObject({
      total: { spent: { usd: 0.75, turns: 3 } },
    });
    await team.close();
  });

  it('believes prices that were given, not those of the CLI, and says which model has none (SEMANTICS c12)', async () => {
    const prices = { 'claude-small-*': { inputPerMTok: 1, outputPerMTok: 10 } };
    const results = [
      { modelUsage: { 'claude-small-4': { inputTokens: 1_000_000, outputTokens: 100_000, costUSD: 99 } } },
      { modelUsage: { 'claude-large': { inputTokens: 5, outputTokens: 5, costUSD: 99 } } },
      { modelUsage: { 'claude-large': { inputTokens: 5, outputTokens: 5, costUSD: 99 } } },
    ];
    const answers = [...results];
    const { start, supervisor, told } = open({ budget: { maxUsd: 100, prices } }, (prompt) => {
      const { modelUsage } = answers.shift() ?? {};
      prompt.complete('done', { model_usage_since_last_result: modelUsage });
    });
    const one = await start('one');
    for (const _ of results) await one.prompt('go').result;

    expect(supervisor.ledger().total).toMatchObject({ spent: { usd: 2, tokens: 1_100_020 }, isUsdComplete: false });
    expect(told('budget.unpriced')).toMatchObject([{ sessionId: 'one', model: 'claude-large' }]);
    expect(one.usage().costUsd).toBe(297);
  });

  it('counts the answers of a turn once each, and their result instead of them (R84)', async () => {
    const held: MemoryPrompt[] = [];
    const { start, supervisor } = open({}, (prompt) => void held.push(prompt));
    const one = await start('one');
    const turn = one.prompt('go');
    await settled();
    const [prompt] = held;
    prompt?.cli.say(answer('m1', 40), answer('m1', 40), answer('m2', 10), answer('m1', 40));
    await settled();
    expect(supervisor.ledger().total.spent.tokens).toBe(50);

    prompt?.complete('done', added({ inputTokens: 50, outputTokens: 25 }));
    await turn.result;
    expect(supervisor.ledger().total.spent).toEqual({ usd: 0, tokens: 75, turns: 1 });
  });

  it('neither forgets nor doubles what a lost process had used (R84)', async () => {
    const held: MemoryPrompt[] = [];
    const { start, supervisor, fleet, clock } = open({}, (prompt) => void held.push(prompt));
    const one = await start('one');
    const turn = one.prompt('go');
    await settled();
    held[0]?.cli.say(answer('m1', 40));
    await settled();
    fleet.started[0]?.peer.exit({ exitCode: null, signal: 'SIGSEGV' });
    await clock.advance(60_000);
    expect(supervisor.ledger().total.spent).toMatchObject({ tokens: 40, turns: 0 });

    held[1]?.complete('done', added({ inputTokens: 45 }));
    await turn.result;
    expect(supervisor.ledger().total.spent).toMatchObject({ tokens: 85, turns: 1 });
    expect(supervisor.ledger().sessions).toMatchObject([{ spent: { tokens: 85, turns: 1 } }]);
  });
});

describe('raising', () => {
  it.each([
    [{ key: 'nobody' }, { usd: 1 }, 'scope'],
    ['total', { tokens: 1 }, 'amounts.tokens'],
    ['all', { usd: 1 }, 'scope'],
    ['total', { usd: -1 }, 'amounts.usd'],
    ['total', { dollars: 1 }, 'amounts.dollars'],
  ])('%j by %j is refused at %s', async (scope, amounts, field) => {
    const { supervisor } = open({ budget: { maxUsd: 1 } });

    expect(() => supervisor.raiseBudget(scope as 'total', amounts as { usd: number })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', details: expect.objectContaining({ field }) }),
    );
  });
});

function open(options: SupervisorOptions, play?: (prompt: MemoryPrompt) => void) {
  const fleet = memoryFleet(play);
  const clock = simulatedClock();
  const supervisor = createSupervisor({ clock, spawn: fleet.open, ...options });
  const events: FleetEvent[] = [];
  supervisor.on('event', (event) => events.push(event));
  opened.push(supervisor);
  return {
    supervisor,
    fleet,
    clock,
    told: (type: FleetEvent['type']) => events.filter((event) => event.type === type),
    prompts: () => fleet.prompts.map(({ text }) => text),
    start: async (id: string, more: Parameters<typeof supervisor.start>[0] = {}): Promise<Session> =>
      supervisor.start({ id, pathToClaudeCodeExecutable: process.execPath, ...more }),
  };
}

function spending(costUSD: number): (prompt: MemoryPrompt) => void {
  return (prompt) => prompt.complete('done', added({ inputTokens: 1, costUSD }));
}

function added(usage: Readonly<Record<string, number>>) {
  return { model_usage_since_last_result: { fake: { costUSD: 0, outputTokens: 0, ...usage } } };
}

function answer(id: string, inputTokens: number) {
  const usage = { input_tokens: inputTokens, output_tokens: 0 };
  return { type: 'assistant', message: { id, model: 'fake', role: 'assistant', content: [], usage } };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
