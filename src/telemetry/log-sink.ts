import { pino } from 'pino';

/** What may wait for a reader that does not read; beyond it lines are dropped, and counted (P9, R100). */
const MOST_WAITING_BYTES = 1024 * 1024;

/** What is used of the stream of pino. */
export interface BoundedStream {
  write(text: string): unknown;
  on(event: 'drop', listener: () => void): unknown;
}

/** A file descriptor that is written to without waiting for it. */
export function boundedDescriptor(fd: number): BoundedStream {
  return pino.destination({ fd, sync: false, maxLength: MOST_WAITING_BYTES });
}

/**
 * Where log lines go. Never waits for whoever reads them: what does not fit is dropped, and how many lines that were is the next
 * thing told. `show` makes of a line what a person reads.
 */
export class LogSink {
  readonly #stream: BoundedStream;
  readonly #show: (line: string) => string;
  #dropped = 0;

  constructor(stream: BoundedStream, show: (line: string) => string = (line) => line) {
    this.#stream = stream;
    this.#show = show;
    stream.on('drop', () => {
      this.#dropped += 1;
    });
  }

  /** Lines that were dropped and not told yet. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#dropped > 0) this.#tellDropped();
    this.#stream.write(this.#show(line));
  }

  #tellDropped(): void {
    const lines = this.#dropped;
    this.#dropped = 0;
    const notice = { level: 40, time: Date.now(), lines, msg: 'log.dropped' };
    this.#stream.write(this.#show(`${JSON.stringify(notice)}\n`));
    // The notice itself may not fit either; it is no line of its own.
    if (this.#dropped > 0) this.#dropped = lines;
  }
}
