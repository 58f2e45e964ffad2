/** What `GET supervisor` tells, as far as the page shows it. */
export interface Supervision {
  readonly state: string;
  readonly because: string | undefined;
  readonly load: readonly (readonly [name: string, count: number])[];
  readonly groups: readonly GroupNode[];
  readonly accounts: readonly AccountRow[];
  readonly spent: readonly SpentRow[];
}

export interface GroupNode {
  readonly id: string;
  readonly state: string;
  readonly strategy: string;
  readonly because: string | undefined;
  /** Restarts that still count, of how many in how long. */
  readonly restarts: string;
  readonly startsAt: number | undefined;
  /** Sessions and groups, in order of start. */
  readonly children: readonly ChildNode[];
}

export interface ChildNode {
  readonly id: string;
  readonly state: string;
  readonly group: GroupNode | undefined;
}

export interface AccountRow {
  readonly key: string;
  readonly state: string;
  readonly sessions: number;
  readonly waiting: number;
  readonly resumesAt: number | undefined;
  readonly lock: string | undefined;
}

/** What one budget has spent, in dollars, and what it may. */
export interface SpentRow {
  readonly name: string;
  readonly spentUsd: number;
  readonly limitUsd: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads the answer; what is missing or of another shape is left out. */
export function supervisionOf(answer: unknown): Supervision | undefined {
  if (!isRecord(answer)) return undefined;
  return {
    state: textOf(answer['state']) ?? 'unknown',
    because: textOf(recordOf(answer['explanation'])['because']),
    load: Object.entries(recordOf(answer['load'])).flatMap(([name, count]) =>
      typeof count === 'number' ? [[name, count] as const] : [],
    ),
    groups: recordsOf(answer['groups']).map(groupOf),
    accounts: recordsOf(answer['accounts']).map(accountOf),
    spent: spentOf(recordOf(answer['ledger'])),
  };
}

function groupOf(value: Json): GroupNode {
  const { count, intensity, periodMs } = recordOf(value['restarts']);
  const period = typeof periodMs === 'number' ? ` in ${Math.round(periodMs / 1_000)} s` : '';
  return {
    id: textOf(value['id']) ?? '',
    state: textOf(value['state']) ?? 'unknown',
    strategy: textOf(value['strategy']) ?? '',
    because: textOf(value['because']),
    restarts: `${numberOf(count) ?? 0} of ${numberOf(intensity) ?? '?'} restarts${period}`,
    startsAt: numberOf(value['startsAt']),
    children: recordsOf(value['children']).map((child) => ({
      id: textOf(child['id']) ?? '',
      state: textOf(child['state']) ?? 'unknown',
      group: isRecord(child['group']) ? groupOf(child['group']) : undefined,
    })),
  };
}

function accountOf(value: Json): AccountRow {
  const countOf = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  return {
    key: textOf(value['key']) ?? '',
    state: textOf(value['state']) ?? 'unknown',
    sessions: countOf(value['sessions']),
    waiting: countOf(value['waiting']),
    resumesAt: numberOf(value['resumesAt']),
    lock: textOf(value['lock']),
  };
}

function spentOf(ledger: Json): SpentRow[] {
  const named = [
    ['in all', ledger['total']],
    ['today', ledger['day']],
    ...recordsOf(ledger['groups']).map((entry) => [`group ${textOf(entry['name']) ?? ''}`, entry]),
    ...recordsOf(ledger['keys']).map((entry) => [`key ${textOf(entry['name']) ?? ''}`, entry]),
  ] as const;
  return named.flatMap(([name, entry]) => {
    const record = recordOf(entry);
    const spentUsd = numberOf(recordOf(record['spent'])['usd']);
    const limitUsd = numberOf(recordOf(record['limits'])['usd']);
    return spentUsd === undefined ? [] : [{ name: String(name), spentUsd, limitUsd }];
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function recordsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
