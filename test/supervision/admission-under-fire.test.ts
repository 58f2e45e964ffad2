import { describe, expect, it } from 'vitest';
import { type Session, type Supervisor, TroupeError } from '../../src/index.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { createRandom } from '../chaos/random.ts';
import { type MemoryCli, memoryFleet } from './memory-cli.ts';

/** `npm run test:admission` makes ten thousand. */
const CALLS = Number(process.env['TROUPE_TEST_CALLS'] ?? 1_000);
const LIMITS = { maxSessions: 8, maxSessionsPerKey: 3, maxStarting: 3, startsPerConfigDir: 2 };
const KEYS = [undefined, 'a', 'b', 'c', 'd'] as const;
const FOLDERS = ['/one', '/two', '/three'] as const;

describe(`${CALLS} calls of start, close, kill, abort, restart, hibernate and prompt at the same time`, () => {
  it.each([
    [1, false],
    [2, true],
  ])(
    'never pass a limit, and leave no slot behind (P9, R64, seed %i, evictIdle %s)',
    async (seed, evictIdle) => {
      const { supervisor, fleet, clock, peak, watch } = stage(evictIdle);
      const random = createRandom(seed);
      const settled: Promise<unknown>[] = [];
      const outcomes: unknown[] = [];
      const expectAnswer = (promise: Promise<unknown>) => {
        settled.push(promise.catch((error: unknown) => outcomes.push(error)));
      };

      for (let call = 0; call < CALLS; call += 1) {
        const living = supervisor.list();
        const dice = random.next();
        if (living.length < 4 || dice < 0.2) {
          const controller = new AbortController();
          if (random.chance(0.2)) setImmediate(() => controller.abort('never mind'));
          const key = random.pick(KEYS);
          const place = { configDir: random.pick(FOLDERS), ...(key === undefined ? {} : { key }) };
          expectAnswer(supervisor.start({ ...place, signal: controller.signal, autoStart: random.chance(0.8) }));
        } else anyCall(living[random.below(living.length)], dice, expectAnswer);
        if (random.chance(0.02)) fleet.running()[0]?.exit(1);
        watch();
        // Everything else happens at its own pace between the calls.
        if (random.chance(0.1)) await clock.advance(random.below(3_000));
      }

      await Promise.all(supervisor.list().map((session) => session.close()));
      await clock.advance(120_000);
      await Promise.all(settled);
      for (const error of outcomes) expect(TroupeError.is(error), String(error)).toBe(true);
      expect(peak).toEqual({ sessions: 8, starting: 3, ofKey: 3, ofFolder: 2 });
      expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
      expect(fleet.running()).toEqual([]);
      expect(fleet.started.length).toBeGreaterThan(CALLS / 20);

      const fresh = await Promise.all(Array.from({ length: LIMITS.maxSessions }, () => supervisor.start()));
      expect(fresh.map(({ state }) => state)).toEqual(fresh.map(() => 'ready'));
      const shutdown = supervisor.shutdown();
      await clock.advance(10_000);
      await shutdown;
      expect(clock.openTimers).toBe(0);
    },
    1_800_000,
  );
});

function anyCall(session: Session | undefined, dice: number, expectAnswer: (promise: Promise<unknown>) => void): void {
  if (session === undefined) return;
  try {
    if (dice < 0.55) expectAnswer(session.prompt('work').result);
    else if (dice < 0.65) expectAnswer(session.close());
    else if (dice < 0.72) expectAnswer(session.kill());
    else if (dice < 0.85) expectAnswer(session.hibernate());
    else if (dice < 0.95) session.restart();
    else expectAnswer(session.interrupt());
  } catch (error) {
    expect(TroupeError.is(error), String(error)).toBe(true);
  }
}

function stage(evictIdle: boolean) {
  const clock = simulatedClock({ startAt: 1_700_000_000_000 });
  const answers: (() => void)[] = [];
  const fleet = memoryFleet((prompt) => {
    clock.setTimeout(() => prompt.complete(), 500 + 100 * (answers.length % 20));
  });
  const supervisor: Supervisor = createSupervisor({
    pathToClaudeCodeExecutable: process.execPath,
    spawn: (plan, listeners) => fleet.open(plan, listeners).finally(watch),
    clock,
    limits: { ...LIMITS, maxPromptQueue: 10 },
    admission: { evictIdle },
    restart: { intensity: 100, backoff: { minMs: 100, maxMs: 500, factor: 2, jitter: 0 } },
  });
  const peak = { sessions: 0, starting: 0, ofKey: 0, ofFolder: 0 };
  supervisor.on('event', ({ type }) => {
    if (type === 'session.state-changed' || type === 'session.started') watch();
  });

  /** Counted by the processes there are, not by what the supervisor says of itself. */
  function watch(): void {
    const running = fleet.running();
    const starting = running.filter((cli) => !isInitialized(cli));
    note('sessions', running.length);
    note('starting', starting.length);
    note('ofKey', mostOf(running.map(({ sessionId }) => supervisor.session(sessionId)?.key)));
    note('ofFolder', mostOf(starting.map(({ peer }) => peer.plan.env['CLAUDE_CONFIG_DIR'])));
    expect(peak.sessions).toBeLessThanOrEqual(LIMITS.maxSessions);
  }

  function isInitialized({ sessionId }: MemoryCli): boolean {
    const state = supervisor.session(sessionId)?.state;
    return state !== 'spawning' && state !== 'initializing' && state !== 'mcp-setup';
  }

  function note(name: keyof typeof peak, count: number): void {
    peak[name] = Math.max(peak[name], count);
  }

  return { supervisor, fleet, clock, peak, watch };
}

/** How often the most frequent one is there. */
function mostOf(values: readonly (string | undefined)[]): number {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
