import { DEFAULT_MAX_LINE_BYTES, LineSplitter } from '../../wire/line-splitter.ts';

const LINE_FEED = 0x0a;

/** The lines of a process, as they come, with lines of our own between them: never within one. */
export class OutputWeave {
  readonly #output: (bytes: Buffer) => void;
  readonly #look: (line: Buffer) => void;
  #splitter = new LineSplitter({ maxLineBytes: DEFAULT_MAX_LINE_BYTES });
  #waiting: Buffer[] = [];
  #isWithin = false;

  /** `look` sees each whole line of the process before anybody reads it. */
  constructor(output: (bytes: Buffer) => void, look: (line: Buffer) => void) {
    this.#output = output;
    this.#look = look;
  }

  pass(chunk: Buffer): void {
    this.#splitter.push(chunk, this.#look);
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      this.#output(chunk.subarray(0, end));
      this.#isWithin = false;
      this.#release();
    }
    if (end === chunk.length) return;
    this.#isWithin = true;
    this.#output(chunk.subarray(end));
  }

  say(frame: object): void {
    this.#waiting.push(Buffer.from(`${JSON.stringify(frame)}\n`));
    if (!this.#isWithin) this.#release();
  }

  /** The process is over: a last line without its end has one now. */
  end(): void {
    const tail = this.#splitter.end();
    if (tail !== undefined) this.#look(tail);
    this.#splitter = new LineSplitter({ maxLineBytes: DEFAULT_MAX_LINE_BYTES });
    if (this.#isWithin) this.#output(Buffer.from('\n'));
    this.#isWithin = false;
    this.#release();
  }

  #release(): void {
    for (const line of this.#waiting.splice(0)) this.#output(line);
  }
}
