import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store/store.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { ROW_CASES } from './store-row-cases.ts';
import {
  change,
  event,
  events,
  permission,
  prompt,
  readAll,
  rejects,
  session,
  textOf,
  truncated,
} from './store-samples.ts';

/** How the suite gets stores. */
export interface StoreSubject {
  /** A new, empty store; the suite closes it. */
  open(): Promise<Store>;
  /** The same store again after it was closed; only for those that outlive their process. */
  reopen?(store: Store): Promise<Store>;
}

type Check = (store: Store, sessionId: string) => Promise<Store | undefined>;
type Case = readonly [name: string, check: (store: Store, sessionId: string) => Promise<void>];

/**
 * What Troupe expects of a store, for any test runner: `for (const { name, run } of storeConformance(subject)) it(name, run);`.
 * Every case gets a store of its own.
 */
export function storeConformance(subject: StoreSubject): ConformanceCase[] {
  const { reopen } = subject;
  const always: [string, Check][] = [...CASES, ...ROW_CASES].map(([name, check]) => [
    name,
    async (store, id) => {
      await check(store, id);
      return undefined;
    },
  ]);
  const durable = reopen === undefined ? [] : durableCases((store) => reopen.call(subject, store));
  return [...always, ...durable].map(([name, check]) => ({
    name,
    run: async () => {
      const store = await subject.open();
      const last = await check(store, `session-${randomUUID()}`);
      await (last ?? store).close();
    },
  }));
}

