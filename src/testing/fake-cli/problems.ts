import type { JournalEntry, Surprise, ViolationKind } from './journal.ts';
import type { Match, Rule, Scenario } from './scenario.ts';

/** What a test should look at: a violation of the host, or a rule that was not taken as often as it says. */
export interface Problem {
  readonly kind: ViolationKind | 'rule-count';
  /** The step or rule of the scenario, where one is concerned. */
  readonly at: string | undefined;
  /** The whole of it in one line. */
  readonly text: string;
}

/** Every problem of the processes of one fake so far, in order; rules come last. */
export function problemsOf(scenario: Scenario, journal: readonly JournalEntry[]): Problem[] {
  const violations = journal.flatMap((entry) =>
    entry.kind === 'violation' ? [broken(entry.violation, entry.detail, entry.surprise, entry.pid)] : [],
  );
  const taken = journal.flatMap((entry) => (entry.kind === 'rule' ? [entry.place] : []));
  return [...violations, ...counted(scenario).flatMap((rule) => miscounted(rule, taken))];
}

/** The problems as a test runner shows them. */
export function told(problems: readonly Problem[]): string {
  const lines = problems.map(({ text }, index) => `${index + 1}. ${text}`);
  return [`The fake CLI saw ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`, ...lines].join(
    '\n',
  );
}

function broken(kind: ViolationKind, detail: string, surprise: Surprise | undefined, pid: number): Problem {
  if (surprise === undefined) return { kind, at: undefined, text: `${kind} (process ${pid}): ${detail}` };
  const { at, expected, got } = surprise;
  return { kind, at, text: `${at} (process ${pid})\n   expected ${expected}\n   got      ${got}` };
}

type Counted = Rule & { readonly times: number; readonly place: string };

function counted({ rules = [], perStart = [] }: Scenario): Counted[] {
  const placed = (list: readonly Rule[], origin: string) =>
    list.flatMap((rule, index) =>
      rule.times === undefined ? [] : [{ ...rule, times: rule.times, place: `${origin}rules[${index}]` }],
    );
  const own = perStart.flatMap((entry, index) => placed(entry.rules ?? [], `perStart[${index}].`));
  return [...placed(rules, ''), ...own];
}

function miscounted({ place, times, on }: Counted, taken: readonly string[]): Problem[] {
  const count = taken.filter((one) => one === place).length;
  if (count === times) return [];
  const text = `${place} (${described(on)})\n   expected to be taken ${times} times\n   got      ${count}`;
  return [{ kind: 'rule-count', at: place, text }];
}

function described({ kind, ...match }: Match): string {
  const facts = Object.entries(match).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [kind, ...facts].join(' ');
}
