import { describe, expect, it } from 'vitest';
import { findOversize } from '../../src/transport/command-size.ts';
import type { LaunchPlan } from '../../src/transport/transport.ts';

const LINUX = { stringBytes: 131_072, totalBytes: 1_835_008 };

describe('the size of a command line (R94)', () => {
  it('lets 131071 bytes pass as one argument and refuses 131072, the terminating zero included', () => {
    expect(findOversize(planOf({ args: ['x'.repeat(131_071)] }), LINUX)).toBeUndefined();
    expect(findOversize(planOf({ args: ['x'.repeat(131_072)] }), LINUX)?.code).toBe('ARGUMENTS_TOO_LARGE');
  });

  it('counts bytes, not characters', () => {
    expect(findOversize(planOf({ args: ['ä'.repeat(70_000)] }), LINUX)?.code).toBe('ARGUMENTS_TOO_LARGE');
  });

  it.each([
    [['--system-prompt=SECRET'.padEnd(200_000, 'x')], '--system-prompt'],
    [['--mcp-config', 'SECRET'.padEnd(200_000, 'x')], '--mcp-config'],
    [['--verbose', '-p', 'SECRET'.padEnd(200_000, 'x')], '-p'],
    [['--model=m', 'SECRET'.padEnd(200_000, 'x')], 'argument 2'],
    [['-pSECRET'.padEnd(200_000, 'x')], 'argument 1'],
  ])('names the flag of the biggest argument and nothing of its value (P11) %#', (args, name) => {
    const error = findOversize(planOf({ args }), LINUX);
    expect(error?.details).toMatchObject({ name, limitBytes: 131_072 });
    expect(error?.details['bytes']).toBeGreaterThanOrEqual(200_000);
    expect(JSON.stringify(error)).not.toContain('SECRET');
  });

  it('names the variable of the biggest environment entry', () => {
    const env = { PATH: '/bin', BIG: 'SECRET'.padEnd(131_072, 'x') };
    const error = findOversize(planOf({ env }), LINUX);
    expect(error?.details).toMatchObject({ name: 'BIG', bytes: 131_077 });
    expect(JSON.stringify(error)).not.toContain('SECRET');
  });

  it('refuses three thousand tools that are too much only together, and counts the pointers to short arguments', () => {
    const env = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`V${index}`, 'x'.repeat(100_000)]));
    const error = findOversize(planOf({ env }), LINUX);
    expect(error?.details).toMatchObject({ limitBytes: LINUX.totalBytes, command: '/bin/true', cwd: '/' });
    expect(findOversize(planOf({ args: Array(190_000).fill('x') }), LINUX)?.code).toBe('ARGUMENTS_TOO_LARGE');
  });
});

function planOf(part: Partial<LaunchPlan>): LaunchPlan {
  const base = { command: '/bin/true', args: [], cwd: '/', env: {}, mark: 'm', temporaryFiles: [] };
  return { ...base, keepDescendants: false, stderrTailBytes: 1024, ...part };
}
