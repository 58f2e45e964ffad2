import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLog } from '../../src/store/event-log.ts';
import { readLines, readTexts } from '../../src/store/log-reading.ts';
import type { ObservedEvent, SessionEvent } from '../../src/store/session-event.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { viewOf } from '../../src/wire/delta-layout.ts';
import type { LineRun } from '../../src/wire/line-run.ts';
import { RunFinder } from '../../src/wire/run-finder.ts';

const LIMITS = { maxItems: 1_000, maxBytes: 1_000_000, subscriber: { maxItems: 1_000, maxBytes: 1_000_000 } };

describe('messages that are logged as one thing', () => {
  it('are the events that they are one by one, in a replay, live, in pages and to listeners (P7)', async () => {
    const step = fc.oneof(
      fc.array(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
      fc.constant('fact' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(20), fc.nat(12), async (steps, from, cut) => {
        const [together, apart] = [openLog(), openLog()];
        const heard: [SessionEvent[], SessionEvent[]] = [[], []];
        together.listen((event) => heard[0].push(event));
        apart.listen((event) => heard[1].push(event));
        const early = together.read({ from: 0 });
        for (const texts of steps.slice(0, cut)) log(texts, together, apart);
        const late = together.read({ from });
        const reference = apart.read({ from });
        for (const texts of steps.slice(cut)) log(texts, together, apart);
        for (const one of [together, apart]) one.finish();
        expect(shown(heard[0])).toEqual(shown(heard[1]));
        expect(shown(await all(early)).filter(isNumbered)).toEqual(shown(heard[1]));
        expect(shown(await all(late))).toEqual(shown(await all(reference)));
        expect(shown(await together.page(from, 5))).toEqual(shown(await apart.page(from, 5)));
      }),
      { numRuns: 60 },
    );
  });

  it('bear one time, and numbers without a hole', () => {
    const log = openLog();
    log.append(1, { type: 'stderr', line: 'before' });
    const heard: SessionEvent[] = [];
    log.listen((event) => heard.push(event));
    log.appendRun(1, runOf(['a', 'b', 'c']));
    log.append(1, { type: 'stderr', line: 'behind' });
    expect(heard.map(({ seq, at, epoch }) => [seq, at, epoch])).toEqual([
      [2, 2, 1],
      [3, 2, 1],
      [4, 2, 1],
      [5, 3, 1],
    ]);
    expect(log.lastSeq).toBe(5);
  });

  it('do not change with what they were read with (P7)', async () => {
    const log = openLog();
    const run = runOf(['a', 'b']);
    log.appendRun(1, run);
    const before = Buffer.from(run.bytes);
    run.bytes.fill('x');
    log.finish();
    const lines = await all(readLines(log, { from: 0 }));
    expect(lines.map((entry) => ('bytes' in entry ? entry.bytes.toString() : entry.type))).toEqual([
      before.toString(),
      'replay.completed',
    ]);
  });

  it('count line by line against the limits of a log and of a reader, who is told exactly what it missed (P6, P9)', async () => {
    const log = openLog({ ...LIMITS, maxItems: 4, subscriber: { maxItems: 3, maxBytes: 1_000_000 } });
    const reader = log.read({ from: 0 });
    expect((await reader.next()).value).toEqual({ type: 'replay.completed', seq: 0 });
    log.appendRun(1, runOf(['a', 'b']));
    expect((await reader.next()).value).toMatchObject({ seq: 1 });
    log.appendRun(1, runOf(['c', 'd']));
    expect(reader.waiting).toBe(3);
    log.appendRun(1, runOf(['e', 'f', 'g', 'h']));
    log.finish();
    expect(shown(await all(reader))).toEqual([
      { type: 'subscriber.lagged', from: 2, to: 7, missed: 6 },
      expect.stringContaining('8 1'),
    ]);
    expect((await all(log.read({ from: 0 }))).map((event) => event.type)).toEqual([
      'log.truncated',
      ...Array(4).fill('message'),
      'replay.completed',
    ]);
  });

  it('begin in the middle for who has seen a part of them', async () => {
    const log = openLog();
    log.appendRun(1, runOf(['a', 'b', 'c', 'd']));
    log.finish();
    const [first] = await all(readLines(log, { from: 2 }));
    expect(first).toMatchObject({ type: 'lines', firstSeq: 3, lastSeq: 4 });
    expect(await all(readTexts(log, { from: 1 }))).toEqual([
      { type: 'text', text: 'bcd', firstSeq: 2, lastSeq: 4, parent: undefined },
      { type: 'replay.completed', seq: 4 },
    ]);
  });

  it('are read as lines and as texts among everything else, each byte and each text once (P7)', async () => {
    const log = openLog();
    const [lines, texts] = [readLines(log, { from: 0 }), readTexts(log, { from: 0 })];
    const assistant = Buffer.from('{"type":"assistant","message":{}}');
    const agent = Buffer.from(
      line('sub').trim().replace('"parent_tool_use_id":null', '"parent_tool_use_id":"toolu_1"'),
    );
    log.append(1, { type: 'message', message: new CliMessage(assistant, 'assistant', undefined) });
    log.appendRun(1, runOf(['one ', 'two ']));
    log.append(1, { type: 'stderr', line: 'noise' });
    log.append(1, { type: 'message', message: new CliMessage(agent, 'stream_event', undefined) });
    log.appendRun(1, runOf(['thought'], 'thinking_delta', 'thinking'));
    log.finish();
    const bytes = (await all(lines)).map((entry) => ('bytes' in entry ? entry.bytes.toString() : ''));
    const thought = line('thought', 'thinking_delta', 'thinking');
    expect(bytes.join('')).toBe(`${assistant}\n${line('one ')}${line('two ')}${agent}\n${thought}`);
    expect((await all(texts)).slice(1)).toEqual([
      { type: 'text', text: 'one two ', firstSeq: 2, lastSeq: 3, parent: undefined },
      { type: 'text', text: 'sub', firstSeq: 5, lastSeq: 5, parent: 'toolu_1' },
    ]);
  });

  it('end a pull that waits when the reader leaves (P5)', async () => {
    const lines = readLines(openLog(), { from: 0 });
    await lines.next();
    const waiting = lines.next();
    await lines.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('are published as far as they are kept, and no further (P2)', async () => {
    const taken: number[] = [];
    const journal = { take: ({ seq }: SessionEvent) => taken.push(seq), whenKept: () => {}, unkept: undefined };
    const log = openLog(LIMITS, { journal });
    const reader = log.read({ from: 0 });
    log.appendRun(1, runOf(['a', 'b', 'c']));
    expect(taken).toEqual([1, 2, 3]);
    expect(reader.waiting).toBe(1);
    log.publish(2);
    expect(reader.waiting).toBe(3);
    log.publish(3);
    log.finish();
    expect((await all(reader)).map((event) => ('epoch' in event ? event.seq : event.type))).toEqual([
      'replay.completed',
      1,
      2,
      3,
    ]);
  });
});

function openLog(limits = LIMITS, options = {}): EventLog {
  let at = 0;
  return new EventLog(
    limits,
    () => {
      at += 1;
      return at;
    },
    options,
  );
}

/** The same into both: at once, and one by one. */
function log(texts: readonly string[] | 'fact', together: EventLog, apart: EventLog): void {
  if (texts === 'fact') {
    for (const one of [together, apart]) one.append(1, { type: 'stderr', line: 'x' });
    return;
  }
  const run = runOf(texts);
  together.appendRun(1, run);
  for (let index = 0; index < run.count; index += 1) {
    const raw = Buffer.from(run.line(index));
    apart.append(1, { type: 'message', message: new CliMessage(raw, 'stream_event', undefined) });
  }
}

function runOf(texts: readonly string[], type = 'text_delta', field = 'text'): LineRun {
  const finder = new RunFinder({ maxLineBytes: 10_000 });
  finder.learn(new CliMessage(Buffer.from(line('x', type, field).trim()), 'stream_event', undefined));
  const bytes = Buffer.from(texts.map((text) => line(text, type, field)).join(''));
  const run = finder.find(bytes, viewOf(bytes), 0);
  if (run?.count !== texts.length) throw new Error('It is no run.');
  return run;
}

function line(text: string, type = 'text_delta', field = 'text'): string {
  const event = { type: 'content_block_delta', index: 0, delta: { type, [field]: text } };
  const [session_id, uuid] = ['2cd38a39-bafd-4f81-98b1-50ba31dc96d5', '159cc4f6-96e6-4cde-b19a-a9b897d6d03f'];
  return `${JSON.stringify({ type: 'stream_event', event, session_id, parent_tool_use_id: null, uuid })}\n`;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Of an event of the log: its number, its epoch and what it says; the time is that of the whole run. */
function shown(events: readonly ObservedEvent[]): unknown[] {
  return events.map((event) => {
    if (!('epoch' in event)) return event;
    return `${event.seq} ${event.epoch} ${event.type === 'message' ? JSON.stringify(event.message.value) : event.type}`;
  });
}

function isNumbered(one: unknown): boolean {
  return typeof one === 'string';
}
