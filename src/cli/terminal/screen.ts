import type { WriteStream } from 'node:tty';

const ESC = '\u001b[';
/** Without a cursor, and lines that are too long end at the edge. */
const [ENTER, LEAVE] = [`${ESC}?1049h${ESC}?25l${ESC}?7l`, `${ESC}?7h${ESC}?25h${ESC}?1049l`];
const [HOME, REST_OF_LINE, REST_OF_SCREEN] = [`${ESC}H`, `${ESC}K`, `${ESC}J`];

/** The whole terminal for a page that is drawn anew; what was on it comes back afterwards. */
export class Screen {
  readonly #output: WriteStream;
  #isOpen = false;

  constructor(output: WriteStream) {
    this.#output = output;
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  open(): void {
    this.#isOpen = true;
    this.#output.write(ENTER);
    // Whatever ends this process, the terminal is as it was.
    process.once('exit', this.#leave);
  }

  /** Lines that are too many are cut off; each must be as wide as the terminal at the most. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const shown = lines.slice(0, this.rows).map((line) => `${line}${REST_OF_LINE}`);
    this.#output.write(`${HOME}${shown.join('\r\n')}${REST_OF_SCREEN}`);
  }

  close(): void {
    process.off('exit', this.#leave);
    this.#leave();
  }

  readonly #leave = () => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(LEAVE);
  };
}
