import { describe, expect, it } from 'vitest';
import { CostMeter } from '../../src/session/cost-meter.ts';
import { resultOf } from './ledger-harness.ts';

describe('the cost of a session', () => {
  it('adds what each turn added to the running total, over a restart (R84)', () => {
    const meter = new CostMeter();
    const turns = [0.1, 0.25, 0.4].map((totalCostUsd) => meter.add(resultOf({ totalCostUsd })).costUsd);
    meter.startProcess();
    turns.push(meter.add(resultOf({ totalCostUsd: 0.05 })).costUsd);

    expect(turns.map((cost) => cost?.toFixed(2))).toEqual(['0.10', '0.15', '0.15', '0.05']);
    expect(meter.usage().costUsd).toBeCloseTo(0.45, 10);
    expect(meter.usage().turns).toBe(4);
  });

  it('does not take the first turn of a new process for a small one: its total begins at zero (R84)', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.4 }));
    meter.startProcess();
    expect(meter.add(resultOf({ totalCostUsd: 0.5 })).costUsd).toBe(0.5);
    expect(meter.usage().costUsd).toBeCloseTo(0.9, 10);
  });

  it('starts again where the total fell without a restart (R84)', () => {
    const meter = new CostMeter();
    expect([0.4, 0.1, 0.3].map((totalCostUsd) => meter.add(resultOf({ totalCostUsd })).costUsd?.toFixed(2))).toEqual([
      '0.40',
      '0.10',
      '0.20',
    ]);
    expect(meter.usage().costUsd).toBeCloseTo(0.7, 10);
  });

  it('counts a total that did not move as nothing: a duplicate costs no money', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.4 }));
    expect(meter.add(resultOf({ totalCostUsd: 0.4 })).costUsd).toBe(0);
    expect(meter.usage().costUsd).toBe(0.4);
  });

  it('is unknown, not 0, until a total was told', () => {
    const meter = new CostMeter();
    expect(meter.usage()).toEqual({
      costUsd: undefined,
      inputTokens: undefined,
      outputTokens: undefined,
      cacheReadTokens: undefined,
      cacheCreationTokens: undefined,
      models: {},
      turns: 0,
    });
    expect(meter.add(resultOf()).costUsd).toBeUndefined();
    expect(meter.usage()).toMatchObject({ costUsd: undefined, turns: 1 });
  });

  it('does not forget the total over a turn that told none', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.1 }));
    meter.add(resultOf());
    expect(meter.add(resultOf({ totalCostUsd: 0.3 })).costUsd).toBeCloseTo(0.2, 10);
    expect(meter.usage().costUsd).toBeCloseTo(0.3, 10);
  });
});

describe('the tokens of a session', () => {
  it('are summed over the turns, kind by kind, and what nobody told stays unknown', () => {
    const meter = new CostMeter();
    const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: undefined, cacheCreationTokens: undefined };
    meter.add(resultOf({ usage }));
    meter.add(resultOf());
    meter.add(resultOf({ usage: { ...usage, outputTokens: undefined, cacheReadTokens: 5 } }));
    expect(meter.usage()).toMatchObject({
      inputTokens: 20,
      outputTokens: 1,
      cacheReadTokens: 5,
      cacheCreationTokens: undefined,
    });
  });
});

describe('the models of a session', () => {
  const opus = modelOf(10, 20, 0.5);

  it('count what a result says it adds, whatever its running totals are (R84)', () => {
    const meter = new CostMeter();
    const first = meter.add(
      resultOf({ totalCostUsd: 9.5, modelUsage: { opus: modelOf(900, 900, 9.5) }, modelUsageAdded: { opus } }),
    );

    expect(first).toEqual({ costUsd: 0.5, models: { opus } });
    expect(meter.usage()).toMatchObject({ costUsd: 0.5, inputTokens: 10, outputTokens: 20, models: { opus } });
  });

  it('do not know the price of a turn of which one model has none', () => {
    const unpriced = { ...opus, costUsd: undefined };
    const added = new CostMeter().add(resultOf({ totalCostUsd: 1, modelUsageAdded: { opus, unpriced } }));

    expect(added.costUsd).toBeUndefined();
  });

  it('rise with the running totals, each by itself, where a result says nothing more', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.5, modelUsage: { opus } }));
    const second = meter.add(
      resultOf({ totalCostUsd: 0.75, modelUsage: { opus, haiku: modelOf(5, 6, 0.25) }, usage: tokensOf(1, 1) }),
    );

    expect(second).toEqual({ costUsd: 0.25, models: { haiku: modelOf(5, 6, 0.25) } });
    // The subagent ran on the other model, which the usage of the result leaves out (WIRE §17).
    expect(meter.usage()).toMatchObject({ inputTokens: 15, outputTokens: 26 });
    expect(Object.keys(meter.usage().models)).toEqual(['opus', 'haiku']);
  });

  it('go on from the totals of a process that ended in order, in releases that may do so (R84)', () => {
    const resumed = resultOf({
      totalCostUsd: 1,
      modelUsage: { opus: modelOf(20, 40, 1) },
      usage: tokensOf(10, 20),
    });
    expect(costsOf(resumed, true)).toEqual({ costUsd: 0.5, models: { opus } });
    expect(costsOf(resumed, false)).toMatchObject({ costUsd: 1 });
  });

  it('begin again in such a release after a kill, also when the new turn is the larger one (R84)', () => {
    const large = resultOf({ totalCostUsd: 3, modelUsage: { opus: modelOf(60, 120, 3) }, usage: tokensOf(60, 120) });

    expect(costsOf(large, true)).toMatchObject({ costUsd: 3 });
  });

  it('have no known price for the first turn on a conversation of somebody else, whose totals may be in it', () => {
    const resumed = resultOf({ totalCostUsd: 1, modelUsage: { opus: modelOf(20, 40, 1) }, usage: tokensOf(10, 20) });
    const meter = new CostMeter({ continuesOther: true });

    expect(meter.add(resumed, true)).toEqual({ costUsd: undefined, models: undefined });
    expect(meter.usage()).toMatchObject({ costUsd: undefined, inputTokens: 10, outputTokens: 20, models: {} });
    // From then on the totals rise by what this session does.
    const next = resultOf({ totalCostUsd: 1.5, modelUsage: { opus: modelOf(30, 60, 1.5) } });
    expect(meter.add(next, true)).toEqual({ costUsd: 0.5, models: { opus } });
    // Where the totals are no more than the turn itself, or a release never goes on, it is plain.
    const alone = resultOf({ totalCostUsd: 0.5, modelUsage: { opus }, usage: tokensOf(10, 20) });
    expect(new CostMeter({ continuesOther: true }).add(alone, true)).toEqual({ costUsd: 0.5, models: { opus } });
    expect(new CostMeter({ continuesOther: true }).add(resumed, false).costUsd).toBe(1);
  });

  it('start again at zero after /clear, even when no result told of it in between (R84)', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.5, modelUsage: { opus } }));
    const after = meter.add(resultOf({ totalCostUsd: 0.5, modelUsage: { opus: modelOf(1, 2, 0.5) } }));

    expect(after).toEqual({ costUsd: 0.5, models: { opus: modelOf(1, 2, 0.5) } });
  });

  function costsOf(first: ReturnType<typeof resultOf>, mayGoOn: boolean) {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.5, modelUsage: { opus } }));
    meter.startProcess();
    return meter.add(first, mayGoOn);
  }
});

function tokensOf(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheCreationTokens: 0 };
}

function modelOf(inputTokens: number, outputTokens: number, costUsd: number) {
  return { ...tokensOf(inputTokens, outputTokens), costUsd };
}
