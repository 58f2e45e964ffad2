import { describe, expect, it } from 'vitest';
import { ageText, costText, durationText, shareLeft } from '../../src/dashboard/frame/figures.ts';

describe('figures', () => {
  it.each([
    [-5, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
    [349_200_000, '4 d 1 h'],
  ])('say %d ms in two units at most: %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it.each([
    [12_000, '12s'],
    [3_599_000, '59m'],
    [86_399_000, '23h'],
    [86_400_000, '1d'],
  ])('say %d ms in one unit where they stand in a column: %s', (ms, text) => {
    expect(ageText(ms)).toBe(text);
  });

  it('tell a cost that nobody told from none, and round no cost down to nothing', () => {
    expect([undefined, 0, 0.0042, 0.01, 12.345].map(costText)).toEqual(['–', '$0.00', '$0.0042', '$0.01', '$12.35']);
  });

  it('say how much of a wait is left, within its bounds', () => {
    expect([0, 100, 150, 200, 300].map((now) => shareLeft(100, 200, now))).toEqual([1, 1, 0.5, 0, 0]);
    expect(shareLeft(200, 200, 0)).toBe(0);
  });
});
