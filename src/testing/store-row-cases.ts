import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Store, StoredEvent } from '../store/store.ts';
import { storedEventsOf } from '../store/stored-row.ts';
import { change, event, readAll, readApart, rejects, row, session, textOf, truncated } from './store-samples.ts';

const LINES = ['{"a":1}', '{"b":"ü😀"}', '{"long":"xxxxxxxxxxxxxxxxxxxx"}', '', '{"e":5}'];

/** Events 1 to 7: one, five in a row, one. */
const MIXED: readonly StoredEvent[] = [event(1, { at: 999 }), row(2, LINES), event(7, { at: 1_001 })];

/** What a store is expected to do where several lines were appended in one row. */
export const ROW_CASES: readonly (readonly [string, (store: Store, id: string) => Promise<void>])[] = [
  [
    'P7 lines that were appended in one row are as many events: the number of the next follows the last of them',
    async (store, id) => {
      await rejects(store.append(change(id, [row(1, LINES), event(2)])), 'STORE_CONFLICT');
      await rejects(store.append(change(id, [row(1, LINES, { count: 0 })])), 'STORE_CONFLICT');
      await store.append(change(id, [...MIXED]));
      deepStrictEqual(await store.head(id), { lastSeq: 7, firstSeq: 1, epoch: 1 });
      const all = await readApart(store, id);
      deepStrictEqual(
        all.map((one) => ('seq' in one ? one.seq : 0)),
        [1, 2, 3, 4, 5, 6, 7],
      );
      deepStrictEqual(all.slice(1, 6).map(textOf), LINES);
      await store.append(change(id, [event(8)]));
    },
  ],
  [
    'R81 a cursor inside a row gets what is behind it',
    async (store, id) => {
      await store.append(change(id, [...MIXED]));
      const apart = MIXED.flatMap(storedEventsOf).map((one) => ({ ...one, data: Uint8Array.from(one.data) }));
      for (let after = 0; after <= 7; after += 1) {
        const read = await readApart(store, id, after);
        deepStrictEqual(
          read.map((one) => ('data' in one ? { ...one, data: Uint8Array.from(one.data) } : one)),
          apart.slice(after),
        );
      }
    },
  ],
  [
    'reads long rows page by page, each event once',
    async (store, id) => {
      const lines = Array.from({ length: 300 }, (_, index) => `{"line":${index},"text":"${'x'.repeat(200)}"}`);
      for (let index = 0; index < 20; index += 1) await store.append(change(id, [row(index * 300 + 1, lines)]));
      const seqs = (await readApart(store, id, 450)).map((one) => ('seq' in one ? one.seq : 0));
      deepStrictEqual(
        seqs,
        Array.from({ length: 5_550 }, (_, index) => index + 451),
      );
    },
  ],
  [
    'retention by events cuts inside a row: as many are left as may be, and whoever reads is told where it begins',
    async (store, id) => {
      await store.append(change(id, [...MIXED]));
      deepStrictEqual(await store.prune({ maxEventsPerSession: 3 }), { events: 4, sessions: 0 });
      deepStrictEqual(await store.head(id), { lastSeq: 7, firstSeq: 5, epoch: 1 });
      const [told, ...rest] = await readApart(store, id);
      deepStrictEqual(told, truncated(0, 5));
      deepStrictEqual(rest.map(textOf), [LINES[3], LINES[4], '{"seq":7}']);
      deepStrictEqual(await store.prune({ maxEventsPerSession: 3 }), { events: 0, sessions: 0 });
      await store.append(change(id, [event(8)]));
      deepStrictEqual(await store.prune({ maxEventsPerSession: 1 }), { events: 3, sessions: 0 });
      deepStrictEqual(await readAll(store, id, 7), [event(8)]);
    },
  ],
  [
    'retention by size counts each line of a row as an event of its own, and cuts inside it',
    async (store, id) => {
      const lines = Array.from({ length: 10 }, () => 'x'.repeat(924));
      await store.append(change(id, [row(1, lines)]));
      deepStrictEqual(await store.prune({ maxBytes: 10 * 1_024 }), { events: 0, sessions: 0 });
      deepStrictEqual(await store.prune({ maxBytes: 3 * 1_024 + 1 }), { events: 7, sessions: 0 });
      strictEqual((await store.head(id))?.firstSeq, 8);
      await store.append(change(id, [event(11, { data: new Uint8Array(924) })]));
      deepStrictEqual(await store.prune({ maxBytes: 1_024 }), { events: 3, sessions: 0 });
      strictEqual((await store.head(id))?.firstSeq, 11);
    },
  ],
  [
    'retention by age and by sessions takes rows as a whole, and counts their events',
    async (store, id) => {
      await store.append(change(id, [...MIXED]));
      deepStrictEqual(await store.prune({ before: 1_001 }), { events: 6, sessions: 0 });
      await store.append(change(`${id}-over`, [row(1, LINES)], [session({ endedAt: 1 })]));
      deepStrictEqual(await store.prune({ maxEndedSessions: 0 }), { events: 5, sessions: 1 });
      strictEqual((await store.head(`${id}-over`))?.lastSeq, 5);
    },
  ],
];
