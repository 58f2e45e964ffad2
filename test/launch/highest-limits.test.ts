import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, HIGHEST_LIMITS } from '../../src/launch/defaults.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';
import { parseSupervisorOptions } from '../../src/launch/supervisor-options.ts';
import { LineSplitter } from '../../src/wire/line-splitter.ts';
import { readPage } from '../docs/markdown-page.ts';

const HIGHEST = Object.entries(HIGHEST_LIMITS);
const OF_THE_SUPERVISOR = new Set([
  'maxSessions',
  'maxRegistered',
  'maxSessionsPerKey',
  'maxStarting',
  'startsPerConfigDir',
  'minFreeMemoryBytes',
]);

describe('the highest value', () => {
  it.each(HIGHEST)('of limits.%s is accepted, one more is refused and told (P9)', (name, highest) => {
    expect(parseSupervisorOptions({ limits: { [name]: highest } }).limits).toEqual({ [name]: highest });
    const refusal = expect.objectContaining({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(`limits.${name}: must be a whole number above 0 and at most ${highest}`),
    });
    expect(() => parseSupervisorOptions({ limits: { [name]: highest + 1 } })).toThrow(refusal);
    if (!OF_THE_SUPERVISOR.has(name))
      expect(() => parseSessionOptions({ limits: { [name]: highest + 1 } })).toThrow(refusal);
  });

  it('is never below the default', () => {
    const low = Object.entries({ ...HIGHEST_LIMITS, ...DEFAULT_LIMITS }).filter(
      ([name, value]) => value > (HIGHEST.find(([known]) => known === name)?.[1] ?? 0),
    );
    expect(low).toEqual([]);
  });

  it('of a line is one that can be read and decoded', () => {
    const maxLineBytes = HIGHEST_LIMITS.maxLineBytes;
    expect(() => new LineSplitter({ maxLineBytes })).not.toThrow();
    expect(() => new LineSplitter({ maxLineBytes: maxLineBytes + 1 })).toThrow();
    expect(Buffer.alloc(maxLineBytes).toString('latin1')).toHaveLength(maxLineBytes);
  });

  it('stands in the table that is told to everybody', () => {
    const { text } = readPage('docs/limits-and-timeouts.md');
    const missing = HIGHEST.filter(([name, highest]) => {
      const row = text.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
      return row?.split('|')[3]?.trim() !== spelled(highest);
    });
    expect(missing).toEqual([]);
  });
});

/** 16 MiB, 100 000: as the table writes it. */
function spelled(value: number): string {
  for (const [unit, bytes] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
  ] as const) {
    if (value >= bytes && value % bytes === 0) return `${value / bytes} ${unit}`.replace('1024 GiB', '1 024 GiB');
  }
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}
