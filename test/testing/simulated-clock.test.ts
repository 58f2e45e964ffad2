import { describe, expect, it } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

describe('a simulated clock', () => {
  it('starts where it is told to, and stands still until time is let pass', async () => {
    const clock = simulatedClock({ startAt: 1_000_000 });
    expect(clock.now()).toBe(1_000_000);
    await clock.advance(250);
    expect(clock.now()).toBe(1_000_250);
  });

  it('fires each timer at its own moment, in order of time and then of setting, and none that was cleared', async () => {
    const { clock, fired, at } = openClock();
    at(30);
    at(10);
    at(20, 'first of two');
    at(20, 'second of two');
    clock.clearTimeout(at(15));
    at(Number.POSITIVE_INFINITY);
    await clock.advance(29);
    expect(fired).toEqual(['10 at 10', 'first of two at 20', 'second of two at 20']);
    await clock.advance(1);
    expect(fired.at(-1)).toBe('30 at 30');
    expect(clock.openTimers).toBe(1);
  });

  it('lets promises settle between two timers, and fires timers that are set meanwhile in their turn', async () => {
    const { clock, fired, at } = openClock();
    clock.setTimeout(() => {
      void (async () => {
        for (let step = 0; step < 50; step += 1) await Promise.resolve();
        at(5, 'set by the first');
      })();
    }, 10);
    at(20);
    await clock.advance(20);
    expect(fired).toEqual(['set by the first at 15', '20 at 20']);
  });

  it('fires at once what falls due while nothing has to settle', () => {
    const { clock, fired, at } = openClock();
    clock.setTimeout(() => at(5, 'set by the first'), 10);
    at(20);
    clock.increment(20);
    expect(fired).toEqual(['set by the first at 15', '20 at 20']);
  });

  it('jumps: the wall clock is another, and no timer is any nearer, as after the sleep of a laptop', async () => {
    const { clock, fired, at } = openClock();
    at(100);
    clock.jump(3_600_000);
    expect(clock.now()).toBe(3_600_000);
    await clock.advance(99);
    expect(fired).toEqual([]);
    await clock.advance(1);
    expect(fired).toEqual(['100 at 3600100']);
    clock.jump(-3_600_000);
    expect(clock.now()).toBe(100);
  });

  it('freezes: time passed and nothing fired, so what is due fires late, as after SIGSTOP and SIGCONT', async () => {
    const { clock, fired, at } = openClock();
    at(100);
    at(200);
    at(2_000);
    clock.freeze(1_000);
    expect({ now: clock.now(), fired }).toEqual({ now: 1_000, fired: [] });
    await clock.advance(0);
    expect(fired).toEqual(['100 at 1000', '200 at 1000']);
    await clock.advance(1_000);
    expect(fired.at(-1)).toBe('2000 at 2000');
  });

  it('is the clock of an XState actor', async () => {
    const clock = simulatedClock();
    const machine = createMachine({
      initial: 'asleep',
      states: { asleep: { after: { 1000: 'awake' } }, awake: {} },
    });
    const actor = createActor(machine, { clock }).start();
    await clock.advance(999);
    expect(actor.getSnapshot().value).toBe('asleep');
    await clock.advance(1);
    expect(actor.getSnapshot().value).toBe('awake');
    expect(clock.openTimers).toBe(0);
  });

  it('says so when timers without a delay follow each other for ever', () => {
    const clock = simulatedClock();
    const again = () => {
      clock.setTimeout(again, 0);
    };
    again();
    expect(() => clock.increment(1)).toThrow('one moment');
  });
});

function openClock() {
  const clock = simulatedClock();
  const fired: string[] = [];
  const at = (ms: number, name = String(ms)) => clock.setTimeout(() => fired.push(`${name} at ${clock.now()}`), ms);
  return { clock, fired, at };
}
