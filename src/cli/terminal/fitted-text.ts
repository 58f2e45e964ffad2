import stringWidth from 'string-width';

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns a text without escape sequences takes. */
export function widthOf(text: string): number {
  return stringWidth(text, { countAnsiEscapeCodes: true });
}

/** Cut to so many columns; the last one then says that something is missing. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let [cut, width] = ['', 0];
  for (const { segment } of SEGMENTS.segment(text)) {
    const more = widthOf(segment);
    if (width + more > columns - 1) break;
    cut += segment;
    width += more;
  }
  return columns < 1 ? '' : `${cut}…`;
}

/** With blanks behind it up to so many columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Rows of at most so many columns; a row ends at a blank where there is one. */
export function wrapped(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrappedLine(line, Math.max(1, columns)));
}

function wrappedLine(line: string, columns: number): string[] {
  const rows: string[] = [];
  let [row, width] = ['', 0];
  for (const { segment } of SEGMENTS.segment(line)) {
    const more = widthOf(segment);
    if (width + more > columns) {
      const blank = segment === ' ' ? row.length : row.lastIndexOf(' ');
      const isWord = blank > 0 && blank < row.length;
      rows.push(isWord ? row.slice(0, blank) : row);
      row = isWord ? row.slice(blank + 1) : '';
      width = widthOf(row);
      if (segment === ' ' && row === '') continue;
    }
    row += segment;
    width += more;
  }
  return [...rows, row];
}
