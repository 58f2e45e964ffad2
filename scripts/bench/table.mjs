import { judged } from './verdict.mjs';

/** A line of the table for each check of a row. */
export function linesOf({ row, measure, target, checks }, figures) {
  return checks.map((check) => {
    const { measured, verdict, own } = judged(check, figures);
    return {
      row,
      measure,
      case: check.name ?? check.case,
      target,
      unit: check.unit,
      figures: { ...peersOf(check, figures), troupe: own },
      compared: comparedWith(check),
      measured,
      atMost: check.atMost,
      verdict,
    };
  });
}

function peersOf({ case: name, figure }, figures) {
  return Object.fromEntries(Object.entries(figures[name] ?? {}).map(([adapter, values]) => [adapter, values[figure]]));
}

function comparedWith({ of, above, case: name }) {
  const other = of ?? above;
  if (other === undefined) return '';
  const words = [other.adapter, other.case === name ? undefined : other.case].filter((word) => word !== undefined);
  return above === undefined ? `× ${words.join(', ')}` : `above ${words.join(', ')}`;
}

const PEERS = ['troupe', 'sdk', 'bare', 'pipe', 'relay'];

/** For a terminal. */
export function asText(lines) {
  const rows = lines.map(({ row, case: name, unit, figures, compared, measured, atMost, verdict }) => [
    String(row),
    name,
    unit,
    peersAsText(figures),
    `${short(measured)} ${compared}`.trim(),
    atMost === undefined ? '' : `≤ ${short(atMost)}`,
    verdict,
  ]);
  const all = [['row', 'case', 'figure', 'measured', 'compared', 'target', 'verdict'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((cells) => cells[column].length)));
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A row of the table of a page: a line for each check. */
export function markdownOf({ row, measure, target }, lines) {
  return lines
    .map((line, index) => `${index === 0 ? `| ${row} | ${measure} | ${target} |` : '|  |  |  |'} ${cellsOf(line)}`)
    .join('\n');
}

function cellsOf({ case: name, unit, figures, compared, measured, atMost, verdict }) {
  const limit = atMost === undefined ? '' : ` (≤ ${short(atMost)})`;
  const against = `${short(measured)} ${compared}`.trimEnd();
  return `${name}, ${unit}: ${peersAsText(figures)} | ${against}${limit} | ${verdict} |`;
}

function peersAsText(figures) {
  return PEERS.filter((peer) => figures[peer] !== undefined)
    .map((peer) => `${peer} ${short(figures[peer])}`)
    .join(', ');
}

export function short(value) {
  if (value === undefined || Number.isNaN(value)) return '—';
  if (value === 0) return '0';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
