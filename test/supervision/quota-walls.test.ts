import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import type { MemoryPrompt } from './memory-cli.ts';
import { answerWell, HOUR, meetWall, quotaFleet, RESET, rateLimit, SKEW, STAGGER, START } from './quota-fleet.ts';

const TRIED_AT = RESET + SKEW;

describe('a usage limit that a whole fleet meets (R86, SEMANTICS (c)5)', () => {
  it('is told once, tried by one session after the reset, and then the others follow', async () => {
    const { clock, supervisor, start, sentSince, told, account } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const sessions: Session[] = [];
    for (let index = 0; index < 50; index += 1) sessions.push(await start(`worker-${index}`));

    const turns = sessions.map((session) => session.prompt('work'));
    await clock.advance(1_000);

    expect(told('quota.reached')).toEqual([
      {
        type: 'quota.reached',
        account: 'shared',
        at: START,
        window: 'five_hour',
        resetsAt: RESET,
        resumesAt: TRIED_AT,
      },
    ]);
    expect(sessions.map(({ state }) => state)).toEqual(sessions.map(() => 'parked'));
    expect(sessions[7]?.explain()).toMatchObject({ parked: { reason: 'quota', until: TRIED_AT }, queuedPrompts: 1 });
    expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
    expect(account()).toMatchObject({ state: 'walled', resumesAt: TRIED_AT, probe: null });
    expect(account()?.waiting).toHaveLength(50);

    await clock.advance(TRIED_AT - clock.now() - 1);
    expect(sentSince(START + 1_000)).toEqual([]);

    await clock.advance(1);
    expect(sentSince(START + 1_000)).toHaveLength(1);

    await clock.advance(50 * STAGGER);
    const times = sentSince(START + 1_000).map(({ at }) => at);
    expect(times).toEqual(times.map((_, index) => TRIED_AT + index * STAGGER));
    expect(new Set(sentSince(TRIED_AT).map(({ sessionId }) => sessionId)).size).toBe(50);

    const results = await Promise.all(turns.map(({ result }) => result));
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
    expect(told('quota.reset')).toHaveLength(1);
    expect(account()?.state).toBe('open');
    // No restart budget is spent on it.
    expect(told('session.restarting')).toEqual([]);
    await supervisor.shutdown();
  }, 60_000);

  it('stands again when the one that tries meets the next one', async () => {
    const later = RESET + 3 * HOUR;
    const { clock, supervisor, start, sentSince, told } = quotaFleet(
      (prompt) => {
        if (clock.now() < RESET) meetWall(prompt, RESET);
        else if (clock.now() < later) meetWall(prompt, later);
        else answerWell(prompt);
      },
      { quota: { autoResume: true } },
    );
    const sessions = [await start('one'), await start('two'), await start('three')];
    const turns = sessions.map((session) => session.prompt('work'));
    await clock.advance(1_000);

    await clock.advance(TRIED_AT - clock.now() + 20 * STAGGER);
    expect(sentSince(RESET)).toHaveLength(1);
    expect(told('quota.reached')).toHaveLength(2);
    expect(sessions.map((session) => session.explain().parked?.until)).toEqual(sessions.map(() => later + SKEW));

    await clock.advance(later + SKEW - clock.now() + 3 * STAGGER);
    expect((await Promise.all(turns.map(({ result }) => result))).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
    await supervisor.shutdown();
  });

  it.each([
    ['whose reset has passed', START - HOUR],
    ['that tells no reset', undefined],
  ])('%s is tried after a bounded wait', async (_, resetsAt) => {
    let walls = 0;
    const { clock, supervisor, start, sent } = quotaFleet(
      (prompt) => {
        walls += 1;
        if (walls <= 3) meetWall(prompt, resetsAt);
        else answerWell(prompt);
      },
      { quota: { backoff: { minMs: 60_000, maxMs: HOUR, factor: 2, jitter: 0 } } },
    );
    const session = await start('one');
    const turn = session.prompt('work');

    await clock.advance(HOUR);

    expect((await turn.result).outcome).toBe('completed');
    expect(sent.map(({ at }) => (at - START) / 60_000)).toEqual([0, 1, 3, 7]);
    await supervisor.shutdown();
  });

  it('of older releases tells its reset in the text', async () => {
    const { clock, supervisor, start, account } = quotaFleet((prompt) =>
      prompt.fail(`Claude AI usage limit reached|${RESET / 1_000}`),
    );
    const session = await start('one');
    session.prompt('work');
    await clock.advance(0);

    expect(account()?.resumesAt).toBe(TRIED_AT);
    await supervisor.shutdown();
  });

  it('of a longer window is waited for, too, and a week is not waited for by itself', async () => {
    const week = START + 7 * 24 * HOUR;
    const { clock, supervisor, start, account, sentSince, told } = quotaFleet((prompt) => {
      if (clock.now() > START) return answerWell(prompt);
      prompt.cli.say(rateLimit('rejected', RESET));
      meetWall(prompt, week, 'seven_day');
    });
    const session = await start('one');
    const turn = session.prompt('work');
    await clock.advance(1_000);
    expect(account()).toMatchObject({ state: 'walled', resumesAt: null });
    expect(told('quota.reached')).toHaveLength(2);
    expect(session.explain()).toMatchObject({
      parked: { until: null },
      waitingFor: ['somebody to resume the account'],
    });

    await clock.advance(8 * 24 * HOUR);
    expect(sentSince(START + 1)).toEqual([]);

    supervisor.resumeAccount('shared');
    await clock.advance(STAGGER);
    expect((await turn.result).outcome).toBe('completed');
    await supervisor.shutdown();
  });

  it('is not waited for where that is switched off (claude-code#95803)', async () => {
    const { clock, supervisor, start, sentSince } = quotaFleet(
      (prompt) => (clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt)),
      { quota: { autoResume: false } },
    );
    const session = await start('one');
    session.prompt('work');
    await clock.advance(24 * HOUR);

    expect(sentSince(START + 1)).toEqual([]);
    expect(session.state).toBe('parked');
    await supervisor.shutdown();
  });

  it('leaves alone what streams on, and warnings change nothing', async () => {
    const open: MemoryPrompt[] = [];
    const { clock, supervisor, start, account } = quotaFleet((prompt) => {
      if (prompt.text.includes('long')) open.push(prompt);
      else meetWall(prompt, RESET);
    });
    const long = await start('long');
    const turn = long.prompt('long work');
    await clock.advance(0);
    open[0]?.cli.say(rateLimit('allowed_warning', RESET));
    await clock.advance(0);
    expect(account()?.state).toBe('open');

    const other = await start('other');
    other.prompt('work');
    await clock.advance(1_000);
    expect(long.state).toBe('ready');
    expect(other.state).toBe('parked');

    if (open[0] !== undefined) answerWell(open[0]);
    expect((await turn.result).outcome).toBe('completed');
    await clock.advance(0);
    expect(account()?.state).toBe('walled');
    await supervisor.shutdown();
  });

  it('holds back what is started meanwhile: it is registered, takes prompts, and has no process', async () => {
    const { clock, fleet, supervisor, start } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    (await start('one')).prompt('work');
    await clock.advance(0);

    const late = await start('late');
    expect(late.state).toBe('parked');
    const turn = late.prompt('work');
    await clock.advance(HOUR);
    expect(fleet.started).toHaveLength(1);

    await clock.advance(HOUR + SKEW + 2 * STAGGER);
    expect((await turn.result).outcome).toBe('completed');
    await supervisor.shutdown();
  });

  it.each([7, '', undefined])('is not ended by a key like %j: the refusal names the field', async (key) => {
    const { supervisor } = quotaFleet(answerWell);

    expect(() => Reflect.apply(supervisor.resumeAccount, supervisor, [key])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', details: expect.objectContaining({ field: 'key' }) }),
    );
    expect(() => supervisor.resumeAccount('nobody')).toThrow(expect.objectContaining({ code: 'ACCOUNT_NOT_FOUND' }));
    await supervisor.shutdown();
  });

  it('of one account is none of another', async () => {
    const { clock, supervisor, start } = quotaFleet((prompt) =>
      prompt.cli.sessionId === 'poor' ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const poor = await start('poor');
    const rich = await start('rich', { account: 'other' });
    poor.prompt('work');
    await clock.advance(0);

    const turn = rich.prompt('work');
    await clock.advance(0);

    expect((await turn.result).outcome).toBe('completed');
    expect(poor.state).toBe('parked');
    await supervisor.shutdown();
  });
});

describe('a prompt whose turn met the limit', () => {
  it('is sent once more under another uuid, so that the CLI does not take it for done (P2)', async () => {
    const { clock, fleet, supervisor, start, told } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const session = await start('one');
    const turn = session.prompt('work', { id: '11111111-1111-4111-8111-111111111111' });
    await clock.advance(TRIED_AT - START);

    expect(await turn.result).toMatchObject({ outcome: 'completed', promptIds: [turn.id] });
    expect(fleet.prompts.map(({ text }) => text)).toEqual(['work', 'work']);
    expect(fleet.prompts[0]?.uuid).toBe(turn.id);
    expect(fleet.prompts[1]?.uuid).not.toBe(turn.id);
    expect(told('prompt.deferred')).toHaveLength(1);
    await supervisor.shutdown();
  });

  it('goes on where it stopped when its work had begun: nothing is done twice', async () => {
    const { clock, fleet, supervisor, start } = quotaFleet((prompt) => {
      if (clock.now() >= RESET) return answerWell(prompt);
      const block = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} };
      prompt.cli.say({ type: 'assistant', message: { role: 'assistant', content: [block] } });
      meetWall(prompt, RESET);
    });
    const session = await start('one');
    const turn = session.prompt('write and send');
    await clock.advance(TRIED_AT - START);

    expect((await turn.result).outcome).toBe('completed');
    expect(fleet.prompts[1]?.text).toContain('Go on where it stopped');
    await supervisor.shutdown();
  });

  it('counts as one turn of the budget, when it is sent once more (P9)', async () => {
    const { clock, supervisor, start } = quotaFleet(
      (prompt) => (clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt)),
      { budget: { maxTurns: 1 } },
    );
    const session = await start('one');
    const turn = session.prompt('work');
    await clock.advance(1_000);
    expect(supervisor.ledger().total.spent.turns).toBe(0);

    await clock.advance(TRIED_AT - clock.now());
    expect((await turn.result).outcome).toBe('completed');
    expect(supervisor.ledger().total.spent.turns).toBe(1);
    await supervisor.shutdown();
  });

  it('fails with its reset where that is asked for, and what follows waits', async () => {
    const { clock, supervisor, start } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const session = await start('one', { onQuota: 'fail' });
    const turns = [session.prompt('first'), session.prompt('second')];
    await clock.advance(0);

    expect(await turns[0]?.result).toMatchObject({ outcome: 'failed', error: { code: 'QUOTA_REACHED' } });
    await clock.advance(0);
    expect(session.state).toBe('parked');
    await clock.advance(TRIED_AT - START);
    expect((await turns[1]?.result)?.outcome).toBe('completed');
    await supervisor.shutdown();
  });

  it('waits for nothing where limits are ignored', async () => {
    const { clock, supervisor, start, sent } = quotaFleet((prompt) => meetWall(prompt, RESET));
    const session = await start('one', { onQuota: 'ignore' });
    const turns = [session.prompt('first'), session.prompt('second')];
    await clock.advance(0);

    expect((await Promise.all(turns.map(({ result }) => result))).map(({ outcome }) => outcome)).toEqual([
      'failed',
      'failed',
    ]);
    expect(sent).toHaveLength(2);
    expect(supervisor.accounts()).toEqual([]);
    await supervisor.shutdown();
  });
});

