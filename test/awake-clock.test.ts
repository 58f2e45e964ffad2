import { describe, expect, it } from 'vitest';
import { awakeClock } from '../src/clock.ts';
import { simulatedClock } from '../src/testing/simulated-clock.ts';

const HOUR = 3_600_000;

describe('the clock of a host that is awake', () => {
  it('shows the same time as the wall clock, and fires at the same moments, while nothing is wrong', async () => {
    const { behind, awake, fired, gaps } = openClock();
    awake.setTimeout(() => fired.push(awake.now()), 60_000);
    awake.clearTimeout(awake.setTimeout(() => fired.push(0), 30_000));
    await behind.advance(59_999);
    expect(fired).toEqual([]);
    await behind.advance(1);
    expect({ fired, gaps, now: awake.now(), wall: behind.now() }).toEqual({
      fired: [60_000],
      gaps: [],
      now: 60_000,
      wall: 60_000,
    });
  });

  it('does not count the sleep of a laptop, in which timers wait and the wall clock goes on (P5)', async () => {
    const { behind, awake, fired, gaps } = openClock();
    awake.setTimeout(() => fired.push(awake.now()), 60_000);
    await behind.advance(30_000);
    behind.jump(8 * HOUR);
    await behind.advance(29_000);
    expect(fired).toEqual([]);
    await behind.advance(6_000);
    expect(fired).toHaveLength(1);
    expect(gaps).toHaveLength(1);
    expect(awake.now()).toBeLessThan(70_000);
    expect(awake.wallTime(awake.now())).toBe(behind.now());
  });

  it('lets a timer wait for what was left of it, when SIGSTOP made it overdue (P5)', async () => {
    const { behind, awake, fired } = openClock();
    awake.setTimeout(() => fired.push(awake.now()), 60_000);
    await behind.advance(30_000);
    behind.freeze(HOUR);
    await behind.advance(29_000);
    expect(fired).toEqual([]);
    await behind.advance(6_000);
    expect(fired).toHaveLength(1);
  });

  it('never goes backwards, and no timer waits longer, when the wall clock is set back', async () => {
    const { behind, awake, fired } = openClock();
    awake.setTimeout(() => fired.push(1), 60_000);
    await behind.advance(30_000);
    behind.jump(-HOUR);
    expect(awake.now()).toBe(30_000);
    await behind.advance(30_000);
    expect({ fired, now: awake.now() }).toEqual({ fired: [1], now: 60_000 });
  });

  it('sees a program that was busy for seconds, also when only a timer waits: its deadlines wait for what was left (P5, P10)', async () => {
    const { behind, awake, fired, stop } = openClock();
    stop();
    awake.setTimeout(() => fired.push(1), 10_000);
    await behind.advance(500);
    behind.freeze(12_000);
    await behind.advance(9_000);
    expect(fired).toEqual([]);
    await behind.advance(2_000);
    expect({ fired, open: behind.openTimers }).toEqual({ fired: [1], open: 0 });
  });

  it('looks only while it is watched or a timer waits, and leaves no timer behind', () => {
    const { behind, awake, stop } = openClock();
    expect(behind.openTimers).toBe(1);
    stop();
    expect(behind.openTimers).toBe(0);
    behind.jump(HOUR);
    expect(awake.now()).toBe(HOUR);
  });
});

function openClock() {
  const behind = simulatedClock();
  const awake = awakeClock(behind);
  const fired: number[] = [];
  const gaps: number[] = [];
  const stop = awake.watch((gapMs) => gaps.push(gapMs));
  return { behind, awake, fired, gaps, stop };
}
