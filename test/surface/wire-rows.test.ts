import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultOf, faultOfReason } from './row.ts';
import type { WireRow } from './wire/wire-row.ts';
import { WIRE_SECTIONS } from './wire-rows.ts';

const ROOT = new URL('../../', import.meta.url);
/** The sections on what a host meets while a session runs; §1 and §13–15 are shown where processes are. */
const SECTIONS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19];
const LEAST_SHOWN = 0.9;

describe('what was measured of the CLI', () => {
  it('has every section once, in order', () => {
    expect(WIRE_SECTIONS.map(({ section }) => section)).toEqual(SECTIONS);
  });

  it(`is shown by tests to at least ${LEAST_SHOWN * 100} %`, () => {
    const rows = WIRE_SECTIONS.flatMap((section) => Object.values(section.rows));
    expect(rows.filter((row) => !('cli' in row)).length / rows.length).toBeGreaterThanOrEqual(LEAST_SHOWN);
  });
});

describe.each(WIRE_SECTIONS.map((section) => [section.section, section.about, section.rows] as const))(
  'WIRE §%i, %s',
  (_section, _about, rows) => {
    it.each(Object.entries(rows))('%s: shown by a test, recorded, or of the CLI alone', (_label, row) => {
      expect(faultOfWire(row)).toBeUndefined();
    });
  },
);

function faultOfWire(row: WireRow): string | undefined {
  if ('cli' in row) return faultOfReason(row.cli);
  if (!('recorded' in row)) return faultOf(row);
  const recording = `test/corpus/${row.recorded}.ndjson`;
  // Every recording in there is replayed, in both directions.
  return existsSync(new URL(recording, ROOT)) ? undefined : `${recording} does not exist`;
}
