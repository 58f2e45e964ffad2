import { describe, expect, it } from 'vitest';
import { type LogPage, logPageOf } from '../../src/dashboard/main/log-page.ts';
import { TranscriptReader } from '../../src/dashboard/main/transcript-reader.ts';
import { applyToTranscript } from '../../src/view/apply-to-transcript.ts';
import { EMPTY_TRANSCRIPT } from '../../src/view/transcript.ts';
import type { ViewEvent } from '../../src/view/view-event.ts';

describe('the transcript of a page (P6, P7)', () => {
  it('is read from the newest part of a long log, and no more than that', async () => {
    const { reader, log, reads } = readerOf(50_000);
    await reader.goesOn(50_000);
    expect(reader.transcript).toEqual(foldOf(log, reader.transcript.items[0]?.seq ?? 0));
    expect(reader.transcript.seq).toBe(50_000);
    expect(reads.reduce((sum, count) => sum + count, 0)).toBeLessThan(2_000);
    expect(reader.hasEarlier).toBe(true);
  });

  it('has more of the log whenever somebody wants it, and at last its beginning', async () => {
    const { reader, log } = readerOf(1_500);
    await reader.goesOn(1_500);
    const first = reader.transcript.items.length;
    await reader.readEarlier();
    expect(reader.transcript.items.length).toBeGreaterThan(first);
    expect(reader.hasEarlier).toBe(false);
    expect(reader.transcript).toEqual(foldOf(log, 1));
  });

  it('holds what happens while the log is read, once', async () => {
    const { reader, log } = readerOf(20);
    const read = reader.goesOn(20);
    grow(log, 30);
    for (const event of log.slice(18)) reader.hear(event);
    await read;
    grow(log, 31);
    for (const event of log.slice(30)) reader.hear(event);
    expect(reader.transcript).toEqual(foldOf(log, 1));
  });

  it('reads from the log what a slow page was not sent', async () => {
    const { reader, log } = readerOf(20);
    await reader.goesOn(20);
    grow(log, 900);
    await reader.goesOn(880);
    for (const event of log.slice(880)) reader.hear(event);
    expect(reader.transcript).toEqual(foldOf(log, 1));
  });

  it('tries again when the log cannot be read', async () => {
    const { reader, log } = readerOf(20, { failures: 3 });
    await reader.goesOn(20);
    expect(reader.transcript).toEqual(foldOf(log, 1));
  });
});

function readerOf(length: number, { failures = 0 } = {}) {
  const log: ViewEvent[] = [];
  grow(log, length);
  const reads: number[] = [];
  let left = failures;
  const read = async (after: number, limit: number): Promise<LogPage> => {
    left -= 1;
    if (left >= 0) throw new Error('no connection');
    const events = log.slice(after, after + limit);
    reads.push(events.length);
    return { events, next: after + events.length < log.length ? after + events.length : undefined };
  };
  return { log, reads, reader: new TranscriptReader({ read, onChange: () => {}, pause: () => Promise.resolve() }) };
}

function grow(log: ViewEvent[], length: number): void {
  for (let seq = log.length + 1; seq <= length; seq += 1)
    log.push({ epoch: 1, at: seq, seq, type: 'log.volatile', after: seq, code: 'EIO', message: `no. ${seq}` });
}

/** What a page that never missed anything would have, from that event on. */
function foldOf(log: readonly ViewEvent[], from: number) {
  return log.slice(from - 1).reduce(applyToTranscript, { ...EMPTY_TRANSCRIPT, seq: from - 1 });
}

describe('a page of the log', () => {
  it('has the lines of messages as text, as the stream has them (P6)', () => {
    const message = { seq: 7, epoch: 1, at: 0, type: 'message', kind: 'user' };
    const told = logPageOf({
      events: [{ ...message, line: { type: 'user', text: 'hello' } }, { type: 'log.truncated' }],
    });
    expect(told.events).toEqual([{ ...message, line: '{"type":"user","text":"hello"}' }]);
    const binary = logPageOf({ events: [{ ...message, base64: btoa('{}\r') }], next: 7 });
    expect(binary.events).toMatchObject([{ line: '{}\r' }]);
    expect(binary.next).toBe(7);
  });
});
