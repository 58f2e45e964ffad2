import { cutTo, padTo, widthOf } from './fitted-text.ts';
import { plainLine } from './plain-text.ts';

/** One field of a table. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = 2;
/** A column that may shrink keeps at least this much. */
const LEAST = 8;

/** Rows in columns. With a limit, the columns named `flexible` give way, the last of them first, until a row fits. */
export function tableOf(
  rows: readonly (readonly Cell[])[],
  { columns = Number.POSITIVE_INFINITY, flexible = [] }: { columns?: number; flexible?: readonly number[] } = {},
): string[] {
  const plainRows = rows.map((cells) => cells.map((cell) => ({ ...cell, text: plainLine(cell.text) })));
  const widths: number[] = [];
  for (const cells of plainRows)
    for (const [at, { text }] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(text));
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  for (const at of flexible.toReversed()) {
    const width = widths[at] ?? 0;
    const give = Math.max(0, Math.min(excess, width - LEAST));
    widths[at] = width - give;
    excess -= give;
  }
  return plainRows.map((cells) => rowOf(cells, widths, columns));
}

function rowOf(cells: readonly Cell[], widths: readonly number[], columns: number): string {
  let [row, used] = ['', 0];
  for (const [at, { text, paint = same }] of cells.entries()) {
    const width = Math.min(widths[at] ?? 0, Math.max(0, columns - used));
    const shown = cutTo(text, width);
    const isLast = at === cells.length - 1;
    const blanks = isLast ? '' : padTo(shown, width).slice(shown.length) + ' '.repeat(GAP);
    row += `${shown === '' ? '' : paint(shown)}${blanks}`;
    used += width + GAP;
  }
  return row.trimEnd();
}

function same(text: string): string {
  return text;
}
