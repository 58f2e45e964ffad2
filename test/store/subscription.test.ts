import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { from, line, openLog, takeAll } from './log-harness.ts';

const TEN_ITEMS = { subscriber: { maxItems: 10, maxBytes: 1_000_000 } };
const TWO_KILOBYTES = { subscriber: { maxItems: 1_000, maxBytes: 2_000 } };

describe('a slow reader', () => {
  it('is told exactly what it missed, and nobody else notices (P6, P9)', async () => {
    const { log, append } = openLog(TEN_ITEMS);
    const slow = log.read({ from: 0 });
    const fast = log.read({ from: 0 });
    const taken: (number | string)[] = [];
    for (let round = 0; round < 25; round += 1) {
      append();
      taken.push(...(await takeAll(fast)));
    }
    expect(taken).toEqual(['replayed to 0', ...from(1, 25)]);
    expect(await takeAll(slow)).toEqual(['missed 1-20 (20)', 'replayed to 0', ...from(21, 25)]);
    append();
    expect(await takeAll(slow)).toEqual([26]);
  });

  it('never holds more items than its limit', () => {
    const { log, append } = openLog(TEN_ITEMS);
    const reader = log.read({ from: 0 });
    for (let round = 0; round < 1_000; round += 1) {
      append();
      expect(reader.waiting).toBeLessThanOrEqual(10 + 2);
    }
  });

  it('never holds more bytes than its limit', async () => {
    const { log } = openLog(TWO_KILOBYTES);
    const reader = log.read({ from: 0 });
    await takeAll(reader);
    for (let number = 0; number < 12; number += 1) log.append(1, line('x'.repeat(300)));
    expect(await takeAll(reader)).toEqual(['missed 1-8 (8)', ...from(9, 12)]);
  });

  it('that keeps up is never told to lag, however much it took in all', async () => {
    const { log } = openLog(TWO_KILOBYTES);
    const reader = log.read({ from: 0 });
    await takeAll(reader);
    for (let round = 0; round < 50; round += 1) {
      const seq = log.append(1, line('x'.repeat(600))).seq;
      log.append(1, line('x'.repeat(600)));
      expect(await takeAll(reader)).toEqual([seq, seq + 1]);
    }
  });

  it('gets an event that alone is over its limit, for nothing is dropped in silence (P6)', async () => {
    const { log, append } = openLog(TWO_KILOBYTES);
    const reader = log.read({ from: 0 });
    await takeAll(reader);
    log.append(1, line('x'.repeat(5_000)));
    expect(await takeAll(reader)).toEqual([1]);
    append(2);
    log.append(1, line('x'.repeat(5_000)));
    expect(await takeAll(reader)).toEqual(['missed 2-3 (2)', 4]);
  });

  it('accounts for every number once, however often it lags (P6)', async () => {
    const { log, append } = openLog(TEN_ITEMS);
    const reader = log.read({ from: 0 });
    const accounted: number[] = [];
    for (const burst of [3, 12, 45, 1, 0, 11, 10, 9, 100]) {
      append(burst);
      if (burst % 2 === 0) continue;
      for (const entry of await takeAll(reader)) {
        const range = /^missed (\d+)-(\d+)/.exec(String(entry));
        if (typeof entry === 'number') accounted.push(entry);
        if (range !== null) accounted.push(...from(Number(range[1]), Number(range[2])));
      }
    }
    for (const entry of await takeAll(reader)) {
      const range = /^missed (\d+)-(\d+)/.exec(String(entry));
      if (typeof entry === 'number') accounted.push(entry);
      if (range !== null) accounted.push(...from(Number(range[1]), Number(range[2])));
    }
    expect(accounted).toEqual(from(1, log.lastSeq));
  });

  it('does not lag because of a long replay: the log holds that anyway', async () => {
    const { log, append } = openLog(TEN_ITEMS);
    append(500);
    const reader = log.read({ from: 0 });
    append(10);
    expect(await takeAll(reader)).toEqual([...from(1, 500), 'replayed to 500', ...from(501, 510)]);
  });

  it('has its live events counted right after a replay was taken', async () => {
    const { log, append } = openLog(TWO_KILOBYTES);
    append(100);
    const reader = log.read({ from: 0 });
    append(1);
    for (let taken = 0; taken < 90; taken += 1) await reader.next();
    append(20);
    const rest = await takeAll(reader);
    expect(rest.filter((entry) => typeof entry === 'string' && entry.startsWith('missed'))).toHaveLength(1);
  });

  it('keeps what it was told about the log when it lags in the middle of a replay (P6)', async () => {
    const { log, append } = openLog({ maxItems: 20, ...TEN_ITEMS });
    append(50);
    const reader = log.read({ from: 5 });
    append(25);
    const told = await takeAll(reader);
    expect(told).toEqual(['asked 5, begins 31', 'missed 31-70 (40)', 'replayed to 50', ...from(71, 75)]);
  });
});

describe('a reader that leaves', () => {
  it('gets nothing any more and costs nothing', async () => {
    const { log, append } = openLog();
    const reader = log.read({ from: 0 });
    append(3);
    expect(log.subscribers).toBe(1);
    expect(await reader.return()).toEqual({ done: true, value: undefined });
    append(3);
    expect(log.subscribers).toBe(0);
    expect(reader.waiting).toBe(0);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('leaves by a break out of its loop', async () => {
    const { log, append } = openLog();
    append(3);
    for await (const event of log.read({ from: 0 })) if (event.type === 'stderr') break;
    expect(log.subscribers).toBe(0);
  });

  it('ends a pull that waits (P5)', async () => {
    const { log } = openLog();
    const reader = log.read({ from: 0 });
    await reader.next();
    const waiting = reader.next();
    await nextLoop();
    await reader.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

describe('pulling ahead', () => {
  it('serves the pulls in their order, and none hangs (P5)', async () => {
    const { log, append } = openLog();
    const reader = log.read({ from: 0 });
    await reader.next();
    const pulls = [reader.next(), reader.next(), reader.next()];
    append(2);
    log.finish();
    const results = await Promise.race([Promise.all(pulls), nextLoop(undefined)]);
    expect(results?.map(({ done, value }) => (done === true ? 'end' : value.type === 'stderr' && value.seq))).toEqual([
      1,
      2,
      'end',
    ]);
  });
});
