import { describe, expect, it } from 'vitest';
import { eventFilter } from '../../src/server/event-filter.ts';
import { eventFrame, eventFrames } from '../../src/server/event-frame.ts';
import { FrameRing, type RingFrame } from '../../src/server/frame-ring.ts';
import { RunMessages, SharedRuns } from '../../src/server/json-rpc/run-messages.ts';
import type { EventRun } from '../../src/store/event-run.ts';
import { deltaOf, runOf } from './runs.ts';

/** Numbers that grow by a digit, and lines on both sides of each length of a frame's header. */
const TEXTS = ['a', 'é漢🦊', '\\n \\u00e9', 'x'.repeat(70_000), 'y', 'z'];

describe('the frames of a run', () => {
  it('are those of its events one by one, for a stream of events (P7)', () => {
    const run = runOf(8, TEXTS);

    expect(eventFrames(run)?.equals(Buffer.concat([...run.events()].map(eventFrame)))).toBe(true);
  });

  it('are made one by one where a line is broken UTF-8, which stands in base64', () => {
    const run = runOf(1, ['a', Buffer.from([0xff])]);

    expect(eventFrames(run)).toBeUndefined();
    expect(new RunMessages('a', run).lines).toBeUndefined();
    expect(String(eventFrame(run.event(1)))).toContain('"base64":"');
  });

  it('hold each line byte by byte as a notice of JSON-RPC, with a line feed behind it or as frame of a WebSocket', () => {
    const run = runOf(99, TEXTS);
    const messages = new RunMessages('sitzung "ü"', run);
    const notices = TEXTS.map((text, index) => {
      const about = JSON.stringify({ session_id: 'sitzung "ü"', seq: 99 + index, epoch: 2 }).slice(0, -1);
      return `{"jsonrpc":"2.0","method":"cli_message","params":${about},"line":${deltaOf(text)}}}`;
    });

    expect(String(messages.lines)).toBe(notices.map((one) => `${one}\n`).join(''));
    expect(textsIn(messages.frames)).toEqual(notices);
  });

  it('are made once for all who get them, and kept for the newest runs only', () => {
    const shared = new SharedRuns();
    const [first] = [runOf(1, ['a'])];
    const messages = shared.of('a', first);

    expect(shared.of('a', first)).toBe(messages);
    expect(shared.of('a', first).frames).toBe(messages.frames);
    for (let seq = 2; seq < 20; seq += 1) shared.of('a', runOf(seq, ['b']));
    expect(shared.of('a', first)).not.toBe(messages);
  });
});

describe('the frames that readers of a session share', () => {
  it('are found behind any frame, whether it is of one event or of a run', () => {
    const ring = new FrameRing(1_000_000);
    const run = runOf(2, ['a', 'b', 'c']);
    for (const frame of [one(1), whole(run), one(5), one(6)]) ring.push(frame);
    const all = eventFilter(undefined, true);

    const from = (seq: number) => String(ring.chunkAfter(seq, all)?.data ?? '');
    expect(from(0)).toBe(`1;${eventFrames(run)}5;6;`);
    expect(from(1)).toBe(`${eventFrames(run)}5;6;`);
    expect(from(4)).toBe('5;6;');
    expect(from(5)).toBe('6;');
    expect(ring.chunkAfter(6, all)).toBeUndefined();
    expect(ring.chunkAfter(1, eventFilter(undefined, false))).toMatchObject({ data: Buffer.from('5;6;'), seq: 6 });
  });

  it('are forgotten run by run when they are too many: who has not read them finds them gone (P9)', () => {
    const run = runOf(1, ['a', 'b']);
    const ring = new FrameRing((eventFrames(run)?.length ?? 0) + 10);
    ring.push(whole(run));
    expect(ring.reaches(0)).toBe(true);
    ring.push(whole(runOf(3, ['c', 'd'])));
    expect([ring.reaches(0), ring.reaches(2)]).toEqual([false, true]);
  });
});

function one(seq: number): RingFrame {
  return { seq, lastSeq: seq, type: 'turn.started', kind: undefined, frame: Buffer.from(`${seq};`) };
}

function whole(run: EventRun): RingFrame {
  const frame = eventFrames(run) ?? Buffer.alloc(0);
  return { seq: run.firstSeq, lastSeq: run.lastSeq, type: 'message', kind: 'stream_event', frame };
}

/** As RFC 6455 §5.2 has them: whole texts, not masked. */
function textsIn(frames: Buffer | undefined): string[] {
  const texts: string[] = [];
  for (let at = 0; frames !== undefined && at < frames.length; ) {
    expect(frames[at]).toBe(0x81);
    const short = frames[at + 1] ?? 0;
    const [length, size] =
      short < 126
        ? [short, 2]
        : short === 126
          ? [frames.readUInt16BE(at + 2), 4]
          : [Number(frames.readBigUInt64BE(at + 2)), 10];
    texts.push(frames.toString('utf8', at + size, at + size + length));
    at += size + length;
  }
  return texts;
}
