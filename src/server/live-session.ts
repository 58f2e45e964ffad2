import { logOf, type Session } from '../session/session.ts';
import type { EventLog } from '../store/event-log.ts';
import type { EventRun } from '../store/event-run.ts';
import type { ObservedEvent, SessionEvent } from '../store/session-event.ts';
import { applyEvent } from '../view/apply-event.ts';
import { type SessionView, startView } from '../view/session-view.ts';
import { viewEventOf, viewEventOfRun } from './event-frame.ts';
import { viewOfLibrary } from './library-view.ts';

/** Events that are read at once, before anybody else gets his turn. */
const PAGE_ITEMS = 500;
/** A view is kept every so many events, so that an earlier one is soon there again. */
const CHECKPOINT_EVENTS = 2_000;
const MOST_CHECKPOINTS = 64;

/** Who follows a session: it hears each event, and in one piece what was logged so. */
export interface LiveHearer {
  readonly hear: (event: SessionEvent) => void;
  readonly hearRun: (run: EventRun) => void;
}

/** The view of a session has moved; `event` is undefined for pieces of an answer. */
export type OnMoved = (live: LiveSession, event: SessionEvent | undefined) => void;

/** One session as its server sees it: the fold of all that was published of it, and nothing that was not. */
export class LiveSession {
  readonly session: Session;
  readonly log: EventLog;
  /** Resolves when the view holds everything that is published. */
  readonly ready: Promise<void>;
  readonly #onEvent: OnMoved;
  readonly #hearers = new Set<LiveHearer>();
  #view: SessionView;
  /** The oldest of which the view is a fold; what was before it is known from the library only. */
  #checkpoints: SessionView[];
  #isReady = false;

  constructor(session: Session, onEvent: OnMoved) {
    const { id, key, groups } = session;
    this.session = session;
    this.log = logOf(session);
    this.#onEvent = onEvent;
    this.#view = startView({ id, groups, ...(key === undefined ? {} : { key }) });
    this.#checkpoints = [this.#view];
    this.ready = this.#catchUp();
  }

  get id(): string {
    return this.session.id;
  }

  get view(): SessionView {
    return this.#view;
  }

  /** False while the view is still on its way to what is published. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** `<epoch>:<seq>` of the newest event that is published. */
  get cursor(): string {
    return `${this.#view.epoch}:${this.#view.seq}`;
  }

  /** Calls with every event after those of the view, when the view holds it. Returns the way to stop. */
  listen(hearer: LiveHearer): () => void {
    this.#hearers.add(hearer);
    return () => this.#hearers.delete(hearer);
  }

  /** The view at that event; undefined where the log does not reach back to what it takes. */
  async viewAt(seq: number): Promise<SessionView | undefined> {
    if (seq === this.#view.seq) return this.#view;
    let view = this.#checkpoints.findLast((one) => one.seq <= seq);
    while (view !== undefined && view.seq < seq) {
      const page = await this.log.page(view.seq, Math.min(PAGE_ITEMS, seq - view.seq));
      if (page.length === 0 || page.some(isNotice)) return undefined;
      view = folded(view, page);
    }
    return view;
  }

  /** `<epoch>:<seq>` of that event; undefined where it cannot be read any more, or not yet. */
  async cursorAt(seq: number): Promise<string | undefined> {
    if (seq === 0) return '0:0';
    const [event] = seq < 0 ? [] : await this.log.page(seq - 1, 1);
    return event !== undefined && 'epoch' in event && event.seq === seq ? `${event.epoch}:${seq}` : undefined;
  }

  /** The beginning of what the log holds: everything after it can be read. */
  async firstSeq(): Promise<number> {
    const [first] = await this.log.page(0, 1);
    if (first === undefined) return this.log.publishedSeq + 1;
    return first.type === 'log.truncated' ? first.firstSeq : 'seq' in first ? first.seq : 1;
  }

  async #catchUp(): Promise<void> {
    const { log } = this;
    while (this.#view.seq < log.publishedSeq) {
      const page = await log.page(this.#view.seq, PAGE_ITEMS);
      if (page.length === 0 || page.some(isNotice)) return this.#seedFromLibrary();
      this.#move(folded(this.#view, page));
    }
    // Nothing was awaited since the last look: no event falls between.
    this.#goLive();
  }

  /** What led to it cannot be read any more: the library says how it is, at a moment when all of that is published. */
  #seedFromLibrary(): Promise<void> {
    return new Promise((resolve) => {
      this.log.whenPublished(() => {
        this.#view = viewOfLibrary(this.session, this.log, this.#view);
        this.#checkpoints = [this.#view];
        this.#goLive();
        resolve();
      });
    });
  }

  #goLive(): void {
    this.log.listen(
      (event) => this.#hear(event),
      (run) => this.#hearRun(run),
    );
    this.#isReady = true;
  }

  #hear(event: SessionEvent): void {
    this.#move(applyEvent(this.#view, viewEventOf(event)));
    this.#onEvent(this, event);
    for (const { hear } of this.#hearers) hear(event);
  }

  /** Pieces of an answer move a view to the last of them, and change nothing else of it. */
  #hearRun(run: EventRun): void {
    this.#move(applyEvent(this.#view, viewEventOfRun(run)));
    this.#onEvent(this, undefined);
    for (const { hearRun } of this.#hearers) hearRun(run);
  }

  #move(view: SessionView): void {
    this.#view = view;
    const newest = this.#checkpoints.at(-1);
    if (newest !== undefined && view.seq - newest.seq < CHECKPOINT_EVENTS) return;
    this.#checkpoints.push(view);
    if (this.#checkpoints.length <= MOST_CHECKPOINTS) return;
    // The beginning stays, and every other one: any place can be reached from one before it.
    this.#checkpoints = this.#checkpoints.filter((_, index) => index % 2 === 0);
  }
}

function isNotice(event: ObservedEvent): boolean {
  return !('seq' in event && 'epoch' in event);
}

function folded(view: SessionView, page: readonly ObservedEvent[]): SessionView {
  return page.reduce((sum, event) => ('epoch' in event ? applyEvent(sum, viewEventOf(event)) : sum), view);
}
