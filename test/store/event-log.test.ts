import { cpuUsage } from 'node:process';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/store/event-log.ts';
import type { ObservedEvent } from '../../src/store/session-event.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { from, line, openLog, shortForm, takeAll } from './log-harness.ts';

describe('appending', () => {
  it('numbers the events densely from 1 and stamps them (P7)', () => {
    const { log } = openLog();
    expect(log.append(1, line('a'))).toEqual({ type: 'stderr', line: 'a', seq: 1, epoch: 1, at: 1_700 });
    expect(log.append(2, line('b'))).toEqual({ type: 'stderr', line: 'b', seq: 2, epoch: 2, at: 1_700 });
    expect(log.lastSeq).toBe(2);
  });

  it('calls the listeners at once, until they stop', () => {
    const { log, append } = openLog();
    const heard: number[] = [];
    const stop = log.listen(({ seq }) => heard.push(seq));
    append(2);
    stop();
    append(1);
    expect(heard).toEqual([1, 2]);
  });

  it('tells every listener in order, also what a listener appends meanwhile (P7)', async () => {
    const { log, append } = openLog();
    const heard: string[] = [];
    const reader = log.read({ from: 0 });
    log.listen(({ seq }) => {
      heard.push(`first ${seq}`);
      if (seq === 1) append(2);
    });
    log.listen(({ seq }) => heard.push(`second ${seq}`));
    append(1);
    expect(heard).toEqual(['first 1', 'second 1', 'first 2', 'second 2', 'first 3', 'second 3']);
    expect(await takeAll(reader)).toEqual(['replayed to 0', 1, 2, 3]);
  });

  it('gives a reader that comes from inside a listener nothing twice (P7)', async () => {
    const { log, append } = openLog();
    const readers: ReturnType<EventLog['read']>[] = [];
    log.listen(({ seq }) => {
      if (seq !== 1) return;
      append(1);
      readers.push(log.read({ from: 0 }));
      append(1);
    });
    append(1);
    const [reader = log.read({ from: 3 })] = readers;
    expect(await takeAll(reader)).toEqual([1, 2, 'replayed to 2', 3]);
  });

  it('tells a listener that comes in the middle only what is appended after it', () => {
    const { log, append } = openLog();
    const late: number[] = [];
    log.listen(({ seq }) => {
      if (seq !== 1) return;
      append(1);
      log.listen((event) => late.push(event.seq));
      append(1);
    });
    append(1);
    expect(late).toEqual([3]);
  });

  it('tells what was appended before the end, also when a listener ends it', () => {
    const { log, append } = openLog();
    const heard: number[] = [];
    log.listen(({ seq }) => {
      if (seq !== 1) return;
      append(1);
      log.finish();
    });
    log.listen(({ seq }) => heard.push(seq));
    append(1);
    expect(heard).toEqual([1, 2]);
  });

  it('keeps a listener that throws from nobody else, and says what it threw (P10)', () => {
    const thrown: unknown[] = [];
    const { log, append } = openLog({}, { onListenerError: (error, event) => thrown.push([error, event.seq]) });
    const heard: number[] = [];
    log.listen(() => {
      throw 'broken';
    });
    log.listen(({ seq }) => heard.push(seq));
    append(2);
    expect(heard).toEqual([1, 2]);
    expect(thrown).toEqual([
      ['broken', 1],
      ['broken', 2],
    ]);
  });

  it('keeps the items and the bytes of its limits, the oldest go first (P9)', async () => {
    const few = openLog({ maxItems: 3 });
    few.append(10);
    expect(await takeAll(few.log.read({ from: 7 }))).toEqual([8, 9, 10, 'replayed to 10']);

    const small = openLog({ maxBytes: 1_000 });
    for (let number = 0; number < 10; number += 1) small.log.append(1, line('x'.repeat(100)));
    expect(await takeAll(small.log.read({ from: 7 }))).toEqual([8, 9, 10, 'replayed to 10']);
  });

  it('keeps the newest event even when it alone is over the limit', async () => {
    const { log } = openLog({ maxBytes: 1_000 });
    log.append(1, line());
    log.append(1, line('x'.repeat(5_000)));
    expect(await takeAll(log.read({ from: 1 }))).toEqual([2, 'replayed to 2']);
    log.append(1, line());
    expect(await takeAll(log.read({ from: 2 }))).toEqual([3, 'replayed to 3']);
  });
});

