import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ROWS } from './rows.mjs';
import { linesOf, markdownOf } from './table.mjs';

export const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const TABLE = /<!-- table -->[\s\S]*?<!-- end of table -->/;
const HEAD = '| # | measure | target | measured | compared | verdict |\n| --- | --- | --- | --- | --- | --- |';

/** Puts what was measured into the page; a row that was not keeps what stands there. */
export async function writePage(lines, machine) {
  await writeFile(PAGE, withTable(await readFile(PAGE, 'utf8'), lines, machine));
}

export function withTable(page, lines, machine) {
  const former = rowsOfPage(page);
  const rows = ROWS.map((row) => {
    const own = lines.filter(({ row: number }) => number === row.row);
    return own.length === 0 ? (former.get(row.row) ?? markdownOf(row, linesOf(row, {}))) : markdownOf(row, own);
  });
  const text = `<!-- table -->\n${machineLine(machine)}\n\n${HEAD}\n${rows.join('\n')}\n<!-- end of table -->`;
  return page.replace(TABLE, () => text);
}

/** The lines of the table by the number of their row; the first names it, the others leave the cell empty. */
export function rowsOfPage(page) {
  const rows = new Map();
  let number;
  for (const line of (TABLE.exec(page)?.[0] ?? '').split('\n')) {
    const [, cell] = /^\| (\d*) ?\|/.exec(line) ?? [];
    if (cell === undefined) continue;
    if (cell !== '') number = Number(cell);
    rows.set(number, rows.has(number) ? `${rows.get(number)}\n${line}` : line);
  }
  return rows;
}

function machineLine({ cpu, cores, memoryGb, kernel, node, loadBefore }) {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${kernel}, Node ${node.replace('v', '')}, load ${loadBefore} before.`;
}
