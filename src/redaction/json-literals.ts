const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The line with its texts and numbers changed, and every other byte as it was. `change` gets what stands between two quotes,
 * decoded, and returns the same for no change; numbers that it changes become texts. Undefined when nothing was changed.
 */
export function changeLiterals(line: Buffer, change: (text: string) => string): Buffer | undefined {
  const pieces: Buffer[] = [];
  let told = 0;
  const replace = (start: number, end: number, by: string) => {
    pieces.push(line.subarray(told, start), Buffer.from(by));
    told = end;
  };
  for (let at = 0; at < line.length; ) {
    const open = line.indexOf(QUOTE, at);
    const bare = open === -1 ? line.length : open;
    changeNumbers(line, at, bare, change, replace);
    if (open === -1) break;
    const close = literalEnd(line, open + 1);
    const literal = line.toString('utf8', open + 1, close);
    const text = decoded(literal);
    const changed = change(text ?? literal);
    if (changed !== (text ?? literal)) replace(open + 1, close, JSON.stringify(changed).slice(1, -1));
    at = close + 1;
  }
  if (told === 0) return undefined;
  pieces.push(line.subarray(told));
  return Buffer.concat(pieces);
}

/** Where the text that begins at `start` ends: its closing quote, or the end of a line that was cut. */
export function literalEnd(line: Buffer, start: number): number {
  let quote = line.indexOf(QUOTE, start);
  while (quote !== -1) {
    let backslashes = 0;
    while (line[quote - 1 - backslashes] === BACKSLASH && quote - 1 - backslashes >= start) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = line.indexOf(QUOTE, quote + 1);
  }
  return line.length;
}

function changeNumbers(
  line: Buffer,
  start: number,
  end: number,
  change: (text: string) => string,
  replace: (start: number, end: number, by: string) => void,
): void {
  // No bare value is shorter than the shortest secret and punctuation around it.
  if (end - start < 8) return;
  for (const { 0: number, index } of line.toString('latin1', start, end).matchAll(/-?\d[\d.eE+-]*/g)) {
    const changed = change(number);
    if (changed !== number) replace(start + index, start + index + number.length, JSON.stringify(changed));
  }
}

function decoded(literal: string): string | undefined {
  if (!literal.includes('\\')) return literal;
  try {
    const text: unknown = JSON.parse(`"${literal}"`);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
