import type { LineRun } from '../wire/line-run.ts';
import type { SessionEvent } from './session-event.ts';
import { EVENT_BYTES } from './session-event.ts';

/**
 * Messages that were logged as one thing: as many events as it has lines, with one number after the other and the same time,
 * for they were read at once. The events are made when somebody asks for them, anew each time.
 */
export class EventRun {
  readonly firstSeq: number;
  readonly epoch: number;
  readonly at: number;
  readonly lines: LineRun;

  constructor(firstSeq: number, epoch: number, at: number, lines: LineRun) {
    this.firstSeq = firstSeq;
    this.epoch = epoch;
    this.at = at;
    this.lines = lines;
  }

  get count(): number {
    return this.lines.count;
  }

  get lastSeq(): number {
    return this.firstSeq + this.lines.count - 1;
  }

  /** The memory it holds, roughly: what the limits count. */
  get bytes(): number {
    return EVENT_BYTES + this.lines.bytes.length;
  }

  /** The event of one of its lines, from 0. */
  event(index: number): SessionEvent {
    const { epoch, at } = this;
    return { type: 'message', message: this.lines.message(index), seq: this.firstSeq + index, epoch, at };
  }

  *events(): Generator<SessionEvent, void, void> {
    for (let index = 0; index < this.count; index += 1) yield this.event(index);
  }

  /** What is behind a cursor, and not behind `last`; undefined for nothing. */
  between(after: number, last = this.lastSeq): EventRun | undefined {
    const first = Math.max(0, after + 1 - this.firstSeq);
    const end = Math.min(this.count, last + 1 - this.firstSeq);
    if (first >= end) return undefined;
    return first === 0 && end === this.count
      ? this
      : new EventRun(this.firstSeq + first, this.epoch, this.at, this.lines.slice(first, end));
  }
}

/** What a log keeps: an event, or many. */
export type LogEntry = SessionEvent | EventRun;

export function isRun<Other extends object>(entry: Other | EventRun): entry is EventRun {
  return entry instanceof EventRun;
}
