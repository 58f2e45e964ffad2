import { describe, expect, it } from 'vitest';
import type { Check } from '../../scripts/bench/rows.mjs';
import { exitCodeOf, judged, picked, type Verdict } from '../../scripts/bench/verdict.mjs';

const figures = {
  here: { troupe: { us: 2, mb: 40 }, sdk: { us: 10 }, relay: { mb: 30 } },
  there: { troupe: { us: 4 } },
};
const about = (check: Partial<Check>): Check => ({ case: 'here', figure: 'us', unit: 'µs', ...check });

describe('the verdict on a target', () => {
  it.each<[string, Partial<Check>, number | undefined, Verdict]>([
    ['is about the quotient with another adapter', { of: { adapter: 'sdk' }, atMost: 0.2 }, 0.2, 'met'],
    ['is missed just above', { of: { adapter: 'sdk' }, atMost: 0.19 }, 0.2, 'missed'],
    ['is about the quotient with another case', { of: { case: 'there' }, atMost: 1 }, 0.5, 'met'],
    ['is about the difference', { figure: 'mb', above: { adapter: 'relay' }, atMost: 9 }, 10, 'missed'],
    ['is about the figure itself', { figure: 'mb', atMost: 40 }, 40, 'met'],
    ['is none where nothing is demanded', { figure: 'mb' }, 40, 'told'],
    ['is none where the other was not measured', { of: { adapter: 'bare' }, atMost: 1 }, Number.NaN, 'not measured'],
    ['is none where the case was not measured', { case: 'nowhere', atMost: 1 }, undefined, 'not measured'],
  ])('%s', (_, check, measured, verdict) => {
    expect(judged(about(check), figures)).toMatchObject({ measured, verdict });
  });
});

describe('the exit code', () => {
  it.each<[0 | 1 | 2, readonly Verdict[]]>([
    [0, ['met', 'told', 'met']],
    [1, ['met', 'missed']],
    [2, ['met', 'missed', 'not measured']],
    [2, []],
  ])('is %i for %j', (code, verdicts) => {
    expect(exitCodeOf(verdicts.map((verdict) => ({ verdict })))).toBe(code);
  });
});

describe('a figure of several rounds', () => {
  it.each([
    ['median', [9, 1, 5], 5],
    ['low', [5, 4, 3, 2, 1], 2],
    ['least', [3, 1, 2], 1],
    ['median', [undefined, 7], 7],
    ['median', [], undefined],
  ] as const)('%s of %j', (pick, values, expected) => {
    expect(picked(values, pick)).toBe(expected);
  });
});
