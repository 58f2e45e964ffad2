import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, healthyAfterMs } from '../../machines/child/child-spec.ts';
import { countRestart } from '../../machines/child/restart-window.ts';

describe('the restart window', () => {
  it('gives up exactly where the rule of OTP does, over any trace of restarts', () => {
    const traces = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 60 });
    const limits = fc.record({
      intensity: fc.integer({ min: 0, max: 6 }),
      periodMs: fc.integer({ min: 0, max: 5_000 }),
    });

    fc.assert(
      fc.property(traces, limits, (gapsMs, limit) => {
        const moments = momentsOf(gapsMs);
        expect(verdictsOf(moments, limit)).toEqual(moments.map((_, index) => oracle(moments, index, limit)));
      }),
    );
  });

  it('holds no more restarts than the intensity while it allows them (P9)', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 }), (gapsMs) => {
        let restarts: readonly number[] = [];
        for (const at of momentsOf(gapsMs)) {
          const decision = countRestart(restarts, at, { intensity: 3, periodMs: 1_000 });
          if (!decision.allowed) continue;
          restarts = decision.restarts;
          expect(restarts.length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  it('still counts a restart that is exactly one period old', () => {
    expect(countRestart([1_000], 6_000, { intensity: 1, periodMs: 5_000 }).allowed).toBe(false);
    expect(countRestart([1_000], 6_001, { intensity: 1, periodMs: 5_000 }).allowed).toBe(true);
  });

  it('never restarts with an intensity of 0', () => {
    expect(countRestart([], 1, { intensity: 0, periodMs: 5_000 }).allowed).toBe(false);
  });

  it('changes nothing that it was given', () => {
    const restarts = Object.freeze([1, 2]);

    expect(countRestart(restarts, 3, { intensity: 5, periodMs: 10 }).restarts).toEqual([1, 2, 3]);
  });
});

describe('the backoff', () => {
  const spec = { minMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.2 };

  it.each([
    [0, 1_000],
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [6, 30_000],
    [2_000, 30_000],
  ])('after %i failures is %i ms, without luck or misfortune', (failures, expectedMs) => {
    expect(backoffMs(spec, failures, 0.5)).toBe(expectedMs);
  });

  it('strays from that by the jitter at most, over any chance and any number of failures', () => {
    const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(10_000), chances, (failures, chance) => {
        const middleMs = backoffMs({ ...spec, jitter: 0 }, failures, chance);
        const waitMs = backoffMs(spec, failures, chance);
        expect(Math.abs(waitMs - middleMs)).toBeLessThanOrEqual(middleMs * spec.jitter + 1);
      }),
    );
  });

  it('spreads sessions that failed together over the whole width of the jitter', () => {
    expect(backoffMs(spec, 1, 0)).toBe(800);
    expect(backoffMs(spec, 1, 0.999_999)).toBe(1_200);
  });

  it('is forgiven after half of the shortest and longest wait together', () => {
    expect(healthyAfterMs(spec)).toBe(15_500);
  });
});

interface Limit {
  readonly intensity: number;
  readonly periodMs: number;
}

/** Told as the manual tells it: count the allowed restarts of the last period, this one included. */
function oracle(moments: readonly number[], index: number, limit: Limit): boolean {
  const allowed: number[] = [];
  for (const [place, moment] of moments.entries()) {
    let recent = 1;
    for (const former of allowed) if (moment - former <= limit.periodMs) recent += 1;
    const isAllowed = recent <= limit.intensity;
    if (isAllowed) allowed.push(moment);
    if (place === index) return isAllowed;
  }
  return false;
}

function verdictsOf(moments: readonly number[], limit: Limit): boolean[] {
  let restarts: readonly number[] = [];
  return moments.map((at) => {
    const decision = countRestart(restarts, at, limit);
    if (decision.allowed) restarts = decision.restarts;
    return decision.allowed;
  });
}

function momentsOf(gapsMs: readonly number[]): number[] {
  let at = 0;
  return gapsMs.map((gapMs) => {
    at += gapMs;
    return at;
  });
}
