import { readShell, type ShellWord } from './shell-reader.ts';
import { runsUnknownProgram, takesArgumentsFromInput } from './unknown-program.ts';
import { fitsWildcard } from './wildcard.ts';

/** `perhaps`: what is run cannot be told from the text, so a rule that forbids cannot be ruled out. */
export type Fit = 'yes' | 'perhaps' | 'no';

/** Longer commands are not searched for forbidden parts; somebody has to look at them (P10). */
export const MAX_SEARCHED_COMMAND = 16_384;

/** What a word is made of; a `-` or `.` before a name makes it another one: `--rm`, `x.rm`. */
const WORD = /[\w.-]/;
/** Where a shell may put in a text of its own. */
const EXPANSION = /[$`{*?[]/;
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
  const [first = ''] = trimmed(command).split(' ');
  // The word that names the program: no assignment, no pattern, no quotes that hide a part of it.
  return quote === '' && first !== '' && !/[=*?[\]'"]/.test(first);
}

/**
 * Narrow, for rules that allow: the whole command is simple and fits. `git *` and `git:*` fit `git` alone, too, and never
 * `github`.
 */
export function commandIsCovered(pattern: string, command: string): boolean {
  const text = trimmed(command);
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
  const reading = readShell(searched);
  const { body } = partsOf(pattern);
  const wanted = body.replaceAll(/[ \t]+/g, ' ').trim();
  const texts = [...textsOf(searched), ...(reading?.commands ?? []).map(({ words }) => words.map(textOf).join(' '))];
  if (texts.some((text) => occursIn(wanted, text))) return 'yes';
  const isUnsure =
    command.length > MAX_SEARCHED_COMMAND ||
    reading === undefined ||
    runsUnknownProgram(reading) ||
    texts.some((text) => mayBecome(wanted, text) || occursIn(wanted.toLowerCase(), text.toLowerCase())) ||
    (takesArgumentsFromInput(reading) && /[ *]/.test(wanted) && texts.some((text) => namesProgram(wanted, text)));
  return isUnsure ? 'perhaps' : 'no';
}

function textOf({ text, isLiteral }: ShellWord): string {
  return isLiteral ? text : unquoted(text);
}

function unquoted(text: string): string {
  return text.replaceAll(/['"\\]/g, '');
}

/** The command as it is written, read in several ways: the shell's own reading may fail. */
function textsOf(command: string): string[] {
  // A backslash joins two lines, except behind another one and in a comment: there the next line is a command.
  const joined = [command.replaceAll(/\\\n/g, ''), command];
  const spaced = joined.map((text) =>
    text
      .replaceAll(/\$\{?IFS\}?/g, ' ')
      .replaceAll(/[ \t]+/g, ' ')
      .trim(),
  );
  // Each is read once more through quotes and escapes inside a word, such as `r''m` or `\rm`.
  return [...new Set(spaced.flatMap((text) => [text, unquoted(text)]))];
}

/** A shell knows no other blanks: any other one that looks empty is a part of the word beside it. */
function trimmed(command: string): string {
  return command.replaceAll(/^[ \n]+|[ \n]+$/g, '');
}

/** `isOpen`: any further arguments may follow the body. */
function partsOf(pattern: string): { body: string; isOpen: boolean } {
  if (pattern.endsWith(':*')) return { body: pattern.slice(0, -2), isOpen: true };
  if (pattern.endsWith(' *')) return { body: pattern.slice(0, -2).trimEnd(), isOpen: true };
  return { body: pattern, isOpen: false };
}

/** Pieces of the body one after the other, from a place where a word begins to one where a word ends. */
function occursIn(body: string, text: string): boolean {
  const { head, pieces } = piecesOf(body);
  if (head === '') return fitsFrom(pieces, text, 0, true);
  return placesOf(head, text).some((at) => fitsFrom(pieces, text, at + head.length, body.endsWith('*')));
}

/** True where the program is named and an expansion stands in the place of what else the body wants. */
function mayBecome(body: string, text: string): boolean {
  const { head, pieces } = piecesOf(body);
  const [program = ''] = head.split(' ');
  if (program === '') return EXPANSION.test(text);
  return placesOf(program, text).some((at) => {
    let length = program.length;
    while (length < head.length && head[length] === text[at + length]) length += 1;
    if (length < head.length) return EXPANSION.test(text[at + length] ?? '');
    return pieces.length > 0 && EXPANSION.test(text.slice(at + length));
  });
}

function namesProgram(body: string, text: string): boolean {
  const [program = ''] = piecesOf(body).head.split(' ');
  return program === '' || placesOf(program, text).length > 0;
}

function piecesOf(body: string): { head: string; pieces: readonly string[] } {
  const [head = '', ...rest] = body.split('*');
  return { head, pieces: rest.filter((piece) => piece !== '') };
}

/** Where a name begins a word. */
function placesOf(name: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (at === 0 || !WORD.test(text[at - 1] ?? '')) places.push(at);
  }
  return places;
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