describe('sessions that leave while they are parked', () => {
  it.each(['close', 'kill'] as const)('%s ends it, and another one tries', async (how) => {
    const { clock, supervisor, start, sentSince } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const [one, two] = [await start('one'), await start('two')];
    const turns = [one.prompt('work'), two.prompt('work')];
    await clock.advance(1_000);

    await one[how]();
    expect((await turns[0]?.result)?.outcome).toBe('interrupted');
    await clock.advance(TRIED_AT - clock.now());

    expect(sentSince(RESET).map(({ sessionId }) => sessionId)).toEqual(['two']);
    expect((await turns[1]?.result)?.outcome).toBe('completed');
    await supervisor.shutdown();
  });

  it('gives the attempt to the next one when the one that tries is ended', async () => {
    const { clock, supervisor, start, sentSince } = quotaFleet((prompt) => {
      if (clock.now() < RESET) meetWall(prompt, RESET);
      else if (prompt.cli.sessionId === 'two') answerWell(prompt);
    });
    const [one, two] = [await start('one'), await start('two')];
    one.prompt('work');
    const turn = two.prompt('work');
    await clock.advance(1_000);
    await clock.advance(TRIED_AT - clock.now());
    expect(sentSince(RESET).map(({ sessionId }) => sessionId)).toEqual(['one']);

    await one.kill();
    await clock.advance(1_000);

    expect((await turn.result).outcome).toBe('completed');
    await supervisor.shutdown();
  });

  it('does not try with one whose prompt was taken back', async () => {
    const { clock, supervisor, start, sentSince } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const [one, two] = [await start('one'), await start('two')];
    const turn = one.prompt('work');
    two.prompt('work');
    await clock.advance(1_000);

    expect(await one.cancelPrompt(turn.id)).toBe(true);
    await clock.advance(TRIED_AT - clock.now());

    expect(sentSince(RESET).map(({ sessionId }) => sessionId)).toEqual(['two']);
    await supervisor.shutdown();
  });

  it('lets drain end: what is parked gives its prompts back', async () => {
    const { clock, supervisor, start } = quotaFleet((prompt) => meetWall(prompt, RESET));
    const session = await start('one');
    const turns = [session.prompt('work'), session.prompt('more')];
    await clock.advance(1_000);
    expect(session.state).toBe('parked');

    const drained = supervisor.drain();
    await clock.advance(10_000);
    await drained;

    expect((await Promise.all(turns.map(({ result }) => result))).map(({ outcome }) => outcome)).toEqual([
      'interrupted',
      'cancelled',
    ]);
  });
});
