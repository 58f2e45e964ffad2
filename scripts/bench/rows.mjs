const EVERYBODY = ['troupe', 'sdk', 'bare', 'pipe'];
const MUST_ANSWER = ['troupe', 'sdk', 'bare'];

const of = (adapter) => ({ adapter });
/** Sixteen lines at a time: what gathers lines has something to gather. */
const FAN_OUT = { clients: 10, rate: 2_000, burst: 16, seconds: 4 };
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
      '1 session': { scenario: 'streamed', adapters: EVERYBODY, kind: 'raw', sessions: 1, lines: 600_000, warm: 2 },
      '50 sessions': { scenario: 'streamed', adapters: EVERYBODY, rounds: 3, kind: 'raw', sessions: 50, lines: 12_000 },
      '200 sessions': {
        scenario: 'streamed',
        adapters: EVERYBODY,
        rounds: 3,
        kind: 'raw',
        sessions: 200,
        lines: 12_000,
      },
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
      '1 session': { scenario: 'streamed', adapters: MUST_ANSWER, kind: 'text', sessions: 1, lines: 400_000, warm: 3 },
    },
    checks: [{ case: '1 session', ...cpu, of: of('sdk'), atMost: 1 / 6 }],
  },
  {
    row: 3,
    measure: 'typed subscriber (objects)',
    target: '≤ 0.5 × SDK and ≤ 1.0 × bare',
    cases: {
      '1 session': { scenario: 'streamed', adapters: MUST_ANSWER, kind: 'typed', sessions: 1, lines: 400_000, warm: 3 },
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
        warm: 4,
        words: 'mixed=20 ask=2000',
      },
    },
    checks: [{ case: '100 turns of 2 000 lines', ...cpu, of: of('sdk'), atMost: 1 / 6 }],
  },
  {
    row: 5,
    measure: '200 sessions × 50 lines/s: share of a core; delivery p99',
    target: '≤ 0.45 × SDK; ≤ 0.6 × SDK',
    cases: {
      '200 sessions': {
        scenario: 'paced',
        adapters: MUST_ANSWER,
        rounds: 3,
        kind: 'raw',
        sessions: 200,
        rate: 50,
        seconds: 6,
      },
    },
    checks: [
      { case: '200 sessions', figure: 'coreShare', unit: 'share of a core', of: of('sdk'), atMost: 0.45 },
      { case: '200 sessions', figure: 'p99Us', unit: 'µs delivery p99', of: of('sdk'), atMost: 0.6 },
    ],
  },
  {
    row: 6,
    measure: 'permission round trip p50, 1 and 50 sessions; CPU',
    target: '≤ 1.0 × and ≤ 0.8 × SDK; ≤ 0.8 × SDK',
    cases: {
      '1 session': {
        scenario: 'asked',
        adapters: MUST_ANSWER,
        rounds: 7,
        what: 'asks',
        sessions: 1,
        count: 3_000,
        warm: 1_000,
      },
      '50 sessions': { scenario: 'asked', adapters: MUST_ANSWER, what: 'asks', sessions: 50, count: 100, warm: 50 },
    },
    checks: [
      { case: '1 session', figure: 'p50Us', pick: 'low', unit: 'µs p50', of: of('sdk'), atMost: 1 },
      { case: '50 sessions', figure: 'p50Us', pick: 'low', unit: 'µs p50', of: of('sdk'), atMost: 0.8 },
      { case: '1 session', figure: 'cpuUsPerTrip', unit: 'µs CPU each', of: of('sdk'), atMost: 0.8 },
    ],
  },
  {
    row: 7,
    measure: 'in-process tool call p50; hook p50',
    target: '≤ 0.5 × SDK; ≤ 0.9 × SDK',
    cases: {
      'tool call': {
        scenario: 'asked',
        adapters: ['troupe', 'sdk'],
        rounds: 7,
        what: 'tools',
        count: 2_000,
        warm: 1_000,
      },
      hook: { scenario: 'asked', adapters: ['troupe', 'sdk'], rounds: 7, what: 'hooks', count: 2_000, warm: 1_000 },
    },
    checks: [
      { case: 'tool call', figure: 'p50Us', pick: 'low', unit: 'µs p50', of: of('sdk'), atMost: 0.5 },
      { case: 'hook', figure: 'p50Us', pick: 'low', unit: 'µs p50', of: of('sdk'), atMost: 0.9 },
    ],
  },
  {
    row: 8,
    measure: 'heap per idle session incl. its actors; RSS at 200',
    target: '≤ 24 KB and ≤ 0.35 × SDK; ≤ 0.5 × SDK',
    cases: {
      '200 sessions': {
        scenario: 'idle',
        adapters: ['troupe', 'sdk'],
        rounds: 3,
        sessions: 200,
        flags: ['--expose-gc'],
      },
    },
    checks: [
      { case: '200 sessions', figure: 'heapKb', unit: 'KB heap each', atMost: 24 },
      { case: '200 sessions', figure: 'heapKb', unit: 'KB heap each', of: of('sdk'), atMost: 0.35 },
      { case: '200 sessions', figure: 'residentKb', unit: 'KB RSS each', of: of('sdk'), atMost: 0.5 },
    ],
  },
  {
    row: 9,
    measure: 'slow consumer, backlog of 400 000 lines',
    target: 'RSS growth ≤ 32 MB, drain ≥ 50 × faster than the SDK, cost per line flat',
    cases: {
      '400 000 lines': {
        scenario: 'slow-reader',
        adapters: ['troupe', 'sdk'],
        rounds: 1,
        lines: 400_000,
        deadlineMs: 900_000,
      },
      '20 000 lines': { scenario: 'slow-reader', adapters: ['troupe', 'sdk'], rounds: 3, lines: 20_000 },
    },
    checks: [
      { case: '400 000 lines', figure: 'residentMb', unit: 'MB more RSS', atMost: 32 },
      { case: '400 000 lines', figure: 'drainMs', unit: 'ms to drain', of: of('sdk'), atMost: 1 / 50 },
      {
        case: '400 000 lines',
        figure: 'turnUsPerLine',
        unit: 'µs CPU per line of the turn',
        of: { case: '20 000 lines' },
        atMost: 1.3,
      },
      { case: '400 000 lines', figure: 'missedShare', unit: 'share that was told as missed' },
    ],
  },
  {
    row: 10,
    measure: 'one 50-MB line',
    target: 'linear (12.5 → 50 MB ≤ 5 ×), ≤ 1.5 × bare splitter',
    cases: {
      '12.5 MB': { scenario: 'long-line', adapters: MUST_ANSWER, rounds: 3, bytes: 12_500_000 },
      '50 MB': { scenario: 'long-line', adapters: MUST_ANSWER, rounds: 3, bytes: 50_000_000 },
    },
    checks: [
      { case: '50 MB', figure: 'cpuMs', unit: 'ms CPU', of: { case: '12.5 MB' }, atMost: 5 },
      { case: '50 MB', figure: 'cpuMs', unit: 'ms CPU', of: of('bare'), atMost: 1.5 },
    ],
  },
  {
    row: 11,
    measure: '100 starts from a host holding 300 MB of Buffers',
    target: 'event-loop stall ≤ 10 ms each',
    cases: {
      '100 starts': { scenario: 'opened', adapters: MUST_ANSWER, sessions: 100, heldMb: 300 },
    },
    checks: [{ case: '100 starts', figure: 'longestStallMs', pick: 'low', unit: 'ms longest stall', atMost: 10 }],
  },
  {
    row: 12,
    measure: 'open 200 sessions: CPU',
    target: '≤ 0.8 × SDK',
    cases: {
      '200 sessions': { scenario: 'opened', adapters: MUST_ANSWER, sessions: 200 },
    },
    checks: [{ case: '200 sessions', figure: 'cpuMs', unit: 'ms CPU', of: of('sdk'), atMost: 0.8 }],
  },
  {
    row: 13,
    measure: 'add / remove one session at 1 000 against at 100',
    target: '≤ 3 ×',
    cases: {
      'at 100': { scenario: 'one-more', adapters: ['troupe'], rounds: 3, sessions: 100, deadlineMs: 600_000 },
      'at 1 000': { scenario: 'one-more', adapters: ['troupe'], rounds: 3, sessions: 1_000, deadlineMs: 600_000 },
    },
    checks: [
      { case: 'at 1 000', figure: 'addMs', unit: 'ms CPU to add', of: { case: 'at 100' }, atMost: 3 },
      { case: 'at 1 000', figure: 'removeMs', unit: 'ms CPU to remove', of: { case: 'at 100' }, atMost: 3 },
    ],
  },
  {
    row: 14,
    measure: 'same as 1, with the SQLite store, batched: raw CPU per line',
    target: '≤ 1.0 × bare',
    cases: {
      '1 session': {
        scenario: 'streamed',
        adapters: ['troupe', 'bare'],
        kind: 'raw',
        isKept: true,
        lines: 400_000,
        warm: 2,
      },
      '50 sessions': {
        scenario: 'streamed',
        adapters: ['troupe', 'bare'],
        kind: 'raw',
        isKept: true,
        sessions: 50,
        lines: 12_000,
      },
    },
    checks: ['1 session', '50 sessions'].map((name) => ({ case: name, ...cpu, of: of('bare'), atMost: 1 })),
  },
  {
    row: 15,
    measure: 'fan-out of one session to 10 WebSocket / SSE clients: CPU per delivered line, added latency',
    target: '≤ 0.08 × of parse + stringify per client, added latency ≤ 16 ms',
    cases: {
      WebSocket: { scenario: 'fanned-out', adapters: ['troupe', 'relay'], rounds: 3, way: 'websocket', ...FAN_OUT },
      SSE: { scenario: 'fanned-out', adapters: ['troupe', 'relay'], rounds: 3, way: 'sse', ...FAN_OUT },
    },
    checks: ['WebSocket', 'SSE'].flatMap((name) => [
      { case: name, figure: 'cpuUsPerLine', unit: 'µs CPU per delivered line', of: of('relay'), atMost: 0.08 },
      { case: name, figure: 'p99Ms', pick: 'low', unit: 'ms delivery p99', above: of('relay'), atMost: 16 },
    ]),
  },
  {
    row: 16,
    measure: '1 000 live fake sessions, 20 lines/s each, 10 minutes',
    target: 'event-loop p99 ≤ 20 ms, heap flat',
    cases: {
      '1 000 sessions': {
        scenario: 'crowd',
        adapters: ['troupe'],
        rounds: 1,
        sessions: 1_000,
        rate: 20,
        seconds: 600,
        // Logs are full within the first quarter, so that what grows afterwards is a leak.
        limits: { maxLogItems: 500, maxLogBytes: 2 ** 20 },
        quick: { seconds: 60, limits: { maxLogItems: 200, maxLogBytes: 2 ** 20 } },
        flags: ['--expose-gc'],
        deadlineMs: 1_200_000,
      },
    },
    checks: [
      { case: '1 000 sessions', figure: 'loopP99Ms', unit: 'ms event loop p99', atMost: 20 },
      {
        case: '1 000 sessions',
        figure: 'heapMb',
        unit: 'MB heap at the end',
        of: { figure: 'firstHeapMb' },
        atMost: 1.1,
      },
    ],
  },
  {
    row: 17,
    measure: "`import 'troupe'` cold",
    target: '≤ 150 ms and ≤ 1.2 × importing the SDK',
    cases: {
      'first import': { scenario: 'imported', adapters: ['troupe', 'sdk'], rounds: 9 },
    },
    checks: [
      { case: 'first import', figure: 'importMs', pick: 'low', unit: 'ms', atMost: 150 },
      { case: 'first import', figure: 'importMs', pick: 'low', unit: 'ms', of: of('sdk'), atMost: 1.2 },
    ],
  },
];
