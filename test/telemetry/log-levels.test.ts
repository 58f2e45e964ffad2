import { describe, expect, it } from 'vitest';
import { isWanted, lowestOf, readLogLevels } from '../../src/telemetry/log-levels.ts';

describe('the levels of the log', () => {
  it('are one for all, or one by one', () => {
    const levels = readLogLevels('warn, permission=debug,store=silent');
    expect(isWanted(levels, 'session', 'info')).toBe(false);
    expect(isWanted(levels, 'session', 'warn')).toBe(true);
    expect(isWanted(levels, 'permission', 'debug')).toBe(true);
    expect(isWanted(levels, 'permission', 'trace')).toBe(false);
    expect(isWanted(levels, 'store', 'error')).toBe(false);
    expect(lowestOf(levels)).toBe('debug');
    expect(lowestOf(readLogLevels('silent'))).toBe('silent');
  });

  it.each(['loud', 'info,permission', 'permission=loud', 'kitchen=info', 'info=debug', '', 'info,'])(
    'refuse %j with what would do',
    (text) => {
      expect(() => readLogLevels(text)).toThrow(/level is one of trace, debug|there is no part/);
    },
  );
});