const CASES: readonly Case[] = [
  [
    'P7 read returns what was appended: seq, epoch, time, type and the very bytes',
    async (store, id) => {
      const data = Uint8Array.from({ length: 256 }, (_, index) => index);
      const events = [
        event(1, { data }),
        event(2, { type: 'turn.ended', at: 17 }),
        event(3, { data: new Uint8Array() }),
      ];
      await store.append(change(id, events));
      deepStrictEqual(await readAll(store, id), events);
    },
  ],
  [
    'keeps bytes of its own: a line is a view of a block that may be used again once the line is kept',
    async (store, id) => {
      const block = Buffer.from('before|line|behind');
      await store.append(change(id, [event(1, { data: block.subarray(7, 11) })]));
      block.fill(0);
      strictEqual(textOf((await readAll(store, id))[0]), 'line');
    },
  ],
  [
    'a log may begin with a later number, once: who asks for what came before is told where it begins',
    async (store, id) => {
      const older = { ...change(id, [event(8, { epoch: 1 }), event(9, { epoch: 3 })], [session()], 3), firstSeq: 8 };
      await rejects(store.append({ ...older, epoch: 2 }), 'STORE_CONFLICT');
      await store.append(older);
      const emptied = `${id}-emptied`;
      await store.append({ ...change(emptied, []), firstSeq: 5 });
      deepStrictEqual(await store.head(id), { lastSeq: 9, firstSeq: 8, epoch: 3 });
      deepStrictEqual(await store.head(emptied), { lastSeq: 4, firstSeq: 5, epoch: 1 });
      deepStrictEqual(await readAll(store, id), [truncated(0, 8), ...older.events]);
      deepStrictEqual(await readAll(store, emptied), [truncated(0, 5)]);
      await rejects(store.append({ ...change(id, [event(10, { epoch: 3 })], [], 3), firstSeq: 10 }), 'STORE_CONFLICT');
      await rejects(store.append({ ...change(`${id}-wrong`, events(1, 1)), firstSeq: 2 }), 'STORE_CONFLICT');
      await store.append(change(id, [event(10, { epoch: 3 })], [], 3));
      await store.append(change(emptied, events(5, 5)));
      deepStrictEqual(await readAll(store, emptied, 4), events(5, 5));
    },
  ],
  [
    'P7 seq is dense: a gap and a repetition are refused as STORE_CONFLICT, and nothing of them is kept',
    async (store, id) => {
      await store.append(change(id, events(1, 3)));
      for (const wrong of [events(5, 5), events(3, 4), events(2, 2), [event(4), event(6)]]) {
        await rejects(store.append(change(id, wrong, [prompt('never')])), 'STORE_CONFLICT');
      }
      strictEqual((await readAll(store, id)).length, 3);
      strictEqual(await store.snapshot(id), undefined);
      await store.append(change(id, events(4, 4)));
    },
  ],
  [
    'a change of an incarnation that was replaced is refused as STORE_CONFLICT',
    async (store, id) => {
      await store.append(change(id, [event(1, { epoch: 2 })], [], 2));
      await rejects(store.append(change(id, [event(2, { epoch: 1 })], [], 1)), 'STORE_CONFLICT');
      await rejects(store.append(change(id, [event(2, { epoch: 3 })], [], 2)), 'STORE_CONFLICT');
      await store.append(change(id, [event(2, { epoch: 3 })], [], 3));
      deepStrictEqual(await store.head(id), { lastSeq: 2, firstSeq: 1, epoch: 3 });
    },
  ],
  [
    'changes that are appended without waiting are kept in the order of the calls',
    async (store, id) => {
      const appends = Array.from({ length: 500 }, (_, index) => store.append(change(id, [event(index + 1)])));
      await Promise.all(appends);
      const seqs = (await readAll(store, id)).map((one) => ('seq' in one ? one.seq : 0));
      deepStrictEqual(
        seqs,
        Array.from({ length: 500 }, (_, index) => index + 1),
      );
    },
  ],
  [
    'P10 a change that is refused does not hurt its neighbours',
    async (store, id) => {
      const results = await Promise.allSettled([
        store.append(change(id, events(1, 2))),
        store.append(change(`${id}-other`, events(2, 2))),
        store.append(change(`${id}-third`, events(1, 1))),
      ]);
      deepStrictEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      strictEqual((await store.head(`${id}-third`))?.lastSeq, 1);
      strictEqual(await store.head(`${id}-other`), undefined);
      strictEqual(store.health().state, 'open');
    },
  ],
  [
    'sessions are kept apart, whatever their names',
    async (store, id) => {
      const names = [id, `${id}'; --`, `${id}%`, `${id} ü😀`, id.toUpperCase()];
      for (const name of names) await store.append(change(name, [event(1, { type: name })]));
      for (const name of names)
        deepStrictEqual(
          (await readAll(store, name)).map(({ type }) => type),
          [name],
        );
    },
  ],
  [
    'R81 read begins behind the cursor and ends at what was durable when it was called',
    async (store, id) => {
      await store.append(change(id, events(1, 5)));
      deepStrictEqual(await readAll(store, id, 3), events(4, 5));
      deepStrictEqual(await readAll(store, id, 5), []);
      deepStrictEqual(await readAll(store, 'unknown'), []);
      strictEqual(await store.head('unknown'), undefined);
    },
  ],
  [
    'reads 3 000 events and lines of a megabyte, page by page',
    async (store, id) => {
      const large = event(3_001, { data: new Uint8Array(2 ** 20).fill(120) });
      await store.append(change(id, events(1, 3_000)));
      await store.append(change(id, [large, event(3_002)]));
      const all = await readAll(store, id);
      strictEqual(all.length, 3_002);
      deepStrictEqual(all[3_000], large);
    },
  ],
  [
    'P7 events and records change together, and a snapshot with the events behind it is the whole state',
    async (store, id) => {
      await store.append(change(id, events(1, 2), [session(), prompt('p1')]));
      const early = await store.snapshot(id);
      await store.append(change(id, events(3, 4), [prompt('p1', 'ended'), prompt('p2')]));
      deepStrictEqual(early?.records, [session(), prompt('p1')]);
      strictEqual(early?.lastSeq, 2);
      deepStrictEqual(await readAll(store, id, early?.lastSeq), events(3, 4));
      const late = await store.snapshot(id);
      deepStrictEqual(late?.records, [session(), prompt('p1', 'ended'), prompt('p2')]);
      strictEqual(late?.lastSeq, 4);
    },
  ],
  [
    'records of one kind are known by their id, and are gone when they are forgotten',
    async (store, id) => {
      await store.append(change(id, events(1, 1), [prompt('same'), permission('same')]));
      await store.append({ ...change(id, events(2, 2)), forget: [{ kind: 'prompt', id: 'same' }] });
      deepStrictEqual((await store.snapshot(id))?.records, [permission('same')]);
      await store.append(change(`${id}-other`, events(1, 1), [prompt('same')]));
      deepStrictEqual((await store.snapshot(id))?.records, [permission('same')]);
    },
  ],
  [
    'what the caller changes in a record after the call does not reach the store, not even while it waits',
    async (store, id) => {
      const content = { text: 'before' };
      const appended = store.append(change(id, events(1, 1), [{ ...prompt('p1'), content }]));
      content.text = 'after';
      await appended;
      const [kept] = (await store.snapshot(id))?.records ?? [];
      deepStrictEqual(kept?.kind === 'prompt' ? kept.content : undefined, { text: 'before' });
    },
  ],
  [
    'one live process per conversation: a second session that opens it is refused with who has it',
    async (store, id) => {
      const other = `${id}-other`;
      await store.append(change(id, events(1, 1), [session({ openConversation: 'c1' })]));
      const opening = change(other, events(1, 1), [session({ openConversation: 'c1' })]);
      const error = await rejects(store.append(opening), 'CONVERSATION_IN_USE');
      strictEqual(error.details['holder'], id);
      strictEqual(await store.head(other), undefined);
      await store.append(change(id, events(2, 2), [session({ openConversation: 'c1' })]));
      await store.append(change(id, events(3, 3), [session()]));
      await store.append(opening);
    },
  ],
  [
    'sessions() names every session that has a record, once, in the order of their first change',
    async (store, id) => {
      const names = Array.from({ length: 450 }, (_, index) => `${id}-${index}`);
      await Promise.all(names.map((name) => store.append(change(name, events(1, 1), [session()]))));
      await store.append(change(`${id}-bare`, events(1, 1)));
      const listed = [];
      for await (const entry of store.sessions()) listed.push(entry);
      deepStrictEqual(
        listed.map(({ sessionId }) => sessionId),
        names,
      );
      deepStrictEqual(listed[0], { sessionId: names[0], lastSeq: 1, firstSeq: 1, epoch: 1, record: session() });
    },
  ],
  [
    'retention by events: the oldest of a long log go, and a late reader is told where it begins',
    async (store, id) => {
      await store.append(change(id, events(1, 10)));
      await store.append(change(`${id}-short`, events(1, 2)));
      deepStrictEqual(await store.prune({ maxEventsPerSession: 4 }), { events: 6, sessions: 0 });
      deepStrictEqual(await readAll(store, id, 2), [truncated(2, 7), ...events(7, 10)]);
      deepStrictEqual(await readAll(store, id, 6), events(7, 10));
      strictEqual((await readAll(store, `${id}-short`)).length, 2);
      deepStrictEqual(await store.head(id), { lastSeq: 10, firstSeq: 7, epoch: 1 });
      await store.append(change(id, events(11, 11)));
    },
  ],
  [
    'retention by age: what came before the moment goes, of every session',
    async (store, id) => {
      const other = `${id}-other`;
      for (const at of [10, 20, 30]) {
        const seq = at / 10;
        await store.append(change(id, [event(seq, { at })]));
        await store.append(change(other, [event(seq, { at })]));
      }
      deepStrictEqual(await store.prune({ before: 30 }), { events: 4, sessions: 0 });
      deepStrictEqual(await readAll(store, id), [truncated(0, 3), event(3, { at: 30 })]);
      deepStrictEqual(await readAll(store, other), [truncated(0, 3), event(3, { at: 30 })]);
      deepStrictEqual(await store.prune({ before: 31 }), { events: 2, sessions: 0 });
      deepStrictEqual(await readAll(store, id), [truncated(0, 4)]);
      await store.append(change(id, [event(4)]));
    },
  ],
  [
    'retention by size: the first that came go until the rest fits, each counted with 100 bytes more than its data',
    async (store, id) => {
      const kilobyte = new Uint8Array(924);
      for (let seq = 1; seq <= 10; seq += 1) await store.append(change(id, [event(seq, { data: kilobyte })]));
      deepStrictEqual(await store.prune({ maxBytes: 3 * 1_024 + 1 }), { events: 7, sessions: 0 });
      deepStrictEqual(await store.prune({ maxBytes: 3 * 1_024 }), { events: 0, sessions: 0 });
      strictEqual((await store.head(id))?.firstSeq, 8);
    },
  ],
  [
    'retention by sessions: of those that ended, the first go with log and records; one of the same name goes on counting',
    async (store, id) => {
      for (const [name, endedAt] of [
        ['a', 3],
        ['b', 1],
        ['c', 2],
      ] as const) {
        await store.append(change(`${id}-${name}`, events(1, 2), [session({ endedAt }), prompt('p')]));
      }
      await store.append(change(id, events(1, 2), [session({ openConversation: 'c' })]));
      deepStrictEqual(await store.prune({ maxEndedSessions: 1 }), { events: 4, sessions: 2 });
      strictEqual(await store.snapshot(`${id}-b`), undefined);
      deepStrictEqual(await readAll(store, `${id}-c`), [truncated(0, 3)]);
      strictEqual((await store.snapshot(`${id}-a`))?.records.length, 2);
      strictEqual((await store.snapshot(id))?.records.length, 1);
      await rejects(store.append(change(`${id}-b`, events(1, 1))), 'STORE_CONFLICT');
      await store.append(change(`${id}-b`, events(3, 3), [session()]));
      deepStrictEqual((await store.snapshot(`${id}-b`))?.records, [session()]);
    },
  ],
  [
    'a policy without bounds forgets nothing',
    async (store, id) => {
      await store.append(change(id, events(1, 3), [session({ endedAt: 1 })]));
      deepStrictEqual(await store.prune({}), { events: 0, sessions: 0 });
      strictEqual((await readAll(store, id)).length, 3);
    },
  ],
  [
    'close keeps what waits; afterwards everything is refused as STORE_CLOSED, and closing again is fine',
    async (store, id) => {
      const last = store.append(change(id, events(1, 1)));
      await store.close();
      await last;
      strictEqual(store.health().state, 'closed');
      await rejects(store.append(change(id, events(2, 2))), 'STORE_CLOSED');
      await rejects(store.head(id), 'STORE_CLOSED');
      await rejects(store.snapshot(id), 'STORE_CLOSED');
      await rejects(store.room(), 'STORE_CLOSED');
      await rejects(store.prune({}), 'STORE_CLOSED');
      await rejects(readAll(store, id), 'STORE_CLOSED');
      await store.close();
    },
  ],
];

function durableCases(reopen: (store: Store) => Promise<Store>): [string, Check][] {
  return [
    [
      'P7 what was kept is there after close and reopen: log, records, heads, marks of truncation',
      async (store, id) => {
        await store.append(change(id, events(1, 9), [session({ openConversation: 'c1' }), prompt('p1')]));
        await store.prune({ maxEventsPerSession: 2 });
        await store.close();
        const again = await reopen(store);
        deepStrictEqual(await readAll(again, id), [truncated(0, 8), ...events(8, 9)]);
        deepStrictEqual(await again.snapshot(id), {
          ...{ lastSeq: 9, firstSeq: 8, epoch: 1 },
          records: [session({ openConversation: 'c1' }), prompt('p1')],
        });
        await rejects(again.append(change(id, events(9, 9))), 'STORE_CONFLICT');
        await again.append(change(id, events(10, 10)));
        return again;
      },
    ],
  ];
}
