import { applyEvent } from '../../view/apply-event.ts';
import { applyToTranscript } from '../../view/apply-to-transcript.ts';
import { type SessionView, startView } from '../../view/session-view.ts';
import { EMPTY_TRANSCRIPT } from '../../view/transcript.ts';
import type { ViewEvent } from '../../view/view-event.ts';
import { logPageOf, logPath } from '../main/log-page.ts';
import type { Source } from '../main/source.ts';
import type { Moment } from '../session/session-model.ts';
import { type Marks, marked, NO_MARKS } from './marks.ts';

const PAGE = 500;
/** Events that are read; a longer log is shown from its beginning up to there. */
const MOST_EVENTS = 100_000;
/** Between two moments that are kept, so that going to one folds no more than so many events. */
const STEP = 500;

/** The log of a session, read from its beginning, and what the session was after each of its events. */
export class PastLog {
  readonly #source: Pick<Source, 'ask'>;
  readonly #id: string;
  readonly #events: ViewEvent[] = [];
  readonly #kept: Moment[];
  #marks: Marks = NO_MARKS;
  #read = 0;

  constructor(source: Pick<Source, 'ask'>, view: Pick<SessionView, 'id' | 'key' | 'groups'>) {
    this.#source = source;
    this.#id = view.id;
    this.#kept = [{ seq: 0, view: startView(view), transcript: EMPTY_TRANSCRIPT }];
  }

  get marks(): Marks {
    return this.#marks;
  }

  /** The last event that was read. */
  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  get firstSeq(): number {
    return this.#events[0]?.seq ?? 0;
  }

  /** When an event was logged, in epoch milliseconds. */
  timeOf(seq: number): number | undefined {
    return this.#events.findLast((event) => event.seq <= seq)?.at;
  }

  /** Reads what the log has got since. Rejects as the server refuses. */
  async readOn(): Promise<void> {
    let next: number | undefined = this.#read;
    while (next !== undefined && this.#events.length < MOST_EVENTS) {
      const page = logPageOf(await this.#source.ask('GET', logPath(this.#id, next, PAGE)));
      for (const event of page.events) this.#take(event);
      this.#read = Math.max(this.#read, this.lastSeq);
      next = page.next;
    }
  }

  /** What the session was after that event; after the nearest one before it where the log holds it no more. */
  momentAt(seq: number): Moment {
    const start = this.#kept.findLast((moment) => moment.seq <= seq) ?? this.#begin();
    let { view, transcript } = start;
    // Binary search is not worth it: at most so many events lie between two kept moments.
    for (let index = this.#indexAfter(start.seq); index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (event === undefined || event.seq > seq) break;
      view = applyEvent(view, event);
      transcript = applyToTranscript(transcript, event);
    }
    return { seq: view.seq, view, transcript };
  }

  #take(event: ViewEvent): void {
    if (event.seq <= this.lastSeq) return;
    this.#events.push(event);
    this.#marks = marked(this.#marks, event);
    if (this.#events.length % STEP === 0) this.#kept.push(this.momentAt(event.seq));
  }

  /** Events are dense, so that the place of one is known from its number. */
  #indexAfter(seq: number): number {
    return Math.max(0, seq + 1 - this.firstSeq);
  }

  #begin(): Moment {
    const [first] = this.#kept;
    if (first === undefined) throw new Error('The first moment is always kept.');
    return first;
  }
}
