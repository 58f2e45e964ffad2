import type { Journal } from './journal.ts';
import type { JsonObject } from './scenario.ts';

/** A longer line is journaled as cut text. */
const MAX_JOURNALED_BYTES = 64 * 1024;

/** Longest line kept in memory; the CLI itself took 20 MB (WIRE §14). */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

export interface InputListeners {
  /** Lines without a `type` are good ones. */
  readonly isUntyped: boolean;
  message(message: JsonObject): void;
  /** A line that ends the real CLI with exit code 1; `complaint` is its text on stderr. */
  fatal(complaint: string): void;
}

/** Cuts stdin into lines and judges them as the CLI does (WIRE §14); what only a careless host sends is journaled. */
export class Input {
  readonly #journal: Journal;
  readonly #listeners: InputListeners;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;

  constructor(journal: Journal, listeners: InputListeners) {
    this.#journal = journal;
    this.#listeners = listeners;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#pieces, chunk.subarray(from, end)]);
      this.#pieces = [];
      this.#pendingBytes = 0;
      from = end + 1;
      this.#line(line);
    }
    if (from === chunk.length) return;
    this.#pieces.push(chunk.subarray(from));
    this.#pendingBytes += chunk.length - from;
    if (this.#pendingBytes > MAX_LINE_BYTES) this.#listeners.fatal('Error: line too long');
  }

  end(): void {
    if (this.#pieces.length === 0) return;
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#journal.violation('unfinished-line', line.toString('utf8', 0, 200));
    this.#line(line);
  }

  #line(bytes: Buffer): void {
    const text = bytes.toString('utf8');
    if (text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes)) {
      this.#journal.violation('invalid-utf8', text);
    }
    if (text.trim() === '') {
      this.#journal.violation('blank-line', JSON.stringify(text));
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#journal.add({ kind: 'line', bytes: bytes.length, text: text.slice(0, MAX_JOURNALED_BYTES) });
      this.#journal.violation('broken-frame', text);
      this.#listeners.fatal(unparsable(text, (error as Error).name));
      return;
    }
    const kept = bytes.length > MAX_JOURNALED_BYTES ? { text: text.slice(0, MAX_JOURNALED_BYTES) } : { message };
    this.#journal.add({ kind: 'line', bytes: bytes.length, ...kept });
    this.#judge(message, text);
  }

  #judge(message: unknown, text: string): void {
    if (message === null) {
      this.#journal.violation('not-an-object', text);
      this.#listeners.fatal(unparsable(text, 'TypeError'));
    } else if (
      typeof message !== 'object' ||
      Array.isArray(message) ||
      !(this.#listeners.isUntyped || 'type' in message)
    ) {
      this.#journal.violation('not-an-object', text);
    } else {
      this.#listeners.message(message as JsonObject);
    }
  }
}

function unparsable(text: string, name: string): string {
  return `Error parsing streaming input line (type=unknown, ${text.length} chars): ${name}`;
}
