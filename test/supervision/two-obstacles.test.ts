import { describe, expect, it } from 'vitest';
import { answerWell, meetWall, quotaFleet, RESET, SKEW } from './quota-fleet.ts';

const TRIED_AT = RESET + SKEW;

describe('a limit of the account and a budget at once (R86, SEMANTICS c12)', () => {
  it('are both waited for: raising the budget starts nothing while the wall stands, and the reset nothing without budget', async () => {
    const { clock, supervisor, start, sent } = quotaFleet(
      (prompt) => (clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt)),
      { budget: { perSessionTurns: 1 } },
    );
    const session = await start('one');
    session.prompt('meets the wall');
    const later = session.prompt('later');
    await clock.advance(1_000);

    session.raiseBudget({ turns: 1 });
    await clock.advance(1_000);
    expect([session.state, sent.length]).toEqual(['parked', 1]);
    expect(session.explain().parked).toMatchObject({ reason: 'quota' });

    await clock.advance(TRIED_AT + 60_000 - clock.now());
    await clock.advance(60_000);
    expect(session.snapshot().queued.length + session.snapshot().outstanding.length).toBeLessThan(2);
    session.raiseBudget({ turns: 5 });
    await clock.advance(60_000);
    expect((await later.result).outcome).toBe('completed');
    await supervisor.shutdown();
  });

  it('never have a session try for the others that has no budget for it (P5)', async () => {
    const { clock, supervisor, start, sentSince, account } = quotaFleet(
      (prompt) => {
        if (prompt.text !== 'spends it' && clock.now() < RESET) meetWall(prompt, RESET);
        else answerWell(prompt);
      },
      { budget: { perKeyTurns: 1 } },
    );
    const poor = await start('poor', { key: 'purse' });
    const spender = await start('spender', { key: 'purse', account: 'other' });
    const rich = await start('rich');
    const unpaid = poor.prompt('unpaid');
    const paid = rich.prompt('work');
    await clock.advance(1_000);
    expect((await spender.prompt('spends it').result).outcome).toBe('completed');
    await clock.advance(TRIED_AT - clock.now());
    await clock.advance(60_000);

    expect(sentSince(RESET).map(({ sessionId }) => sessionId)).toEqual(['rich']);
    expect((await paid.result).outcome).toBe('completed');
    expect(account()?.state).toBe('open');
    expect(poor.explain().parked).toMatchObject({ reason: 'budget' });

    supervisor.raiseBudget({ key: 'purse' }, { turns: 2 });
    await clock.advance(60_000);
    expect((await unpaid.result).outcome).toBe('completed');
    await supervisor.shutdown();
  });
});

describe('a limit of the account and a prompt in doubt', () => {
  it('never have the session try for the others that waits for a decision (P5)', async () => {
    const { clock, supervisor, start, sentSince } = quotaFleet((prompt) => {
      if (prompt.text === 'deadly') prompt.cli.exit(1);
      else if (clock.now() < RESET) meetWall(prompt, RESET);
      else answerWell(prompt);
    });
    const [doubting, scout, other] = [
      await start('doubting', { onPromptLost: 'ask' }),
      await start('scout'),
      await start('other'),
    ];
    scout.prompt('work');
    doubting.prompt('deadly', { id: 'deadly' });
    const behind = doubting.prompt('behind');
    await clock.advance(5_000);
    await scout.close();
    const turn = other.prompt('work');
    await clock.advance(1_000);
    expect(doubting.doubts.pending()).toHaveLength(1);
    await clock.advance(TRIED_AT - clock.now());
    await clock.advance(60_000);

    expect(sentSince(RESET).map(({ sessionId }) => sessionId)).toEqual(['other']);
    expect((await turn.result).outcome).toBe('completed');
    doubting.doubts.resolve('deadly', 'fail');
    await clock.advance(60_000);
    expect((await behind.result).outcome).toBe('completed');
    await supervisor.shutdown();
  });
});

describe('a member that its group holds', () => {
  it('is not started by the account that lets its sessions go on: its group does that (DESIGN §2)', async () => {
    const { clock, supervisor, fleet } = quotaFleet((prompt) =>
      clock.now() < RESET ? meetWall(prompt, RESET) : answerWell(prompt),
    );
    const group = await supervisor.group({
      id: 'team',
      strategy: 'one_for_one',
      children: [{ id: 'first', account: 'shared' }],
    });
    const turn = group.session('first')?.prompt('work');
    await clock.advance(1_000);
    expect(group.session('first')?.state).toBe('parked');

    await group.terminateChild('first');
    expect(group.session('first')?.state).toBe('held');
    await clock.advance(TRIED_AT + 60_000 - clock.now());
    expect(group.session('first')?.state).toBe('held');
    expect(fleet.running()).toEqual([]);

    await group.restartChild('first');
    await clock.advance(60_000);
    expect((await turn?.result)?.outcome).toBe('completed');
    const down = supervisor.shutdown();
    await clock.advance(60_000);
    await down;
  });
});
