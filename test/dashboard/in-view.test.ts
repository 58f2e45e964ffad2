import { describe, expect, it } from 'vitest';
import { startThatShows } from '../../src/dashboard/chart/in-view.ts';

describe('the panel of the chart', () => {
  const seen = { start: 100, length: 400 };

  it('stays where it is while the state is in it', () => {
    expect(startThatShows({ start: 200, length: 30 }, seen)).toBe(100);
  });

  it.each([
    { start: 0, length: 30 },
    { start: 110, length: 30 },
    { start: 480, length: 30 },
    { start: 1_200, length: 30 },
  ])('moves to a state that is outside, or at the very rim: %o', (wanted) => {
    const start = startThatShows(wanted, seen);
    expect(start).not.toBe(100);
    expect(start).toBeGreaterThanOrEqual(0);
    expect(start).toBeLessThanOrEqual(wanted.start);
    expect(start + seen.length).toBeGreaterThanOrEqual(wanted.start + wanted.length);
  });
});
