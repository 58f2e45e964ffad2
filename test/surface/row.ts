import { existsSync, readFileSync } from 'node:fs';

/** Where a name or a behaviour is shown: a test file, and words of a title in it. */
export type Shown = readonly [file: string, title: string];
export type Row = Shown | { readonly missing: string };

const ROOT = new URL('../../', import.meta.url);
const SHORTEST_REASON = 20;
const TITLE = /[([]\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:\w+,\s*)?(?:async\b|\(|\{|\w+ =>)/g;

/** What is wrong with a row: a file that is not there, or does not hold such a test; a reason that gives none. */
export function faultOf(row: Row): string | undefined {
  if ('missing' in row) return faultOfReason(row.missing);
  const [file, title] = row;
  const url = new URL(file, ROOT);
  if (!existsSync(url)) return `${file} does not exist`;
  return titlesIn(file).some((found) => found.includes(title)) ? undefined : `${file} has no test like "${title}"`;
}

/** The titles in a test file: texts that a call, or a row of a suite, has first, before a function or options. */
function titlesIn(file: string): readonly string[] {
  const text = readFileSync(new URL(file, ROOT), 'utf8');
  return [...text.matchAll(TITLE)].map(([, , title = '']) => title);
}

export function faultOfReason(reason: string): string | undefined {
  return reason.length > SHORTEST_REASON ? undefined : 'gives no reason';
}
