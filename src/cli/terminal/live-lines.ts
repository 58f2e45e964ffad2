import type { WriteStream } from 'node:tty';
import { wrapped } from './fitted-text.ts';

const ESC = '\u001b[';
const REST_OF_SCREEN = `${ESC}J`;
const [HIDE_CURSOR, SHOW_CURSOR] = [`${ESC}?25l`, `${ESC}?25h`];

/** Where lines and pieces of text go, one after the other. */
export interface LineSink {
  /** A piece of text that goes on where the last one ended. It must be harmless. */
  piece(text: string): void;
  /** A line of its own, painted. */
  line(text: string): void;
}

/**
 * Output that scrolls away above a footer that stays. What is above becomes ordinary text of the terminal: it can be scrolled back to and copied.
 * The cursor stands at the beginning of the row that is not finished yet.
 */
export class LiveLines implements LineSink {
  readonly #output: WriteStream;
  #partial = '';
  #footer: readonly string[] = [];
  #isOpen = true;

  constructor(output: WriteStream) {
    this.#output = output;
    output.write(HIDE_CURSOR);
    process.once('exit', this.#restore);
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  piece(text: string): void {
    // Whole rows: one that the terminal wraps by itself could not be taken back.
    const rows = wrapped(this.#partial + text, this.columns - 1);
    this.#partial = rows.pop() ?? '';
    this.#draw(rows.map((row) => `${row}\r\n`).join(''));
  }

  line(text: string): void {
    const before = this.#partial === '' ? '' : `${this.#partial}\r\n`;
    this.#partial = '';
    this.#draw(`${before}${text}\r\n`);
  }

  /** Rows that stay below; each narrower than the terminal. */
  footer(lines: readonly string[]): void {
    if (lines.join('\n') === this.#footer.join('\n')) return;
    this.#footer = lines;
    this.#draw('');
  }

  /** The same at another width. */
  redraw(): void {
    this.#draw('');
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#footer = [];
    this.#draw(this.#partial === '' ? '' : `${this.#partial}\r\n`, true);
    process.off('exit', this.#restore);
    this.#restore();
  }

  #draw(above: string, isLast = false): void {
    if (!this.#isOpen) return;
    const below = this.#footer.map((line) => `\r\n${line}`).join('');
    const back = this.#footer.length === 0 ? '\r' : `\r${ESC}${this.#footer.length}A`;
    this.#output.write(`\r${REST_OF_SCREEN}${above}${isLast ? '' : `${this.#partial}${below}${back}`}`);
  }

  readonly #restore = () => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(`${REST_OF_SCREEN}${SHOW_CURSOR}`);
  };
}

/** The same where nothing can be taken back: in a file or a pipe. */
export function plainLines(write: (text: string) => void): LineSink {
  let endsLine = true;
  return {
    piece(text) {
      if (text === '') return;
      write(text);
      endsLine = text.endsWith('\n');
    },
    line(text) {
      write(`${endsLine ? '' : '\n'}${text}\n`);
      endsLine = true;
    },
  };
}
