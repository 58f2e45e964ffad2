import { applyToTranscript } from '../../view/apply-to-transcript.ts';
import { EMPTY_TRANSCRIPT, type Transcript } from '../../view/transcript.ts';
import type { ViewEvent } from '../../view/view-event.ts';
import type { LogPage } from './log-page.ts';

const PAGE = 500;
/** Events of the log that are read at first. */
const NEWEST = 1_000;
/** Of a gap that is longer the newest part alone is read, and the rest on demand. */
const MOST_MISSED = 5_000;
/** Events that are kept while the log is read; of more the log is read once more. */
const MOST_PENDING = 5_000;
const RETRY_MS = 1_000;

interface ReaderOptions {
  /** A page of the log behind an event. */
  readonly read: (after: number, limit: number) => Promise<LogPage>;
  readonly onChange: () => void;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

/** The transcript of a session: first of the newest part of its log, then of what happens. What a stream left out is read from the log. */
export class TranscriptReader {
  readonly #options: ReaderOptions;
  #transcript = EMPTY_TRANSCRIPT;
  /** The event behind which it begins; undefined before anything was told. */
  #start: number | undefined;
  #hasEarlier = false;
  /** Of the reading under way: up to where, and what happens meanwhile. */
  #reading: { upTo: number; pending: ViewEvent[] } | undefined;
  #isClosed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** True while the log has a part before what was read. */
  get hasEarlier(): boolean {
    return this.#hasEarlier;
  }

  /** The stream goes on behind that event. */
  goesOn(seq: number): Promise<void> {
    const known = this.#reading?.upTo ?? this.#transcript.seq;
    if (this.#start !== undefined && seq === known) return Promise.resolve();
    const isNear = this.#start !== undefined && seq > known && seq - this.#transcript.seq <= MOST_MISSED;
    return isNear ? this.#fill(this.#transcript, seq) : this.#begin(Math.max(0, seq - NEWEST), seq);
  }

  hear(event: ViewEvent): void {
    const reading = this.#reading;
    if (reading === undefined) {
      this.#transcript = applyToTranscript(this.#transcript, event);
      return;
    }
    if (reading.pending.length < MOST_PENDING) {
      reading.pending.push(event);
      return;
    }
    reading.pending = [];
    reading.upTo = event.seq;
  }

  /** Reads twice as much of the log, and makes the transcript of it. */
  readEarlier(): Promise<void> {
    if (this.#start === undefined || this.isReading) return Promise.resolve();
    const { seq } = this.#transcript;
    return this.#begin(Math.max(0, seq - 2 * Math.max(NEWEST, seq - this.#start)), seq);
  }

  close(): void {
    this.#isClosed = true;
  }

  #begin(start: number, upTo: number): Promise<void> {
    this.#start = start;
    this.#hasEarlier = start > 0;
    return this.#fill({ ...EMPTY_TRANSCRIPT, seq: start }, upTo);
  }

  async #fill(from: Transcript, upTo: number): Promise<void> {
    const reading = { upTo, pending: [] as ViewEvent[] };
    this.#reading = reading;
    this.#options.onChange();
    let transcript = from;
    for (let after: number | undefined = from.seq; after !== undefined && after < reading.upTo; ) {
      const page = await this.#page(after, reading);
      if (page === undefined) return;
      const [first] = page.events;
      // The log does not hold it any more.
      if (first !== undefined && after === this.#start && first.seq > after + 1) this.#hasEarlier = false;
      transcript = page.events.reduce(applyToTranscript, transcript);
      after = page.next;
    }
    for (const event of reading.pending) transcript = applyToTranscript(transcript, event);
    this.#transcript = transcript.seq < reading.upTo ? { ...transcript, seq: reading.upTo } : transcript;
    this.#reading = undefined;
    this.#options.onChange();
  }

  /** Tried until there is one; undefined when nobody wants it any more. */
  async #page(after: number, reading: object): Promise<LogPage | undefined> {
    while (!this.#isClosed && this.#reading === reading) {
      const page = await this.#options.read(after, PAGE).catch(() => undefined);
      if (this.#isClosed || this.#reading !== reading) return undefined;
      if (page !== undefined) return page;
      await this.#options.pause(RETRY_MS);
    }
    return undefined;
  }
}
