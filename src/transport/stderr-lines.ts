import { StringDecoder } from 'node:string_decoder';

/** A line longer than this is handed over in pieces of this length (UTF-16 units). */
export const MAX_STDERR_LINE_LENGTH = 16 * 1024;

export interface StderrLines {
  push(chunk: Buffer): void;
  /** Hands over a last line that had no line end. */
  end(): void;
}

/** Cuts stderr into lines without their line end. A listener that throws does not stop later lines (R100). */
export function createStderrLines(listener: (line: string) => void): StderrLines {
  const decoder = new StringDecoder('utf8');
  let unfinished = '';

  function take(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const whole = unfinished + line;
      unfinished = '';
      tell(tellLongPart(whole.endsWith('\r') ? whole.slice(0, -1) : whole));
    }
    unfinished = tellLongPart(unfinished + last);
  }

  function tellLongPart(text: string): string {
    let rest = text;
    while (rest.length > MAX_STDERR_LINE_LENGTH) {
      const piece = firstPiece(rest);
      tell(piece);
      rest = rest.slice(piece.length);
    }
    return rest;
  }

  function tell(line: string): void {
    try {
      listener(line);
    } catch {
      // An observer's failure is its own: the pipe must be drained and the next line told.
    }
  }

  return {
    push: (chunk) => take(decoder.write(chunk)),
    end() {
      take(decoder.end());
      if (unfinished !== '') tell(unfinished);
      unfinished = '';
    },
  };
}

/** Never ends between the two halves of a surrogate pair, which would tear one character into two broken ones. */
function firstPiece(text: string): string {
  const lastUnit = text.charCodeAt(MAX_STDERR_LINE_LENGTH - 1);
  const isHighSurrogate = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return text.slice(0, isHighSurrogate ? MAX_STDERR_LINE_LENGTH - 1 : MAX_STDERR_LINE_LENGTH);
}
