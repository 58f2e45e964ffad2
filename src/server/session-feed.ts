import type { Clock } from '../clock.ts';
import type { EventRun } from '../store/event-run.ts';
import type { SessionEvent } from '../store/session-event.ts';
import { eventFrame, eventFrames } from './event-frame.ts';
import { FrameRing, type RingFrame } from './frame-ring.ts';
import type { LiveSession } from './live-session.ts';
import type { SessionReader } from './session-reader.ts';

/** What happens within so many milliseconds is written at once: a write costs more than what is in it. */
const GATHER_MS = 12;

/** All who follow one session live. Their frames are made once; each goes on at its own pace. */
export class SessionFeed {
  readonly live: LiveSession;
  readonly ring: FrameRing;
  readonly #clock: Clock;
  readonly #readers = new Set<SessionReader>();
  #stop: (() => void) | undefined;
  #timer: unknown;

  constructor(live: LiveSession, options: { clock: Clock; maxBufferBytes: number }) {
    this.live = live;
    this.#clock = options.clock;
    this.ring = new FrameRing(options.maxBufferBytes);
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** From now on it gets what comes after the view of this moment. */
  join(reader: SessionReader): void {
    this.#readers.add(reader);
    this.#stop ??= this.live.listen({ hear: (event) => this.#hear(event), hearRun: (run) => this.#hearRun(run) });
  }

  leave(reader: SessionReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.ring.clear();
  }

  #hear(event: SessionEvent): void {
    const kind = event.type === 'message' ? event.message.type : undefined;
    this.#push({ seq: event.seq, lastSeq: event.seq, type: event.type, kind, frame: eventFrame(event) });
  }

  #hearRun(run: EventRun): void {
    const frame = eventFrames(run);
    const { firstSeq: seq, lastSeq } = run;
    if (frame !== undefined) this.#push({ seq, lastSeq, type: 'message', kind: 'stream_event', frame });
    else for (const event of run.events()) this.#hear(event);
  }

  #push(frame: RingFrame): void {
    this.ring.push(frame);
    this.#timer ??= this.#clock.setTimeout(() => this.#serve(), GATHER_MS);
  }

  #serve(): void {
    this.#timer = undefined;
    for (const reader of [...this.#readers]) reader.pump();
    this.ring.forgetChunks();
  }
}
