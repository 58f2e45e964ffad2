import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/store/event-log.ts';
import { FleetCursor } from '../../src/supervision/fleet-cursor.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { type FleetReaderEvent, FleetStream } from '../../src/supervision/fleet-stream.ts';
import { memoryStage, sendPrompt } from '../session/memory-cli.ts';
import { line, openLog } from '../store/log-harness.ts';

type Told = FleetEvent | FleetReaderEvent;

describe('a cursor of the fleet (P7)', () => {
  it('is a short text, also for five hundred sessions with long ids, and means the same when it is read again', () => {
    const seqs = Array.from(
      { length: 500 },
      (_, index) => [`session-${index}-${'x'.repeat(60)}`, index * 977] as const,
    );
    const text = FleetCursor.of(seqs, 1_764_000_000_000).toString();
    const again = FleetCursor.parse(text);

    expect(text.length).toBeLessThan(8_000);
    expect(again.at).toBe(1_764_000_000_000);
    expect(seqs.map(([id]) => again.seqOf(id))).toEqual(seqs.map(([, seq]) => seq));
    expect(again.seqOf('another')).toBeUndefined();
  });

  const inexact = Buffer.from([1, 2, 3, 4, 5, 6, 255, 255, 255, 255, 255, 255, 255, 127]).toString('base64url');
  it.each(['', 'x', '1', '1.0', '2.0.', '1.0.AAAA', '1.-1.', '1.zzzzzzbyaqo00000000000000.', `1.0.${inexact}`])(
    'is refused when it is none: "%s"',
    (text) => {
      expect(() => FleetCursor.parse(text)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
    },
  );
});

describe('reading the fleet (P7, P9)', () => {
  it('gives what was there, says where that ends, and goes on live; another reading goes on at its cursor', async () => {
    const { supervisor, session, cli } = await memoryStage();
    const first = supervisor.events();
    const replayed: Told[] = [];
    for await (const event of first) {
      if (event.type === 'replay.completed') break;
      replayed.push(event);
    }
    const { cursor } = first;
    const second = supervisor.events({ from: cursor });
    await sendPrompt(session, cli());
    const told = [await second.next(), await second.next()].map(({ value }) => value);

    expect(seqsOf(replayed, 'review')).toEqual(oneTo(replayed.length));
    expect(told).toMatchObject([{ type: 'replay.completed' }, { type: 'prompt.accepted', seq: replayed.length + 1 }]);
    await supervisor.shutdown();
  });

  it('ends a pull that waits, and listens to nobody any more', async () => {
    const fleet = openFleet();
    const stream = fleet.open();
    await stream.next();
    const waiting = stream.next();
    await stream.return();

    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(fleet.listeners()).toBe(0);
  });

  it('tells a slow reader which events the log has dropped, and goes on behind them', async () => {
    const fleet = openFleet(3);
    fleet.append('a', 1);
    const stream = fleet.open();
    fleet.append('a', 9);

    expect(await take(stream, 4)).toMatchObject([
      { type: 'log.truncated', sessionId: 'a', from: 0, firstSeq: 8 },
      { type: 'replay.completed' },
      { seq: 8 },
      { seq: 9 },
    ]);
  });

  it('misses nothing in silence and tells nothing twice, in any order of appends, pulls and readings', async () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), id, count: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('pull' as const), count: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind: fc.constant('reconnect' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const fleet = openFleet(4);
        let stream = fleet.open();
        const told: Told[] = [];
        for (const each of steps) {
          if (each.kind === 'append') fleet.append(each.id, each.count);
          if (each.kind === 'pull') told.push(...(await takeNow(stream, each.count)));
          if (each.kind !== 'reconnect') continue;
          const { cursor } = stream;
          stream.close();
          stream = fleet.open(cursor);
        }
        told.push(...(await takeNow(stream, Number.POSITIVE_INFINITY)));
        for (const [session, log] of fleet.logs) expect(holesOf(told, session, log)).toEqual([]);
      }),
    );
  });
});

function openFleet(maxItems = 1_000) {
  const logs = new Map<string, EventLog>();
  const listeners = new Set<(event: FleetEvent) => void>();
  const listen = (hear: (event: FleetEvent) => void) => {
    listeners.add(hear);
    return () => listeners.delete(hear);
  };
  return {
    logs,
    listeners: () => listeners.size,
    open: (from?: string) =>
      new FleetStream({
        from: from === undefined ? undefined : FleetCursor.parse(from),
        living: () => [...logs].map(([id, log]) => ({ id, log })),
        logOf: (id) => logs.get(id),
        listen,
      }),
    append: (id: string, count: number) => {
      let log = logs.get(id);
      if (log === undefined) {
        log = openLog({ maxItems }).log;
        log.listen((event) => {
          for (const hear of [...listeners]) hear({ ...event, sessionId: id });
        });
        logs.set(id, log);
      }
      for (let number = 0; number < count; number += 1) log.append(1, line());
    },
  };
}

async function take(stream: FleetStream, count: number): Promise<Told[]> {
  const told: Told[] = [];
  while (told.length < count) told.push((await stream.next()).value);
  return told;
}

/** As many as are there; the pull that would wait is answered by the end of the stream. */
async function takeNow(stream: FleetStream, count: number): Promise<Told[]> {
  const told: Told[] = [];
  while (told.length < count && stream.hasMore) {
    const { value } = await stream.next();
    if (value !== undefined) told.push(value);
  }
  return told;
}

function holesOf(told: readonly Told[], id: string, log: EventLog): unknown[] {
  const faults: unknown[] = [];
  let last = 0;
  for (const event of told) {
    if (!('sessionId' in event) || event.sessionId !== id) continue;
    if (event.type === 'log.truncated') {
      if (event.from !== last) faults.push({ event, last });
      last = event.firstSeq - 1;
    } else if ('seq' in event) {
      if (event.seq !== last + 1) faults.push({ event, last });
      last = event.seq;
    }
  }
  if (last !== log.lastSeq) faults.push({ last, lastSeq: log.lastSeq });
  return faults;
}

function seqsOf(told: readonly Told[], id: string): number[] {
  return told.flatMap((event) => ('seq' in event && event.sessionId === id ? [event.seq] : []));
}

function oneTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
