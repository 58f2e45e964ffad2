import { describe, expect, it } from 'vitest';
import { CHILD_STATES } from '../../machines/child/child.events.ts';
import { childRecord, readChildRecord } from '../../src/session/child-record.ts';
import { readyChild } from '../machines/child-harness.ts';
import { CRASH } from '../machines/event-samples.ts';

describe('the record of a child', () => {
  it('is read as it was written, in every state (P7)', async () => {
    const { child, restartAt } = await readyChild();
    await restartAt(1_000);
    const { context } = child.getSnapshot();
    const parking = { reason: 'auth', until: null, note: 'Nobody is logged in.' } as const;

    for (const state of CHILD_STATES) {
      const record = childRecord({ ...context, parking, stoppedFor: CRASH }, state);
      expect(readChildRecord(record)).toEqual(record);
    }
  });

  it('is nothing when another release wrote what this one does not know', async () => {
    const { child } = await readyChild();
    const record = childRecord(child.getSnapshot().context, 'running');

    expect(readChildRecord(undefined)).toBeUndefined();
    expect(readChildRecord({ ...Object(record), state: 'levitating' })).toBeUndefined();
  });

  it('leaves out what JSON has no word for', async () => {
    const { child } = await readyChild();
    const cause = { ...CRASH, details: { exitCode: undefined, signal: 'SIGSEGV' } };
    const record = childRecord({ ...child.getSnapshot().context, cause }, 'quarantined');

    expect(readChildRecord(record)?.cause).toStrictEqual({ ...CRASH, details: { signal: 'SIGSEGV' } });
  });
});
