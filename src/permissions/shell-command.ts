import { fitsWildcard } from './wildcard.ts';

/** `perhaps`: what is run cannot be told from the text, so a rule that forbids cannot be ruled out. */
export type Fit = 'yes' | 'perhaps' | 'no';

/** Longer commands are not searched for forbidden parts; somebody has to look at them (P10). */
export const MAX_SEARCHED_COMMAND = 16_384;

const SEPARATORS = /[;&|\n\r(){}`]/;
/** What a word is made of; a `-` or `.` before a name makes it another one: `--rm`, `x.rm`. */
const WORD = /[\w.-]/;
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish']);
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', 'time', 'exec', 'command']);

/**
 * True for one command with literal words and nothing else: no list, pipe, redirection, substitution, expansion, escape,
 * assignment or line break. What is not understood is not simple.
 */
export function isSimpleCommand(command: string): boolean {
  if (/[\p{Cc}\u2028\u2029]/u.test(command)) return false;
  let quote = '';
  for (const character of command) {
    if (quote === "'") {
      if (character === "'") quote = '';
    } else if ('$`\\!'.includes(character)) return false;
    else if (quote === '"') {
      if (character === '"') quote = '';
    } else if (character === "'" || character === '"') quote = character;
    else if (';&|<>(){}#'.includes(character)) return false;
  }
  const [first = ''] = command.trim().split(' ');
  // The word that names the program: no assignment, no pattern, no quotes that hide a part of it.
  return quote === '' && first !== '' && !/[=*?[\]'"]/.test(first);
}

/**
 * Narrow, for rules that allow: the whole command is simple and fits. `git *` and `git:*` fit `git` alone, too, and never
 * `github`.
 */
export function commandIsCovered(pattern: string, command: string): boolean {
  const text = command.trim();
  if (!isSimpleCommand(text)) return false;
  const { body, isOpen } = partsOf(pattern);
  if (!isOpen) return fitsWildcard(body, text);
  return fitsWildcard(body, text) || fitsWildcard(`${body} *`, text);
}

/**
 * Wide, for rules that deny or ask: the pattern fits somewhere a command could begin, be it in a list, behind `sudo`, in
 * a substitution, or in a text for another shell. Errs on the side of a fit.
 */
export function commandMayContain(pattern: string, command: string): Fit {
  const searched = command.slice(0, MAX_SEARCHED_COMMAND);
  const plain = searched.replaceAll(/\\\n/g, '').replaceAll(/\$\{?IFS\}?/g, ' ');
  const spaced = plain.replaceAll(/[ \t]+/g, ' ').trim();
  // The second reading sees through quotes and escapes inside a word, such as `r''m` or `\rm`.
  const readings = new Set([spaced, spaced.replaceAll(/['"\\]/g, '')]);
  if ([...readings].some((text) => occursIn(pattern, text))) return 'yes';
  return command.length > MAX_SEARCHED_COMMAND || runsTheUnknown(spaced) ? 'perhaps' : 'no';
}

/** `isOpen`: any further arguments may follow the body. */
function partsOf(pattern: string): { body: string; isOpen: boolean } {
  if (pattern.endsWith(':*')) return { body: pattern.slice(0, -2), isOpen: true };
  if (pattern.endsWith(' *')) return { body: pattern.slice(0, -2).trimEnd(), isOpen: true };
  return { body: pattern, isOpen: false };
}

/** Pieces of the pattern one after the other, from a place where a word begins to one where a word ends. */
function occursIn(pattern: string, text: string): boolean {
  const body = partsOf(pattern)
    .body.replaceAll(/[ \t]+/g, ' ')
    .trim();
  const [head = '', ...rest] = body.split('*');
  const pieces = rest.filter((piece) => piece !== '');
  if (head === '') return fitsFrom(pieces, text, 0, true);
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    const isStart = at === 0 || !WORD.test(text[at - 1] ?? '');
    if (isStart && fitsFrom(pieces, text, at + head.length, body.endsWith('*'))) return true;
  }
  return false;
}

function fitsFrom(pieces: readonly string[], text: string, from: number, isOpen: boolean): boolean {
  let at = from;
  for (const [index, piece] of pieces.entries()) {
    let found = text.indexOf(piece, at);
    const isLast = index === pieces.length - 1 && !isOpen;
    while (isLast && found >= 0 && !isEnd(text, found + piece.length)) found = text.indexOf(piece, found + 1);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return pieces.length > 0 || isOpen || isEnd(text, at);
}

function isEnd(text: string, at: number): boolean {
  return at >= text.length || !WORD.test(text[at] ?? '');
}

/** True where a program is named by a variable, a substitution or a pattern, or a shell reads what to run from a pipe. */
function runsTheUnknown(text: string): boolean {
  return text.split(SEPARATORS).some((piece) => {
    const words = piece.trim().split(/\s+/);
    while (words.length > 1 && (KEYWORDS.has(words[0] ?? '') || /^\w+\+?=/.test(words[0] ?? ''))) words.shift();
    const [program = '', ...rest] = words;
    if (/[$*?[]|^\{/.test(program)) return true;
    if (program === 'eval') return /[$`]/.test(text);
    return SHELLS.has(program.slice(program.lastIndexOf('/') + 1)) && rest.every((word) => word.startsWith('-'));
  });
}
