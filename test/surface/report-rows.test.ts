import { describe, expect, it } from 'vitest';
import { REPORT_TOPICS } from './report-rows.ts';
import { MENDED_FAULTS } from './reports/mended-faults.ts';
import type { ReportEntry } from './reports/report-topic.ts';
import { faultOf, faultOfReason } from './row.ts';

/** The numbers of the survey; what it keeps to itself is not here. */
const REPORTS =
  'R01 R02 R04 R05 R06 R07 R09 R10 R11 R12 R13 R15 R17 R18 R19 R20 R21 R22 R24 R25 R26 R31 R32 R33 R34 R36 R37 R40 R41 R42 R43 R45 R47 R49 R50 R52 R53 R55 R60 R61 R62 R64 R65 R67 R70 R71 R72 R73 R76 R77 R79 R81 R84 R86 R88 R89 R91 R93 R94 R95 R96 R97 R98 R99 R100 R101 R102 R103';
/** Of these, every one is to be shown by tests. */
const WHOLE = 'interrupt lifecycle timeouts restart limits session actors queueing usage ratelimit auth feature'.split(
  ' ',
);

describe('what went wrong for others', () => {
  it('has every report once, in order of its topics', () => {
    const entries = REPORT_TOPICS.flatMap((topic) => Object.keys(topic.entries));
    expect(entries.toSorted()).toEqual(REPORTS.split(' ').toSorted());
  });

  it('shows every report to its last word where Troupe supervises', () => {
    const whole = REPORT_TOPICS.filter(({ topic }) => WHOLE.includes(topic));
    expect(whole.map(({ topic }) => topic).toSorted()).toEqual(WHOLE.toSorted());
    const entries = whole.flatMap((topic) => Object.entries(topic.entries));
    expect(entries.filter(([, entry]) => 'missing' in entry).map(([report]) => report)).toEqual([]);
  });
});

describe.each([
  ...REPORT_TOPICS.map(({ topic, entries }) => [topic, entries] as const),
  ['faults that others mended', MENDED_FAULTS] as const,
])('reports on %s', (_, entries) => {
  it.each(Object.entries(entries))('%s: shown by tests that exist, or by a reason', (_report, entry) => {
    expect(faultsOf(entry)).toEqual([]);
  });
});

function faultsOf(entry: ReportEntry): string[] {
  const [shown, missing] = 'missing' in entry ? [entry.shown ?? [], entry.missing] : [entry, undefined];
  const faults = [...shown.map(faultOf), missing === undefined ? undefined : faultOfReason(missing)];
  if (shown.length === 0 && missing === undefined) return ['names no test'];
  return faults.filter((fault) => fault !== undefined);
}
