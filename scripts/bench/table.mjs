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
    PEERS.filter((peer) => figures[peer] !== undefined)
      .map((peer) => `${peer} ${short(figures[peer])}`)
      .join(', '),
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

/** For a page. */
export function asMarkdown(rows, lines) {
  const head = '| # | measure | target | measured | | verdict |\n| --- | --- | --- | --- | --- | --- |';
  const cells = lines.map(({ row, case: name, unit, figures, compared, measured, atMost, verdict }, index) => {
    const isFirst = lines[index - 1]?.row !== row;
    const { measure, target } = rows.find((one) => one.row === row);
    const limit = atMost === undefined ? '' : ` (≤ ${short(atMost)})`;
    const all = PEERS.filter((peer) => figures[peer] !== undefined).map((peer) => `${peer} ${short(figures[peer])}`);
    return `| ${isFirst ? row : ''} | ${isFirst ? measure : ''} | ${isFirst ? target : ''} | ${name}, ${unit}: ${all.join(', ')} | ${short(measured)} ${compared}${limit} | ${verdict} |`;
  });
  return [head, ...cells].join('\n');
}

export function short(value) {
  if (value === undefined || Number.isNaN(value)) return '—';
  if (value === 0) return '0';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
