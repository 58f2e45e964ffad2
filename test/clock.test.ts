import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { boundedClock, MAX_TIMER_MS, systemClock } from '../src/clock.ts';
import { simulatedClock } from '../src/testing/simulated-clock.ts';

describe('a bounded clock', () => {
  it.each([Number.POSITIVE_INFINITY, MAX_TIMER_MS + 1])(
    'asks the clock behind it for no timer of %d ms, which Node would fire at once (P5)',
    (ms) => {
      const { clock, behind, asked, cleared } = openClock();
      let hasFired = false;
      const id = clock.setTimeout(() => {
        hasFired = true;
      }, ms);
      behind.increment(MAX_TIMER_MS);
      clock.clearTimeout(id);
      expect({ asked, cleared, hasFired }).toEqual({ asked: [], cleared: [], hasFired: false });
    },
  );

  it('passes every other timer on, with the id of the clock behind it', () => {
    const { clock, behind, asked, cleared } = openClock();
    const fired: number[] = [];
    clock.setTimeout(() => fired.push(5), 5);
    clock.setTimeout(() => fired.push(MAX_TIMER_MS), MAX_TIMER_MS);
    clock.clearTimeout(clock.setTimeout(() => fired.push(7), 7));
    behind.increment(MAX_TIMER_MS);
    expect(asked).toEqual([5, MAX_TIMER_MS, 7]);
    expect(cleared).toHaveLength(1);
    expect(fired).toEqual([5, MAX_TIMER_MS]);
    expect(clock.now()).toBe(behind.now());
  });

  it('lets the system clock wait without end too', async () => {
    let hasFired = false;
    const id = systemClock.setTimeout(() => {
      hasFired = true;
    }, Number.POSITIVE_INFINITY);
    await new Promise<void>((resolve) => systemClock.setTimeout(resolve, 5));
    await nextLoop();
    systemClock.clearTimeout(id);
    systemClock.clearTimeout(undefined);
    expect(hasFired).toBe(false);
  });
});

function openClock() {
  const behind = simulatedClock();
  const asked: number[] = [];
  const cleared: unknown[] = [];
  const clock = boundedClock({
    setTimeout(handler, ms) {
      asked.push(ms);
      return behind.setTimeout(handler, ms);
    },
    clearTimeout(id) {
      cleared.push(id);
      if (typeof id === 'number') behind.clearTimeout(id);
    },
    now: () => behind.now(),
  });
  return { clock, behind, asked, cleared };
}
