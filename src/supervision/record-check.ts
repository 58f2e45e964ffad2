import type { SessionSnapshot } from '../store/store.ts';
import type { SessionRecord, StoreRecord } from '../store/store-record.ts';

/** What is wrong with the records of a session, in a few words; undefined when it can be put together from them. */
export function flawIn({ records }: SessionSnapshot): string | undefined {
  return records
    .map((record) => (record.kind === 'session' ? flawInSession(record) : flawInOther(record)))
    .find(isFlaw);
}

/** They were checked by nobody since they were written, and code that reads them trusts their types. */
function flawInSession({ conversationIds, restarts, recoveries, groups }: SessionRecord): string | undefined {
  if (!isListOf('string', conversationIds)) return 'its conversations are no list';
  if (!isListOf('number', restarts) || !isListOf('number', recoveries ?? [])) return 'its restarts are no list';
  return isListOf('string', groups ?? []) ? undefined : 'its groups are no list';
}

function flawInOther({ kind, id }: StoreRecord & { readonly id?: unknown }): string | undefined {
  return typeof id === 'string' ? undefined : `a ${kind} has no id`;
}

function isListOf(type: 'string' | 'number', value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === type);
}

function isFlaw(flaw: string | undefined): flaw is string {
  return flaw !== undefined;
}
