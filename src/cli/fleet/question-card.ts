import { changedLines } from '../../view/changed-lines.ts';
import type { PermissionView } from '../../view/session-view.ts';
import { changeOf } from '../../view/tool-change.ts';
import { cutTo, wrapped } from '../terminal/fitted-text.ts';
import { plain } from '../terminal/plain-text.ts';
import type { Style } from '../terminal/style.ts';

export interface CardOptions {
  readonly style: Style;
  readonly columns: number;
  /** Lines of the body that are shown; what is hidden is told. */
  readonly most?: number;
}

/** A question for a person: what would be done, in whole or with the number of lines that are not shown (P4). */
export function questionCard(question: PermissionView, { style, columns, most = Infinity }: CardOptions): string[] {
  const name = question.toolName ?? question.kind;
  const body = bodyOf(question, style, columns - 4);
  const shown = body.slice(0, most);
  const hidden = body.length - shown.length;
  return [
    `${style.yellow('?')} ${style.bold(question.displayName ?? name)}${question.agentId === undefined ? '' : style.dim(' asked by a subagent')}`,
    ...textLines(question.title, columns - 4).map((line) => `  ${style.text(line)}`),
    ...shown.map((line) => `  ${style.dim('│')} ${line}`),
    ...(hidden > 0
      ? [`  ${style.dim('│')} ${style.yellow(`… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`)}`]
      : []),
    ...textLines(question.decisionReason, columns - 14).map((line) => `  ${style.dim(`because ${line}`)}`),
    ...(question.blockedPath === undefined ? [] : [`  ${style.dim(`outside: ${question.blockedPath}`)}`]),
  ];
}

function bodyOf({ toolName = '', input }: PermissionView, style: Style, columns: number): string[] {
  const change = changeOf(toolName, input);
  if (change === undefined) return inputLines(input, columns).map((line) => style.text(line));
  const lines = change.parts.flatMap(({ before, after }) => changedLines(before, after));
  return [
    style.cyan(cutTo(plain(change.path), columns)),
    ...lines.flatMap(({ kind, text }) => {
      if (kind === 'gap') return [style.dim(`… ${text}`)];
      const sign = { same: ' ', gone: '-', new: '+' }[kind];
      const paint = { same: style.dim, gone: style.red, new: style.green }[kind];
      return textLines(text, columns - 2, true).map((row) => paint(`${sign} ${row}`));
    }),
  ];
}

/** A command as it stands; everything else of the input by name. */
function inputLines(input: unknown, columns: number): string[] {
  if (typeof input !== 'object' || input === null) return textLines(JSON.stringify(input), columns);
  const entries = Object.entries(input);
  return entries.flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const head = name === 'command' || entries.length === 1 ? '' : `${name}: `;
    return textLines(`${head}${text}`, columns);
  });
}

function textLines(text: string | undefined, columns: number, keepsEmpty = false): string[] {
  if (text === undefined || (text === '' && !keepsEmpty)) return [];
  return wrapped(plain(text), Math.max(20, columns));
}
