import { isUtf8 } from 'node:buffer';
import type { EventRun } from '../store/event-run.ts';
import type { SessionEvent } from '../store/session-event.ts';
import type { ViewEvent } from '../view/view-event.ts';
import { runFrames } from './json-rpc/run-frames.ts';

const CARRIAGE_RETURN = 0x0d;

/** The event as a fold takes it. The text of a line is made only when somebody asks for it. */
export function viewEventOf(event: SessionEvent): ViewEvent {
  if (event.type !== 'message') return event;
  const { message, seq, epoch, at } = event;
  const { type: kind, subtype } = message;
  return {
    type: 'message',
    kind,
    ...(subtype === undefined ? {} : { subtype }),
    get line() {
      return message.text;
    },
    seq,
    epoch,
    at,
  };
}

/** The last event of a run as a fold takes it. */
export function viewEventOfRun(run: EventRun): ViewEvent {
  return {
    type: 'message',
    kind: 'stream_event',
    get line() {
      return run.lines.line(run.count - 1).toString('utf8');
    },
    seq: run.lastSeq,
    epoch: run.epoch,
    at: run.at,
  };
}

/** The event as one frame of a stream of server-sent events. */
export function eventFrame(event: SessionEvent): Buffer {
  const { seq, epoch, type } = event;
  return Buffer.concat([Buffer.from(`id: ${epoch}:${seq}\nevent: ${type}\ndata: `), eventJson(event), FRAME_END]);
}

/**
 * The event as JSON without a line break. A line of the CLI stands in it byte for byte; of one that was translated its meaning,
 * and beside it the bytes that the peer wrote (`original`, base64).
 */
export function eventJson(event: SessionEvent): Buffer {
  const { seq, epoch, at, type } = event;
  if (event.type !== 'message') return Buffer.from(JSON.stringify(event));
  const { type: kind, subtype, line, raw, isTranslated } = event.message;
  const original = isTranslated ? { original: raw.toString('base64') } : {};
  const about = JSON.stringify({ seq, epoch, at, type, kind, subtype, ...original }).slice(0, -1);
  if (!isPlainJson(line)) return Buffer.from(`${about},"base64":"${line.toString('base64')}"}`);
  return Buffer.concat([Buffer.from(`${about},"line":`), line, Buffer.from('}')]);
}

/** The events of a run as frames of a stream, in one piece; undefined where they have to be made one by one. */
export function eventFrames(run: EventRun): Buffer | undefined {
  const { epoch, at } = run;
  const about = `,"epoch":${epoch},"at":${at},"type":"message","kind":"stream_event","line":`;
  const before = (seq: number) => `id: ${epoch}:${seq}\nevent: message\ndata: {"seq":${seq}${about}`;
  return runFrames(run, { before, after: '}\n\n' });
}

const FRAME_END = Buffer.from('\n\n');

/** A frame that is told to one reader; without an id where it is no place in the log. */
export function noticeFrame(type: string, data: unknown, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A line that can stand in the JSON of an event and in a line of the stream; a kind that was told by its beginning may be corrupt. */
function isPlainJson(raw: Buffer): boolean {
  if (raw.includes(CARRIAGE_RETURN) || !isUtf8(raw)) return false;
  try {
    JSON.parse(raw.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
