import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultOf } from './row.ts';
import { METHODS, OPTIONS } from './sdk-surface.ts';

const LEAST_SUPPORTED = 0.9;
const TYPES = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk')), 'sdk.d.ts'),
  'utf8',
).replaceAll(/\/\*.*?\*\//gs, '');

/** The names declared at the first level between an opening and the line that closes it. */
function namesIn(opening: string, closing: string, name: RegExp): string[] {
  const from = TYPES.indexOf(opening);
  const text = TYPES.slice(from, TYPES.indexOf(closing, from));
  return [...text.matchAll(name)].map(([, found]) => found ?? '');
}

const OFFICIAL_OPTIONS = namesIn('export declare type Options = {', '\n};', /^ {4}(\w+)\?:/gm);
const OFFICIAL_METHODS = namesIn('export declare interface Query extends', '\n}', /^ {4}(\w+)\(/gm);

describe.each([
  ['options', OFFICIAL_OPTIONS, OPTIONS],
  ['control methods', OFFICIAL_METHODS, METHODS],
])('the %s of the official SDK', (_, official, rows) => {
  it('have a row each, and no row is left over', () => {
    expect(official.length).toBeGreaterThan(20);
    expect(Object.keys(rows).toSorted()).toEqual([...official].toSorted());
  });

  it.each(Object.entries(rows))('%s is shown by a test, or says why not', (_name, row) => {
    expect(faultOf(row)).toBeUndefined();
  });

  it(`are supported to at least ${LEAST_SUPPORTED * 100} %`, () => {
    const supported = Object.values(rows).filter((row) => !('missing' in row));

    expect(supported.length / Object.keys(rows).length).toBeGreaterThanOrEqual(LEAST_SUPPORTED);
  });
});
