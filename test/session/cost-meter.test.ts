import { describe, expect, it } from 'vitest';
import { CostMeter } from '../../src/session/cost-meter.ts';
import { resultOf } from './ledger-harness.ts';

describe('the cost of a session', () => {
  it('adds what each turn added to the running total, over a restart (R84)', () => {
    const meter = new CostMeter();
    const turns = [0.1, 0.25, 0.4].map((totalCostUsd) => meter.add(resultOf({ totalCostUsd })));
    meter.startProcess();
    turns.push(meter.add(resultOf({ totalCostUsd: 0.05 })));

    expect(turns.map((cost) => cost?.toFixed(2))).toEqual(['0.10', '0.15', '0.15', '0.05']);
    expect(meter.usage().costUsd).toBeCloseTo(0.45, 10);
    expect(meter.usage().turns).toBe(4);
  });

  it('does not take the first turn of a new process for a small one: its total begins at zero (R84)', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.4 }));
    meter.startProcess();
    expect(meter.add(resultOf({ totalCostUsd: 0.5 }))).toBe(0.5);
    expect(meter.usage().costUsd).toBeCloseTo(0.9, 10);
  });

  it('starts again where the total fell without a restart (R84)', () => {
    const meter = new CostMeter();
    expect([0.4, 0.1, 0.3].map((totalCostUsd) => meter.add(resultOf({ totalCostUsd }))?.toFixed(2))).toEqual([
      '0.40',
      '0.10',
      '0.20',
    ]);
    expect(meter.usage().costUsd).toBeCloseTo(0.7, 10);
  });

  it('counts a total that did not move as nothing: a duplicate costs no money', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.4 }));
    expect(meter.add(resultOf({ totalCostUsd: 0.4 }))).toBe(0);
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
      turns: 0,
    });
    expect(meter.add(resultOf())).toBeUndefined();
    expect(meter.usage()).toMatchObject({ costUsd: undefined, turns: 1 });
  });

  it('does not forget the total over a turn that told none', () => {
    const meter = new CostMeter();
    meter.add(resultOf({ totalCostUsd: 0.1 }));
    meter.add(resultOf());
    expect(meter.add(resultOf({ totalCostUsd: 0.3 }))).toBeCloseTo(0.2, 10);
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
