import { describe, expect, it } from 'vitest';
import { formerRecords, KeptRecords, ownRecords } from '../../src/session/kept-records.ts';
import type { LedgerRecord, StoreRecord } from '../../src/store/store-record.ts';

describe('records of what is over', () => {
  it('are bounded over every restart of the host: the oldest go, also those that another host wrote', () => {
    const kept = new KeptRecords(ownRecords(turns(1_000)));
    expect(kept.add('ledger', 'turn-1001')).toEqual([{ kind: 'ledger', id: 'turn-1' }]);
    expect(kept.add('ledger', 'turn-1001')).toEqual([]);
  });

  it('that are more than may be kept go together', () => {
    const kept = new KeptRecords(ownRecords(turns(1_003)));
    expect(kept.add('ledger', 'turn-1004').map(({ id }) => id)).toEqual(['turn-1', 'turn-2', 'turn-3', 'turn-4']);
  });

  it('of a session that had the id before go with the first word of the new one; only what it used is kept', () => {
    const prompt: StoreRecord = { kind: 'prompt', id: 'p', state: 'ended', acceptedAt: 1, content: null };
    const kept = new KeptRecords(formerRecords(70, [prompt, ...turns(1_000)]));
    expect(kept.begunAfter).toBe(70);
    expect(kept.takeStale()).toEqual([{ kind: 'prompt', id: 'p' }]);
    expect(kept.takeStale()).toEqual([]);
    expect(kept.add('ledger', 'turn-1-after-70')).toEqual([{ kind: 'ledger', id: 'turn-1' }]);
  });
});

function turns(count: number): LedgerRecord[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'ledger', id: `turn-${index + 1}`, at: index }));
}
