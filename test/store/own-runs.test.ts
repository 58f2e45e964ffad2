import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { EventLog, type LogJournal } from '../../src/store/event-log.ts';
import { EventRun, isRun, type LogEntry } from '../../src/store/event-run.ts';
import { OwnRun } from '../../src/store/own-run.ts';
import type { ObservedEvent, SubscriberEvent } from '../../src/store/session-event.ts';
import { DeltaLayout } from '../../src/wire/delta-layout.ts';
import { LineRun } from '../../src/wire/line-run.ts';

const LINES = 240;
const LIMITS = {
  maxItems: 4 * LINES,
  maxBytes: 10_000_000,
  subscriber: { maxItems: 100_000, maxBytes: 100_000_000 },
};

describe('a run as long as a pipe holds', () => {
  it('is what was written for everybody who has got it, whatever the log keeps by then (P7)', async () => {
    const step = fc.constantFrom(
      'run',
      'run',
      'run',
      'run',
      'short',
      'fact',
      'replay',
      'page',
      'take',
      'take',
      'publish',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), fc.boolean(), async (steps, isKept) => {
        const journal: LogJournal = { take: () => {}, takeRun: () => {}, whenKept: () => {}, unkept: undefined };
        const log = new EventLog(LIMITS, () => 1, isKept ? { journal } : {});
        const written = new Map<number, string>();
        const taken: (LogEntry | SubscriberEvent | ObservedEvent)[] = [];
        const reader = log.followEntries({ from: 0 });
        let [number, most] = [0, 0];
        for (const one of steps) {
          if (one === 'run' || one === 'short') {
            number += 1;
            const run = runOf(number, one === 'run' ? LINES : 2);
            for (let index = 0; index < run.count; index += 1)
              written.set(log.lastSeq + 1 + index, run.line(index).toString());
            log.appendRun(1, run);
          }
          if (one === 'fact') log.append(1, { type: 'stderr', line: 'noise' });
          if (one === 'publish') log.publish(log.lastSeq);
          if (one === 'replay') {
            // Taken one by one, up to the notice that says there are no more.
            for await (const entry of log.followEntries({ from: 0 })) {
              taken.push(entry);
              if (!isRun(entry) && entry.type === 'replay.completed') break;
            }
          }
          if (one === 'page') taken.push(...(await log.page(0, 5)));
          for (; one === 'take' && most < log.publishedSeq; ) {
            const { value } = await reader.next();
            taken.push(value);
            if (isRun(value)) most = value.lastSeq;
            else if ('epoch' in value) most = value.seq;
          }
        }
        for (const entry of taken) {
          for (const event of isRun(entry) ? [...entry.events()] : [entry]) {
            if (event.type === 'message') expect(event.message.raw.toString()).toBe(written.get(event.seq));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('lies in memory that is written again when the log has dropped it, and was not lent (P9)', () => {
    const runs = Array.from({ length: 20 }, (_, index) => logged(index + 1));
    const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
    for (const run of runs) new OwnRun(run).drop();
    expect(allocate.mock.calls.length).toBeLessThanOrEqual(1);
    allocate.mockRestore();
    const own = new OwnRun(logged(21));
    const lent = own.lend();
    own.drop();
    const others = [22, 23].map((number) => new OwnRun(logged(number)).lend());
    for (const { lines } of others) expect(lines.bytes.buffer).not.toBe(lent.lines.bytes.buffer);
    expect(lent.lines.bytes.equals(runOf(21, LINES).bytes)).toBe(true);
  });

  it('is not copied for a log that writes alone, and is where several write in turns', () => {
    const [one, other] = [new EventLog(LIMITS, () => 1), new EventLog(LIMITS, () => 1)];
    const write = (log: EventLog) => log.appendRun(1, runOf(1, LINES));
    const copied = vi.spyOn(Buffer.prototype, 'copy');
    for (let number = 1; number <= 100; number += 1) write(one);
    const alone = copied.mock.calls.length;
    for (let number = 1; number <= 100; number += 1) [one, other].forEach(write);
    const inTurns = copied.mock.calls.length - alone;
    copied.mockRestore();
    expect(alone).toBeLessThan(40);
    expect(inTurns).toBeGreaterThan(150);
  });

  it('is in memory twice only while a reader is near: one that is far behind shares it with the log (P9)', async () => {
    const log = new EventLog({ ...LIMITS, maxItems: 12 * LINES }, () => 1);
    for (let number = 1; number <= 13; number += 1) log.appendRun(1, runOf(number, LINES));
    const from = log.lastSeq;
    const slow = log.followEntries({ from });
    expect((await slow.next()).value).toMatchObject({ type: 'replay.completed' });
    for (let number = 1; number <= 12; number += 1) log.appendRun(1, runOf(number, LINES));
    const kept = log.followEntries({ from });
    let twice = 0;
    for (let number = 1; number <= 12; number += 1) {
      const [theirs, ours] = [(await slow.next()).value, (await kept.next()).value];
      if (bufferOf(theirs) !== bufferOf(ours)) twice += bufferOf(theirs)?.byteLength ?? 0;
    }
    expect(twice).toBeGreaterThan(0);
    expect(twice).toBeLessThanOrEqual(320 * 1024);
  });
});

function bufferOf(entry: LogEntry | SubscriberEvent): ArrayBufferLike | undefined {
  return isRun(entry) ? entry.lines.bytes.buffer : undefined;
}

function logged(number: number): EventRun {
  return new EventRun(1, 1, 1, runOf(number, LINES));
}

/** As from the chunk of a pipe: its bytes have their memory nearly for themselves. */
function runOf(number: number, count: number): LineRun {
  const layout = DeltaLayout.of(Buffer.from(lineOf('t')));
  if (layout === undefined) throw new Error('It has no layout.');
  const text = Array.from({ length: count }, (_, index) => `${lineOf(`${number} ${index}`)}\n`).join('');
  const memory = Buffer.allocUnsafeSlow(text.length + 10);
  memory.write(text);
  return new LineRun(memory.subarray(0, text.length), count, layout);
}

function lineOf(text: string): string {
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  const uuid = '1ab6df28-2d4d-4d08-9e56-0a0f2c7b1d11';
  return JSON.stringify({ type: 'stream_event', event, session_id: 's', parent_tool_use_id: null, uuid });
}
