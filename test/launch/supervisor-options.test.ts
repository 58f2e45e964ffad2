import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { DEFAULT_LIMITS, DEFAULT_RESTART, DEFAULT_TIMEOUTS } from '../../src/launch/defaults.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';
import { parseSupervisorOptions } from '../../src/launch/supervisor-options.ts';

describe('supervisor options', () => {
  it('are accepted whole, with live objects handed on as they are', () => {
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const options = {
      restart: { type: 'temporary' },
      limits: { maxSessions: 2, maxStarting: 1, startsPerConfigDir: 1, minFreeMemoryBytes: 1, maxPromptQueue: 5 },
      timeouts: { drainMs: Infinity, closeGraceMs: 1 },
      permissions: { onTimeout: 'deny' },
      budget: {
        maxUsd: 5,
        perSessionTokens: 1_000,
        perKeyTurns: 3,
        perGroupUsd: 0.5,
        perDayUsd: 2,
        warnAt: 1,
        onLimit: 'kill',
        timeZone: 'Europe/Berlin',
        prices: { 'claude-*': { inputPerMTok: 3, outputPerMTok: 15, cacheReadPerMTok: 0.3 } },
      },
      logger,
      inspect: () => {},
      clock: systemClock,
      spawn: () => Promise.reject(new Error('no')),
      store: ':memory:',
      pathToClaudeCodeExecutable: 'claude',
      env: { A: undefined },
      configDir: '/config',
    };
    const parsed = parseSupervisorOptions(options);
    expect(parsed).toEqual(options);
    expect(parsed.clock).toBe(systemClock);
    expect(parsed.logger).toBe(logger);
  });

  it.each([
    [{ maxSessions: 3 }, 'maxSessions', /not an option/],
    [{ limits: { maxSesions: 3 } }, 'limits.maxSesions', /did you mean "maxSessions"/],
    [{ limits: { maxSessions: 0 } }, 'limits.maxSessions', /whole number above 0/],
    [{ store: {} }, 'store', /a path, ":memory:" or a store/],
    [{ durability: 'sometimes' }, 'durability', /strict/],
    [{ retention: { maxBytes: 0.5 } }, 'retention.maxBytes', /whole number above 0, or Infinity/],
    [{ retention: { maxEvents: 5 } }, 'retention.maxEvents', /is not an option/],
    [{ permissions: { onTimeout: 'allow' } }, 'permissions.onTimeout', /"deny"/],
    [{ clock: { now: () => 0 } }, 'clock', /setTimeout, clearTimeout and now/],
    [{ logger: console.log }, 'logger', /debug, info, warn and error/],
    [{ spawn: 'x' }, 'spawn', /function/],
    [{ budget: { maxUSD: 3 } }, 'budget.maxUSD', /did you mean "maxUsd"/],
    [{ budget: { maxUsd: 0 } }, 'budget.maxUsd', /US dollars above 0/],
    [{ budget: { perKeyTokens: 1.5 } }, 'budget.perKeyTokens', /whole number above 0/],
    [{ budget: { warnAt: 80 } }, 'budget.warnAt', /above 0 and at most 1/],
    [{ budget: { onLimit: 'stop' } }, 'budget.onLimit', /"park"/],
    [{ budget: { timeZone: 'Mars' } }, 'budget.timeZone', /time zone such as/],
    [{ budget: { prices: { opus: { inputPerMTok: 1 } } } }, 'budget.prices.opus.outputPerMTok', /million tokens/],
  ])('are refused with field and reason: %j', (options, field, reason) => {
    const details = { field, reason: expect.stringMatching(reason) };
    expect(() => parseSupervisorOptions(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', details: expect.objectContaining(details) }),
    );
  });
});

describe('defaults', () => {
  it('are themselves valid options, so nothing depends on a value that nobody may set (P5, P9)', () => {
    const own = Object.entries(DEFAULT_TIMEOUTS).filter(([name]) =>
      /^drain|^hostSignal|^store|^handover|^takeover/.test(name),
    );
    const others = Object.entries(DEFAULT_TIMEOUTS).filter((entry) => !own.some(([name]) => name === entry[0]));
    const timeouts = Object.fromEntries(others);
    expect(own).toHaveLength(10);
    const { maxSessions, maxStarting, maxRegistered, ...limits } = DEFAULT_LIMITS;
    expect(() => parseSessionOptions({ timeouts, limits, restart: DEFAULT_RESTART })).not.toThrow();
    expect(() =>
      parseSupervisorOptions({
        timeouts: Object.fromEntries(own),
        limits: { maxSessions, maxStarting, maxRegistered },
      }),
    ).not.toThrow();
  });

  it('wait without end only for turns, tools, people and idleness (P5)', () => {
    const endless = Object.entries(DEFAULT_TIMEOUTS).filter(([, ms]) => ms === Infinity);
    expect(endless.map(([name]) => name)).toEqual([
      'turnMs',
      'toolStallMs',
      'toolStallInterruptMs',
      'permissionMs',
      'idleMs',
    ]);
  });
});
