import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../src/store/store.ts';
import { behind, firstWeighing, inRows, storedEventsOf, weightOf, withoutFirst } from '../../src/store/stored-row.ts';
import { isLine } from '../../src/store/stored-session-event.ts';

const KINDS = ['message/stream_event', 'message/assistant', 'prompt.ended', 'message/result/x/translated'];

const anyEvents = fc
  .array(
    fc.record({
      type: fc.constantFrom(...KINDS),
      at: fc.constantFrom(1, 2),
      epoch: fc.constantFrom(1, 2),
      data: fc.oneof(fc.string(), fc.constantFrom('', 'two\nlines', '\n')).map((text) => Buffer.from(text)),
    }),
  )
  .map((all) => all.map((one, index): StoredEvent => ({ seq: index + 1, ...one })));

describe('events in rows (P7)', () => {
  it('are the same events when they are taken apart, whatever their lines hold', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const rows = inRows(events, isLine);
        expect(plain(rows.flatMap(storedEventsOf))).toEqual(plain(events));
        for (const [index, row] of rows.entries()) {
          const next = rows[index + 1];
          expect(row.seq + (row.count ?? 1)).toBe(next?.seq ?? events.length + 1);
        }
      }),
    );
  });

  it('share a row where they are lines of one kind, moment and incarnation, up to 64 KiB', () => {
    const line = (seq: number, more: Partial<StoredEvent> = {}): StoredEvent => {
      return { seq, epoch: 1, at: 1, type: 'message/stream_event', data: Buffer.from('{}'), ...more };
    };
    const counts = (events: readonly StoredEvent[]) => inRows(events, isLine).map(({ count }) => count ?? 1);

    expect(counts([line(1), line(2), line(3)])).toEqual([3]);
    expect(counts([line(1), line(2, { at: 2 }), line(3, { at: 2 }), line(4, { epoch: 2, at: 2 })])).toEqual([1, 2, 1]);
    expect(counts([line(1), line(2, { type: 'message/assistant' }), line(3)])).toEqual([1, 1, 1]);
    expect(counts([1, 2].map((seq) => line(seq, { type: 'turn.started' })))).toEqual([1, 1]);
    expect(counts([1, 2].map((seq) => line(seq, { data: Buffer.from('a\nb') })))).toEqual([1, 1]);
    const half = Buffer.alloc(32 * 1024, 120);
    expect(counts([1, 2, 3].map((seq) => line(seq, { data: half })))).toEqual([1, 1, 1]);
    expect(counts([1, 2, 3].map((seq) => line(seq, { data: half.subarray(1) })))).toEqual([2, 1]);
  });

  it('can be cut at any place, and weigh as if each stood alone', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\n]*$/), { minLength: 1 }), fc.nat(5_000), (lines, excess) => {
        const data = Buffer.from(lines.join('\n'));
        const row: StoredEvent = { seq: 5, epoch: 1, at: 1, type: KINDS[0] ?? '', data, count: lines.length };
        const apart = storedEventsOf(row);
        for (let gone = 0; gone <= lines.length; gone += 1) {
          const rest = withoutFirst(row, gone);
          expect(plain(rest === undefined ? [] : storedEventsOf(rest))).toEqual(plain(apart.slice(gone)));
          expect(behind(row, 4 + gone)).toEqual(rest);
        }
        const weights = apart.map((one) => weightOf(one.data.length, 1));
        expect(weightOf(data.length, lines.length)).toBe(weights.reduce((sum, one) => sum + one, 0));
        const gone = firstWeighing(row, excess);
        const weightOfFirst = (count: number) => weights.slice(0, count).reduce((sum, one) => sum + one, 0);
        expect(weightOfFirst(gone) >= excess || gone === lines.length).toBe(true);
        if (gone > 0) expect(weightOfFirst(gone - 1)).toBeLessThan(excess);
      }),
    );
  });

  it('are as many as the row says, whatever stands in it (P6)', () => {
    const row = { seq: 1, epoch: 1, at: 1, type: 'message/stream_event', data: Buffer.from('a\nb') };

    expect(plain(storedEventsOf({ ...row, count: 4 })).map(({ text }) => text)).toEqual(['a', 'b', '', '']);
    expect(plain(storedEventsOf({ ...row, count: 1 })).map(({ text }) => text)).toEqual(['a\nb']);
  });
});

function plain(events: readonly StoredEvent[]) {
  return events.map(({ seq, epoch, at, type, data }) => ({ seq, epoch, at, type, text: Buffer.from(data).toString() }));
}
