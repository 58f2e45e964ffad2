import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PAGE, rowsOfPage, withTable } from '../../scripts/bench/page.mjs';
import { ROWS } from '../../scripts/bench/rows.mjs';
import { linesOf } from '../../scripts/bench/table.mjs';

const page = readFileSync(PAGE, 'utf8');
const machine = { cpu: 'A CPU', cores: 2, memoryGb: 8, kernel: 'Linux 6', node: 'v20.0.0', loadBefore: 0.1 };

describe('docs/performance.md', () => {
  it('has the rows and targets of the benchmark, in their order', () => {
    const shown = [...rowsOfPage(page)].map(([row, text]) => [row, ...cells(text).slice(2, 4)]);

    expect(shown).toEqual(ROWS.map(({ row, measure, target }) => [row, measure, target]));
  });

  it('has a line for each check of each row, with the verdict that its figures mean', () => {
    const unlike = ROWS.filter(({ row, checks }) => {
      const lines = (rowsOfPage(page).get(row) ?? '').split('\n');
      return lines.length !== checks.length || lines.some((line) => !isConsistent(line));
    });

    expect(unlike.map(({ row }) => row)).toEqual([]);
  });

  it('is written anew row by row: what was not measured keeps what stands there', () => {
    const [first, second] = ROWS.map((row) => linesOf(row, {}));
    const half = withTable('before <!-- table --><!-- end of table --> after', first ?? [], machine);
    const whole = withTable(half, second ?? [], machine);

    expect(rowsOfPage(whole).get(1)).toBe(rowsOfPage(half).get(1));
    expect(rowsOfPage(whole).get(2)).toContain('1 session, µs CPU per line');
    expect(whole).toMatch(/^before <!-- table -->\nA CPU, 2 cores, 8 GB, Linux 6, Node 20\.0\.0, load 0\.1 before\./);
    expect(whole).toMatch(/<!-- end of table --> after$/);
  });
});

describe('the table', () => {
  it('numbers its rows from 1, and each check is about a case that is measured, of adapters that measure it', () => {
    expect(ROWS.map(({ row }) => row)).toEqual(ROWS.map((_, index) => index + 1));
    const lost = ROWS.flatMap(({ row, cases, checks }) =>
      checks.flatMap((check) => {
        const other = check.of ?? check.above ?? {};
        const isThere =
          cases[check.case]?.adapters.includes('troupe') &&
          cases[other.case ?? check.case]?.adapters.includes(other.adapter ?? 'troupe');
        return isThere ? [] : [`${row}: ${check.case}`];
      }),
    );

    expect(lost).toEqual([]);
  });
});

function cells(text: string): string[] {
  return (text.split('\n')[0] ?? '').split('|').map((cell) => cell.trim());
}

/** The verdict is the one that the figure and the limit beside it mean; equal ones may differ in what was rounded off. */
function isConsistent(line: string): boolean {
  const [, measured, limit] = /\| ([\d.—-]+)[^|(]*(?:\(≤ ([\d.]+)\) )?\| [a-z ]+ \|$/.exec(line) ?? [];
  const verdict = /\| ([a-z ]+) \|$/.exec(line)?.[1];
  if (measured === '—') return verdict === 'not measured';
  if (measured === undefined || limit === undefined) return verdict === 'told';
  if (measured === limit) return verdict === 'met' || verdict === 'missed';
  return verdict === (Number(measured) < Number(limit) ? 'met' : 'missed');
}
