import { expect, it } from 'vitest';
import type { AwakeClock } from '../../src/clock.ts';
import { TurnWatch } from '../../src/session/turn-watch.ts';

it('a watchdog is not begun for a process that is ended because of what a look at the clock found (P5, P9)', () => {
  let timers = 0;
  let resumed: ((gapMs: number) => void) | undefined;
  const clock: AwakeClock = {
    now: () => {
      resumed?.(5_000);
      return 0;
    },
    wallTime: (at) => at,
    setTimeout: () => (timers += 1),
    clearTimeout: () => {},
    watch: (onResumed) => {
      resumed = onResumed;
      return () => (resumed = undefined);
    },
  };
  const limits = { stallMs: 1_000, stallInterruptMs: 2_000, toolStallMs: 1_000, toolStallInterruptMs: 2_000 };
  const watch: TurnWatch = new TurnWatch({
    id: 'a',
    incarnation: 1,
    timeouts: limits,
    clock,
    inspect: undefined,
    onNotice: () => {},
    onResumed: () => watch.stop(),
  });
  watch.setOwed(true);
  expect(timers).toBe(0);
});
