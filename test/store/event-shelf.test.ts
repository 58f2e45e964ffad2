import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBlocks } from '../../src/store/byte-blocks.ts';
import { EventRun, isRun, type LogEntry } from '../../src/store/event-run.ts';
import { bytesOf, countOf, EventShelf, firstSeqOf, lastSeqOf } from '../../src/store/event-shelf.ts';
import { DeltaLayout } from '../../src/wire/delta-layout.ts';
import { LineRun } from '../../src/wire/line-run.ts';

const ID = '1ab6df28-2d4d-4d08-9e56-0a0f2c7b1d11';

describe('the shelf of a log', () => {
  it('gives back what was put on it, wherever it was packed: every line, number, time and epoch (P7)', () => {
    fc.assert(
      fc.property(fc.array(step(), { maxLength: 60 }), fc.nat(90), fc.nat(90), (steps, after, last) => {
        const { shelf, plain } = shelved(steps);
        const expected = plain.flatMap(linesOf).filter(({ seq }) => seq > after && seq <= last);
        expect(shelf.between(after, last).flatMap(linesOf)).toEqual(expected);
        expect(shelf.firstSeq).toBe(plain[0] && firstSeqOf(plain[0]));
      }),
    );
  });

  it('drops the oldest as they were put on it until its limits hold, nothing that is not published, and never the newest (P9)', () => {
    const limits = fc.record({ maxItems: fc.nat(20), maxBytes: fc.nat(8_000) });
    fc.assert(
      fc.property(fc.array(step(), { minLength: 1, maxLength: 60 }), limits, fc.nat(90), (steps, most, published) => {
        const { shelf, plain } = shelved(steps);
        const isOver = () => sum(plain, countOf) > most.maxItems || sum(plain, bytesOf) > most.maxBytes;
        while (plain.length > 1 && isOver() && plain.every((entry, at) => at > 0 || lastSeqOf(entry) <= published)) {
          plain.shift();
        }
        shelf.evict(most, published);
        expect(shelf.between(0, 1_000).flatMap(linesOf)).toEqual(plain.flatMap(linesOf));
      }),
    );
  });

  it('keeps no object for a line that came alone (P9)', () => {
    const { shelf } = shelved(Array.from({ length: 40 }, () => ({ epoch: 1, layout: 0, texts: ['a'] })));
    const [first] = shelf.between(0, 1);
    const [again] = shelf.between(0, 1);
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });
});

interface Step {
  readonly epoch: number;
  readonly layout: number;
  /** None: something else is logged. */
  readonly texts: readonly string[];
}

function step(): fc.Arbitrary<Step> {
  const texts = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { maxLength: 3 });
  return fc.record({ epoch: fc.constantFrom(1, 1, 1, 1, 2), layout: fc.constantFrom(0, 0, 0, 0, 1), texts });
}

/** The same on a shelf and in a list; what is put there lies in memory as a log has it. */
function shelved(steps: readonly Step[]): { shelf: EventShelf; plain: LogEntry[] } {
  const layouts = ['text_delta', 'thinking_delta'].map((type) => DeltaLayout.of(lineOf('t', type)) as DeltaLayout);
  const shelf = new EventShelf();
  const plain: LogEntry[] = [];
  const blocks = new ByteBlocks();
  let lastSeq = 0;
  for (const [index, { epoch, layout, texts }] of steps.entries()) {
    const at = 1_700 + index;
    const lines = texts.map((text) => `${lineOf(text, layout === 0 ? 'text_delta' : 'thinking_delta')}\n`).join('');
    const bytes = blocks.settle(Buffer.from(`${lines}more of the chunk`).subarray(0, lines.length));
    const run = () =>
      new EventRun(lastSeq + 1, epoch, at, new LineRun(bytes, texts.length, layouts[layout] as DeltaLayout));
    const entry: LogEntry = texts.length === 0 ? { type: 'stderr', line: 'noise', seq: lastSeq + 1, epoch, at } : run();
    shelf.push(entry);
    plain.push(entry);
    lastSeq += Math.max(1, texts.length);
  }
  return { shelf, plain };
}

function lineOf(text: string, type: string): Buffer {
  const field = type === 'text_delta' ? 'text' : 'thinking';
  const event = { type: 'content_block_delta', index: 0, delta: { type, [field]: text } };
  return Buffer.from(
    JSON.stringify({ type: 'stream_event', event, session_id: 's', parent_tool_use_id: null, uuid: ID }),
  );
}

function linesOf(entry: LogEntry): { seq: number; epoch: number; at: number; line: string }[] {
  const events = isRun(entry) ? [...entry.events()] : [entry];
  return events.map((event) => ({
    seq: event.seq,
    epoch: event.epoch,
    at: event.at,
    line: event.type === 'message' ? event.message.line.toString() : event.type,
  }));
}

function sum(entries: readonly LogEntry[], of: (entry: LogEntry) => number): number {
  return entries.reduce((total, entry) => total + of(entry), 0);
}
