import { describe, expect, it } from 'vitest';
import { RateLimits } from '../../src/session/rate-limits.ts';
import { TurnHistory } from '../../src/session/turn-history.ts';
import { resultOf } from './ledger-harness.ts';

const opened = { incarnation: 1, conversationId: 'c1', at: 10 };
const cost = { costUsd: 0.5, models: {} };

describe('the turns of a session', () => {
  it('are listed with what they used, running ones too', () => {
    const history = new TurnHistory();
    history.opened(opened);
    expect(history.list()).toMatchObject([{ number: 1, state: 'running', costUsd: undefined, promptIds: [] }]);

    history.closed(resultOf({ isError: true, origin: 'task-notification' }), cost, { promptIds: ['a', 'b'], at: 30 });
    expect(history.list()).toEqual([
      {
        number: 1,
        incarnation: 1,
        conversationId: 'c1',
        state: 'ended',
        startedAt: 10,
        endedAt: 30,
        promptIds: ['a', 'b'],
        origin: 'task-notification',
        isError: true,
        costUsd: 0.5,
        models: {},
        usage: undefined,
        durationMs: 10,
      },
    ]);
  });

  it('are lost with their process, or when the next one opens without a result', () => {
    const history = new TurnHistory();
    history.opened(opened);
    history.opened({ ...opened, at: 20 });
    history.lost(25);
    history.lost(99);

    expect(history.list().map(({ state, endedAt }) => [state, endedAt])).toEqual([
      ['lost', 20],
      ['lost', 25],
    ]);
  });

  it('are none where a result comes without one: a start that failed (WIRE §12)', () => {
    const history = new TurnHistory();
    history.closed(resultOf(), cost, { promptIds: [], at: 30 });

    expect(history.list()).toEqual([]);
  });

  it('are the newest 1000, numbered on (P9)', () => {
    const history = new TurnHistory();
    for (let index = 0; index < 1_200; index += 1) history.opened(opened);

    expect([history.list().length, history.list()[0]?.number, history.count]).toEqual([1_000, 201, 1_200]);
  });
});

describe('the limits of the account', () => {
  const limit = {
    window: 'five_hour',
    status: 'allowed',
    resetsAt: 1,
    utilization: 0.5,
    isUsingOverage: undefined,
  };

  it('are kept by window, the newest word for each', () => {
    const limits = new RateLimits();
    for (const told of [limit, { ...limit, utilization: 0.9 }, { ...limit, window: 'seven_day' }]) limits.note(told);

    expect(limits.list()).toMatchObject({ five_hour: { utilization: 0.9 }, seven_day: { utilization: 0.5 } });
  });

  it('tell once that one is reached, and once that it is open again (R86)', () => {
    const limits = new RateLimits();
    const statuses = ['allowed', 'rejected', 'rejected', 'allowed_warning', 'allowed'];

    expect(statuses.map((status) => limits.note({ ...limit, status }))).toEqual([
      undefined,
      'reached',
      undefined,
      'reset',
      undefined,
    ]);
  });

  it('are bounded, whatever a broken peer names (P9)', () => {
    const limits = new RateLimits();
    for (let index = 0; index < 100; index += 1) limits.note({ ...limit, window: `w${index}` });

    expect(Object.keys(limits.list())).toHaveLength(32);
  });
});
