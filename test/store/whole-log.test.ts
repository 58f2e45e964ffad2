import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { ObservedEvent } from '../../src/store/session-event.ts';
import { storedEventOf } from '../../src/store/stored-session-event.ts';
import { historyOf, type LogHistory } from '../../src/store/whole-log.ts';
import { line, openLog, shortForm } from './log-harness.ts';

describe('a cursor that is older than what memory holds (P7)', () => {
  it('is served from the store, then from memory, then live, without a gap and without anything twice', async () => {
    const { log, append } = storedLog({ maxItems: 3 });
    await append(10);
    const reader = log.follow({ from: 2 });
    const replayed = await take(reader, 9);
    await append(2);

    expect(replayed).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 'replayed to 10']);
    expect(await take(reader, 2)).toEqual([11, 12]);
  });

  it('is told first what nobody holds any more', async () => {
    const { log, append, store } = storedLog({ maxItems: 3 });
    await append(10);
    await store.prune({ maxEventsPerSession: 5 });

    expect(await take(log.follow({ from: 2 }), 6)).toEqual(['asked 2, begins 6', 6, 7, 8, 9, 10]);
  });

  it('misses nothing of what is logged while it reads, however much that is (P9)', async () => {
    const { log, append } = storedLog({ maxItems: 2, subscriber: { maxItems: 2, maxBytes: 1_000_000 } });
    await append(5);
    const reader = log.follow({ from: 0 });
    const seen = await take(reader, 2);
    await append(20);
    log.finish();

    expect([...seen, ...(await take(reader, 100))].filter((event) => typeof event === 'number')).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
  });

  it('closes the reading of the store when it is cancelled, also before the first pull', async () => {
    let open = 0;
    const history: LogHistory = async function* () {
      open += 1;
      try {
        for (let seq = 1; ; seq += 1) yield { ...line(), seq, epoch: 1, at: 0 };
      } finally {
        open -= 1;
      }
    };
    const { log, append } = openLog({ maxItems: 1 }, { history });
    append(50);
    await log.follow({ from: 0 }).return?.();
    for await (const event of log.follow({ from: 0 })) if ('seq' in event && event.seq === 3) break;

    expect(open).toBe(0);
    expect(log.subscribers).toBe(0);
  });

  it('holds, however appends, readers of any speed, cursors and retention are mixed', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ kind: fc.constant('read' as const), reader: fc.nat(3), count: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('open' as const), reader: fc.nat(3), from: fc.nat(30) }),
      fc.record({ kind: fc.constant('prune' as const), keep: fc.integer({ min: 3, max: 12 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { log, append, store } = storedLog({ maxItems: 3, subscriber: { maxItems: 3, maxBytes: 1_000_000 } });
        const readers = new Map<number, { from: number; seen: ObservedEvent[]; next: () => Promise<boolean> }>();
        for (const each of steps) {
          if (each.kind === 'append') await append(each.count);
          if (each.kind === 'prune') await store.prune({ maxEventsPerSession: each.keep });
          if (each.kind === 'open') {
            // A cursor that is ahead of the log begins at its end.
            const from = Math.min(each.from, log.lastSeq);
            readers.set(each.reader, readerOf(log.follow({ from: each.from }), from));
          }
          if (each.kind !== 'read') continue;
          const reader = readers.get(each.reader);
          // One that has everything would wait.
          for (let pull = 0; pull < each.count && reader !== undefined && isBehind(reader, log.lastSeq); pull += 1) {
            await reader.next();
          }
        }
        log.finish();
        for (const reader of readers.values()) {
          while (await reader.next());
          expect(holesOf(reader.seen, reader.from, log.lastSeq)).toEqual([]);
        }
      }),
    );
  });
});

function storedLog(limits: Parameters<typeof openLog>[0]) {
  const store = new MemoryStore();
  const history = historyOf(store, 's');
  const { log } = openLog(limits, { history });
  return {
    log,
    store,
    /** Durable before it is told, as with a store. */
    append: async (count: number) => {
      for (let number = 0; number < count; number += 1) {
        const event = { ...line(), seq: log.lastSeq + 1, epoch: 1, at: 1_700 };
        await store.append({ sessionId: 's', epoch: 1, events: [storedEventOf(event)] });
        log.append(1, line());
      }
    },
  };
}

async function take(reader: AsyncIterableIterator<ObservedEvent>, count: number): Promise<(number | string)[]> {
  const taken: (number | string)[] = [];
  while (taken.length < count) {
    const { done, value } = await reader.next();
    if (done === true) return taken;
    taken.push(shortForm(value));
  }
  return taken;
}

function readerOf(reader: AsyncIterableIterator<ObservedEvent>, from: number) {
  const seen: ObservedEvent[] = [];
  const next = async () => {
    const { done, value } = await reader.next();
    if (done !== true) seen.push(value);
    return done !== true;
  };
  return { from, seen, next };
}

function isBehind({ seen, from }: { seen: readonly ObservedEvent[]; from: number }, lastSeq: number): boolean {
  const last = seen.findLast((event) => 'seq' in event);
  const hasReplayed = seen.some(({ type }) => type === 'replay.completed');
  return !hasReplayed || (last === undefined ? from : last.seq) < lastSeq;
}

/** Whatever is neither seen nor told as missing, or told twice, on the way from the cursor to the end of the log. */
function holesOf(seen: readonly ObservedEvent[], from: number, lastSeq: number): unknown[] {
  const faults: unknown[] = [];
  let last = from;
  for (const event of seen) {
    if (event.type === 'replay.completed') continue;
    const [first, end] =
      event.type === 'log.truncated'
        ? [event.from + 1, event.firstSeq - 1]
        : event.type === 'subscriber.lagged'
          ? [event.from, event.to]
          : [event.seq, event.seq];
    if (first !== last + 1) faults.push({ event, last });
    last = end;
  }
  if (last !== lastSeq) faults.push({ last, lastSeq });
  return faults;
}
