const EVERYBODY = ['troupe', 'sdk', 'bare', 'pipe'];
const MUST_ANSWER = ['troupe', 'sdk', 'bare'];

const of = (adapter) => ({ adapter });
const cpu = { figure: 'cpuUsPerLine', unit: 'µs CPU per line' };

/**
 * The table: what is measured, of whom, and what it may be. A case is one measurement, made by each of its adapters in a fresh
 * process; a check compares a figure of Troupe with that of another adapter or case (`of`: their quotient; `above`: their difference),
 * or with nothing.
 */
export const ROWS = [
  {
    row: 1,
    measure: 'raw subscriber, token deltas, 1 / 50 / 200 sessions: CPU per line',
    target: '≤ 1/12 of the SDK and ≤ 0.20 × bare',
    cases: {
      '1 session': { scenario: 'streamed', adapters: EVERYBODY, kind: 'raw', sessions: 1, lines: 600_000 },
      '50 sessions': { scenario: 'streamed', adapters: EVERYBODY, kind: 'raw', sessions: 50, lines: 12_000 },
      '200 sessions': { scenario: 'streamed', adapters: EVERYBODY, kind: 'raw', sessions: 200, lines: 3_000 },
    },
    checks: ['1 session', '50 sessions', '200 sessions'].flatMap((name) => [
      { case: name, ...cpu, of: of('sdk'), atMost: 1 / 12 },
      { case: name, ...cpu, of: of('bare'), atMost: 0.2 },
    ]),
  },
  {
    row: 2,
    measure: 'text subscriber (only the text of deltas)',
    target: '≤ 1/6 of the SDK',
    cases: {
      '1 session': { scenario: 'streamed', adapters: MUST_ANSWER, kind: 'text', sessions: 1, lines: 400_000 },
    },
    checks: [{ case: '1 session', ...cpu, of: of('sdk'), atMost: 1 / 6 }],
  },
  {
    row: 3,
    measure: 'typed subscriber (objects)',
    target: '≤ 0.5 × SDK and ≤ 1.0 × bare',
    cases: {
      '1 session': { scenario: 'streamed', adapters: MUST_ANSWER, kind: 'typed', sessions: 1, lines: 400_000 },
    },
    checks: [
      { case: '1 session', ...cpu, of: of('sdk'), atMost: 0.5 },
      { case: '1 session', ...cpu, of: of('bare'), atMost: 1 },
    ],
  },
  {
    row: 4,
    measure: 'mixed turn (5 % 2-KB assistant lines, results, control traffic), raw',
    target: '≤ 1/6 of the SDK',
    cases: {
      '100 turns of 2 000 lines': {
        scenario: 'streamed',
        adapters: MUST_ANSWER,
        kind: 'raw',
        sessions: 1,
        lines: 2_000,
        turns: 100,
        words: 'mixed=20 ask=2000',
      },
    },
    checks: [{ case: '100 turns of 2 000 lines', ...cpu, of: of('sdk'), atMost: 1 / 6 }],
  },
];