describe('reading', () => {
  it('replays everything after the cursor, says where the replay ends, and goes on live (P7)', async () => {
    const { log, append } = openLog();
    append(5);
    const reader = log.read({ from: 2 });
    expect(await takeAll(reader)).toEqual([3, 4, 5, 'replayed to 5']);
    append(2);
    expect(await takeAll(reader)).toEqual([6, 7]);
  });

  it('has no gap between replay and live, whenever an event falls in (P6)', async () => {
    const { log, append } = openLog();
    append(2);
    const reader = log.read({ from: 0 });
    append(2);
    const first = await reader.next();
    append(1);
    expect(shortForm(first.value)).toBe(1);
    expect(await takeAll(reader)).toEqual([2, 'replayed to 2', 3, 4, 5]);
  });

  it('completes the replay of an empty log at once', async () => {
    const { log } = openLog();
    expect(await takeAll(log.read({ from: 0 }))).toEqual(['replayed to 0']);
  });

  it('gives nothing twice to a cursor that is up to date', async () => {
    const { log, append } = openLog();
    append(3);
    expect(await takeAll(log.read({ from: 3 }))).toEqual(['replayed to 3']);
  });

  it('tells a cursor that is older than the log what is left, and only such a one (P6)', async () => {
    const { log, append } = openLog({ maxItems: 3 });
    append(10);
    expect(await takeAll(log.read({ from: 2 }))).toEqual(['asked 2, begins 8', 8, 9, 10, 'replayed to 10']);
    expect(await takeAll(log.read({ from: 0 }))).toEqual(['asked 0, begins 8', 8, 9, 10, 'replayed to 10']);
    expect(await takeAll(log.read({ from: 7 }))).toEqual([8, 9, 10, 'replayed to 10']);
  });

  it('gives every reader the same events under the same numbers (P7)', async () => {
    const { log, append } = openLog();
    const early = log.read({ from: 0 });
    append(50);
    const late = log.read({ from: 0 });
    append(50);
    const numbers = async (reader: AsyncIterable<ObservedEvent>, count: number) => {
      const seen: number[] = [];
      for await (const event of reader) {
        if ('seq' in event && 'epoch' in event) seen.push(event.seq);
        if (seen.length === count) break;
      }
      return seen;
    };
    expect(await numbers(early, 100)).toEqual(from(1, 100));
    expect(await numbers(late, 100)).toEqual(from(1, 100));
    expect(log.subscribers).toBe(0);
  });
});

describe('finishing', () => {
  it('ends the readers after they got everything', async () => {
    const { log, append } = openLog();
    append(2);
    const reader = log.read({ from: 0 });
    append(1);
    log.finish();
    expect(await readToEnd(reader)).toEqual([1, 2, 'replayed to 2', 3]);
    expect(log.subscribers).toBe(0);
  });

  it('wakes a reader that waits (P5)', async () => {
    const { log } = openLog();
    const reader = log.read({ from: 0 });
    await reader.next();
    const waiting = reader.next();
    await nextLoop();
    log.finish();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('gives a later reader the replay and then the end', async () => {
    const { log, append } = openLog();
    append(2);
    log.finish();
    expect(await readToEnd(log.read({ from: 1 }))).toEqual([2, 'replayed to 2']);
  });
});

describe('memory', () => {
  it('lets go of what the log dropped and of what every reader took (P9)', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const { log } = openLog({ maxItems: 10 });
    const reader = log.read({ from: 0 });
    const evicted = appendMessages(log, 100);
    while (reader.waiting > 1) await reader.next();
    appendMessages(log, 10);
    await reader.next();

    for (let round = 0; round < 10 && evicted.some((message) => message.deref() !== undefined); round += 1) {
      await nextLoop();
      collect();
    }
    expect(evicted.filter((message) => message.deref() !== undefined)).toHaveLength(0);
    await reader.return();
  });

  it('holds no more than its limit says, however large the chunks are that the lines came in (P9)', () => {
    const { log } = openLog({ maxItems: 10_000, maxBytes: 1_000_000 });
    const messages = Array.from({ length: 500 }, () => lineInChunk(200));
    for (const message of messages) log.append(1, { type: 'message', message });

    const blocks = new Set(messages.map(({ raw }) => raw.buffer));
    const held = [...blocks].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(2 * 500 * 200);
  });

  it('moves the bytes of a message once, whoever reads it, and keeps what was parsed', async () => {
    const { log } = openLog();
    const message = lineInChunk(200);
    const { value, text } = message;
    const readers = [log.read({ from: 0 }), log.read({ from: 0 })];
    log.append(1, { type: 'message', message });
    const { raw } = message;
    for (const reader of readers) {
      await reader.next();
      const { value: event } = await reader.next();
      expect(event.message.raw).toBe(raw);
    }
    expect(message.value).toBe(value);
    expect(message.text).toBe(text);
  });

  it('costs in proportion to the events: 100 000 appends with 50 readers take less than 30 times 10 000 (P10)', {
    timeout: 60_000,
  }, async () => {
    const small = await timeToAppend(10_000);
    const large = await timeToAppend(100_000);
    expect(large).toBeLessThan(30 * small);
  });
});

function appendMessages(log: EventLog, count: number): WeakRef<CliMessage>[] {
  return Array.from({ length: count }, () => {
    const message = new CliMessage(Buffer.from('{"type":"assistant"}'), 'assistant', undefined);
    log.append(1, { type: 'message', message });
    return new WeakRef(message);
  });
}

/** A line that is a small part of a chunk of 64 KiB, as pipes deliver them. */
function lineInChunk(bytes: number): CliMessage {
  const chunk = Buffer.alloc(64 * 1024);
  const line = JSON.stringify({ type: 'assistant', text: 'x'.repeat(bytes - 30) });
  return new CliMessage(chunk.subarray(0, chunk.write(line)), 'assistant', undefined);
}

/** Processor time, so that a busy machine does not count. A few readers take everything, the others nothing. */
async function timeToAppend(count: number): Promise<number> {
  const { log, append } = openLog({ maxItems: 5_000, maxBytes: 100_000_000 });
  const readers = Array.from({ length: 50 }, () => log.read({ from: 0 }));
  const start = cpuUsage();
  for (let done = 0; done < count; done += 500) {
    append(500);
    for (const reader of readers.slice(0, 5)) await takeAll(reader);
  }
  const { user, system } = cpuUsage(start);
  for (const reader of readers) await reader.return();
  return user + system;
}

async function readToEnd(reader: AsyncIterable<ObservedEvent>): Promise<(number | string)[]> {
  const taken: (number | string)[] = [];
  for await (const event of reader) taken.push(shortForm(event));
  return taken;
}
