import type { Change, RecordName } from './store.ts';
import type { StoreRecord } from './store-record.ts';

/** What is so because of an event. */
export interface RecordChange {
  readonly records: readonly StoreRecord[];
  readonly forget?: readonly RecordName[];
}

/** Of what several events changed, the newest of each record. */
export function newestRecords(
  changes: readonly Partial<RecordChange>[],
  { claimsConversation }: { readonly claimsConversation: boolean },
): Pick<Change, 'records' | 'forget'> {
  const records = new Map<string, StoreRecord>();
  const forget = new Map<string, RecordName>();
  for (const change of changes) {
    for (const record of change.records ?? []) {
      const name = nameOf(record);
      forget.delete(name);
      records.set(name, record);
    }
    for (const gone of change.forget ?? []) {
      const name = `${gone.kind} ${gone.id}`;
      records.delete(name);
      forget.set(name, gone);
    }
  }
  if (!claimsConversation) yieldConversation(records);
  return { records: [...records.values()], forget: [...forget.values()] };
}

function nameOf(record: StoreRecord): string {
  return record.kind === 'session' ? 'session' : `${record.kind} ${record.id}`;
}

function yieldConversation(records: Map<string, StoreRecord>): void {
  const record = records.get('session');
  if (record?.kind !== 'session') return;
  const { openConversation: _claimed, ...rest } = record;
  records.set('session', rest);
}
