import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { StartPace } from '../../src/supervision/start-pace.ts';
import { steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from './memory-cli.ts';

describe('starts that are asked for in the same breath (P10)', () => {
  it('begin at once as long as they keep the turn of the event loop for a few milliseconds only', async () => {
    const { pace, pass } = paced();
    expect(pace.turn()).toBeUndefined();
    pass(3);
    expect(pace.turn()).toBeUndefined();
    pass(1);
    expect(pace.turn()).toBeInstanceOf(Promise);
    await nextTurn();
    await nextTurn();
    expect(pace.turn()).toBeUndefined();
  });

  it('begin one in each turn after that, in order, and none overtakes', async () => {
    const { pace, pass } = paced();
    const begun: string[] = [];
    const start = async (name: string) => {
      await pace.turn();
      begun.push(name);
    };
    expect(pace.turn()).toBeUndefined();
    pass(10);
    const all = ['a', 'b', 'c'].map(start);
    // Only work makes a turn long, and nobody works here.
    await nextTurn();
    const late = start('d');
    expect(begun).toEqual(['a']);
    expect(pace.waiting).toBe(3);
    await nextTurn();
    expect(begun).toEqual(['a', 'b']);
    await Promise.all([...all, late]);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(pace.waiting).toBe(0);
  });
});

describe('starts of a supervisor with a store that are asked for in the same breath', () => {
  it.each([
    ['is not open yet', false],
    ['is open', true],
  ])('are built one in each turn, and all that are not built wait: the store %s (P7, P10)', async (_what, isOpen) => {
    const supervisor = createSupervisor({
      store: steeredStore(),
      spawn: memoryFleet().open,
      reap: 'off',
      limits: { maxSessions: 100 },
      pathToClaudeCodeExecutable: process.execPath,
    });
    if (isOpen) await supervisor.recovered;
    const all = Array.from({ length: 60 }, () => supervisor.start());
    const built: number[] = [];
    for (let count = 0; count < 60; count = supervisor.list().length) {
      built.push(supervisor.list().length - count);
      const { sessions, waiting } = supervisor.load();
      expect(waiting + sessions).toBe(60);
      await nextTurn();
    }
    expect(Math.max(...built)).toBeLessThanOrEqual(2);
    await Promise.all(all);
    await supervisor.shutdown();
  });
});

function paced() {
  let now = 1_000;
  const pace = new StartPace({ now: () => now });
  return {
    pace,
    pass: (ms: number) => {
      now += ms;
    },
  };
}
