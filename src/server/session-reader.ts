import type { ServerResponse } from 'node:http';
import type { ObservedEvent } from '../store/session-event.ts';
import { type SessionView, startView } from '../view/session-view.ts';
import type { EventFilter } from './event-filter.ts';
import { eventFrame, noticeFrame } from './event-frame.ts';
import type { SessionFeed } from './session-feed.ts';
import { SseConnection } from './sse-connection.ts';

/** Where a reader wants to begin. */
export type StartPoint =
  | { readonly kind: 'now' }
  /** From the oldest event that is kept. */
  | { readonly kind: 'all' }
  | { readonly kind: 'after'; readonly epoch: number; readonly seq: number };

/** Events that are taken out of a log at once for one reader. */
const PAGE_ITEMS = 200;

/**
 * One reader of one session: a snapshot, what is kept after it, `replay.completed`, then live. It takes the next piece when
 * it has taken the one before, out of the log first, then out of what all live readers share.
 */
export class SessionReader {
  readonly connection: SseConnection;
  readonly #feed: SessionFeed;
  readonly #filter: EventFilter;
  /** The last event that it got, or that its filter left out. */
  #seq = 0;
  #isLive = false;
  #wake: () => void = () => {};

  constructor(feed: SessionFeed, response: ServerResponse, filter: EventFilter) {
    this.#feed = feed;
    this.#filter = filter;
    this.connection = new SseConnection(response, {
      drained: () => (this.#isLive ? this.pump() : this.#wake()),
      closed: () => {
        this.#wake();
        feed.leave(this);
      },
    });
  }

  /** Resolves when it follows live, or is gone. Rejects with what reading the log throws. */
  async begin(from: StartPoint): Promise<void> {
    const { live } = this.#feed;
    await live.ready;
    const start = await this.#start(from);
    this.connection.write(start.frame);
    this.#seq = start.seq;
    await this.#replay();
    if (this.connection.isClosed) return;
    const { cursor } = live;
    this.connection.write(noticeFrame('replay.completed', { type: 'replay.completed', seq: this.#seq }, cursor));
    this.#isLive = true;
    if (live.log.isFinished && live.view.seq >= live.log.lastSeq) return this.connection.end();
    this.#feed.join(this);
  }

  /** Writes what has come since, as far as the reader takes it. */
  pump(): void {
    const { ring, live } = this.#feed;
    const isServed = () => this.connection.isClosed || this.connection.isBlocked;
    while (!isServed()) {
      if (!ring.reaches(this.#seq)) {
        this.#tellLag();
        continue;
      }
      const chunk = ring.chunkAfter(this.#seq, this.#filter);
      if (chunk === undefined) break;
      this.connection.write(chunk.data);
      this.#seq = chunk.seq;
    }
    if (!isServed() && live.view.ended !== undefined && this.#seq >= live.view.seq) this.connection.end();
  }

  async #start(from: StartPoint): Promise<{ readonly frame: Buffer; readonly seq: number }> {
    const { live } = this.#feed;
    const known = from.kind === 'after' ? await this.#viewAt(from) : undefined;
    if (known !== undefined) return snapshotOf(known, known.seq, false);
    if (from.kind !== 'all') return snapshotOf(live.view, live.view.seq, true);
    const first = await live.firstSeq();
    const { view } = live;
    return first === 1 ? snapshotOf(startView(view), 0, true) : snapshotOf(view, Math.min(first - 1, view.seq), true);
  }

  /** The view that the reader has; undefined when it cannot have seen this log there, or the log goes on from there no more. */
  async #viewAt({ epoch, seq }: { epoch: number; seq: number }): Promise<SessionView | undefined> {
    const { live } = this.#feed;
    if (seq > live.view.seq || (seq < live.view.seq && seq + 1 < (await live.firstSeq()))) return undefined;
    const view = await live.viewAt(seq);
    return view !== undefined && (view.epoch === epoch || seq === 0) ? view : undefined;
  }

  async #replay(): Promise<void> {
    const { live } = this.#feed;
    while (!this.connection.isClosed && this.#seq < live.view.seq) {
      const page = await live.log.page(this.#seq, PAGE_ITEMS);
      if (page.length === 0 || page[0]?.type === 'log.truncated') {
        this.#tellLag();
        continue;
      }
      for (const event of page) await this.#give(event);
    }
  }

  async #give(event: ObservedEvent): Promise<void> {
    if (!('epoch' in event) || this.connection.isClosed) return;
    this.#seq = event.seq;
    if (!this.#filter.passes(event.type, event.type === 'message' ? event.message.type : undefined)) return;
    this.connection.write(eventFrame(event));
    if (!this.connection.isBlocked) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** What it has not taken is gone: it is told so, and begins anew with what is so now. */
  #tellLag(): void {
    const { view } = this.#feed.live;
    const [from, to] = [this.#seq + 1, view.seq];
    const lag = { type: 'subscriber.lagged', from, to, missed: to - from + 1 };
    this.connection.write(noticeFrame('subscriber.lagged', lag));
    this.connection.write(snapshotOf(view, view.seq, true).frame);
    this.#seq = view.seq;
  }
}

/** `from`: what is told next comes after that event. `reset`: what the reader knew counts no more. */
function snapshotOf(view: SessionView, from: number, reset: boolean): { readonly frame: Buffer; readonly seq: number } {
  const data = { type: 'snapshot', view, from, ...(reset ? { reset } : {}) };
  return { frame: noticeFrame('snapshot', data, `${view.epoch}:${from}`), seq: from };
}
