import { describe, expect, it } from 'vitest';
import { faultOf } from '../surface/row.ts';
import { readPage } from './markdown-page.ts';

const page = readPage('docs/seed-claims.md');
const SEEDS = ['000', '001', '002', '003', '004'];
const FEWEST_ROWS = 10;

describe('what the write-ups claim', () => {
  it.each(SEEDS)('is there for write-up %s', (seed) => {
    expect(rowsOf(seed).length).toBeGreaterThanOrEqual(FEWEST_ROWS);
  });

  const rows = SEEDS.flatMap((seed) => rowsOf(seed).map((row) => [seed, ...row] as const));

  it.each(rows)('%s: %s', (_seed, _claim, holds, shown) => {
    expect(holds).toMatch(/^works as written(;|$)|^works, and the real CLI differs: .{10}/);
    const [, file = '', title = ''] = /^`([^`]+)`: “(.+)”$/.exec(shown) ?? [];
    expect(faultOf([file, title])).toBeUndefined();
  });
});

function rowsOf(seed: string): (readonly [claim: string, holds: string, shown: string])[] {
  const section = page.text.split('\n## ').find((one) => one.startsWith(`${seed}:`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| claim') && !line.startsWith('| -'))
    .map((line) => {
      const [claim = '', holds = '', shown = ''] = line.slice(2, -2).split(/ (?<!\\)\| /);
      return [claim, holds, shown] as const;
    });
}
