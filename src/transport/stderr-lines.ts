import { StringDecoder } from 'node:string_decoder';

/** A line longer than this is handed over in pieces of this length (UTF-16 units). */
export const MAX_STDERR_LINE_LENGTH = 16 * 1024;

/** Cuts stderr into lines without their line end. A listener that throws does not stop later lines (R100). */
export class StderrLines {
  readonly #listener: (line: string) => void;
  /** Most processes never write to stderr. */
  #decoder: StringDecoder | undefined;
  #unfinished = '';

  constructor(listener: (line: string) => void) {
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    this.#decoder ??= new StringDecoder('utf8');
    this.#take(this.#decoder.write(chunk));
  }

  /** Hands over a last line that had no line end. */
  end(): void {
    if (this.#decoder !== undefined) this.#take(this.#decoder.end());
    if (this.#unfinished !== '') this.#tell(this.#unfinished);
    this.#unfinished = '';
  }

  #take(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const whole = this.#unfinished + line;
      this.#unfinished = '';
      this.#tell(this.#tellLongPart(whole.endsWith('\r') ? whole.slice(0, -1) : whole));
    }
    this.#unfinished = this.#tellLongPart(this.#unfinished + last);
  }

  #tellLongPart(text: string): string {
    let rest = text;
    while (rest.length > MAX_STDERR_LINE_LENGTH) {
      const piece = firstPiece(rest);
      this.#tell(piece);
      rest = rest.slice(piece.length);
    }
    return rest;
  }

  #tell(line: string): void {
    try {
      this.#listener(line);
    } catch {
      // An observer's failure is its own: the pipe must be drained and the next line told.
    }
  }
}

/** Never ends between the two halves of a surrogate pair, which would tear one character into two broken ones. */
function firstPiece(text: string): string {
  const lastUnit = text.charCodeAt(MAX_STDERR_LINE_LENGTH - 1);
  const isHighSurrogate = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return text.slice(0, isHighSurrogate ? MAX_STDERR_LINE_LENGTH - 1 : MAX_STDERR_LINE_LENGTH);
}
