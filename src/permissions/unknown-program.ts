import type { ShellCommand, ShellReading, ShellWord } from './shell-reader.ts';

const SHELLS = new Set('ash bash csh dash fish ksh mksh pwsh rbash sh tcsh yash zsh'.split(' '));
/** They read arguments, files or input as commands of the shell, or change what a name means to it. */
const READS_COMMANDS = new Set(
  '. alias bind compgen complete emulate enable eval fc hash let mapfile parallel readarray source trap zmodload'.split(
    ' ',
  ),
);
/** They expand some texts once more, such as the subscript in `test -v 'a[$(x)]'`. */
const EXPANDS_AGAIN = new Set('[ declare export local print printf read readonly test typeset unset wait'.split(' '));
/** Programs that run the one named in their arguments. */
const WRAPPERS = new Set(
  '- builtin busybox caffeinate chroot command doas env exec fakeroot ionice nice nocorrect noglob nohup nsenter runuser setarch setsid stdbuf strace sudo systemd-run taskset time timeout torify toybox unbuffer unshare xargs'.split(
    ' ',
  ),
);
/** Programs that hand their arguments to a shell. */
const HANDS_TO_A_SHELL = new Set('entr flock script ssh su watch'.split(' '));
/** Languages that run a text of theirs, or what comes by a pipe. */
const INTERPRETER = /^(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|expect|osascript)[\d.]*$/;
const AWK = /^[gmn]?awk$/;
/** Variables by which a shell finds programs, or runs a text. */
const RULES_THE_SHELL = /^(?:PATH|path|ENV|HOME|BASH.*|SHELLOPTS|PROMPT.*|PS\d|LD_.*|DYLD_.*)$/;
/** What another reading of a text would replace. */
const EXPANDABLE = /[$`\\*?{~[]/;
/** Longer commands of a wrapper are not searched (P10). */
const MAX_WRAPPED_WORDS = 300;

/** True when the words do not tell which programs run. Pure. */
export function runsUnknownProgram({ commands, definesFunctions }: ShellReading): boolean {
  if (commands.some(isUnknownCommand)) return true;
  const expandsAgain = definesFunctions || commands.some(({ words }) => EXPANDS_AGAIN.has(programOf(words[0]) ?? ''));
  return expandsAgain && commands.some((command) => wordsOf(command).some(({ hidesCode }) => hidesCode));
}

/** True when a command is given more arguments than its text has. Pure. */
export function takesArgumentsFromInput({ commands }: ShellReading): boolean {
  return commands.some(({ words }) => words.some((word) => programOf(word) === 'xargs'));
}

function isUnknownCommand({ words, assigned }: ShellCommand): boolean {
  if (assigned.some(({ name }) => RULES_THE_SHELL.test(name))) return true;
  const [program, ...rest] = words;
  if (program === undefined) return false;
  const name = programOf(program);
  if (name === undefined || name === '') return true;
  if (!WRAPPERS.has(name)) return runsText(name, rest);
  // Where the wrapped command begins is not known either: any word may be its program.
  return (
    words.length > MAX_WRAPPED_WORDS ||
    rest.some(({ isLiteral }) => !isLiteral) ||
    (name === 'env' && rest.some(({ text }) => /^(?:-\w*S|--s)/.test(text))) ||
    rest.some((word, index) => runsText(programOf(word) ?? '', rest.slice(index + 1))) ||
    rest.some((word, index) => programOf(word) === 'xargs' && runsInput(rest.slice(index + 1))) ||
    (name === 'xargs' && runsInput(rest))
  );
}

function programOf(word: ShellWord | undefined): string | undefined {
  return word?.isLiteral === true ? word.text.slice(word.text.lastIndexOf('/') + 1) : undefined;
}

function wordsOf({ words, assigned, redirected }: ShellCommand): readonly ShellWord[] {
  return [...words, ...assigned.map(({ value }) => value), ...redirected];
}

/** True when the program reads from somewhere what else it runs. */
function runsText(name: string, rest: readonly ShellWord[]): boolean {
  if (READS_COMMANDS.has(name)) return true;
  if (SHELLS.has(name)) return !isScript(rest[0]);
  if (HANDS_TO_A_SHELL.has(name)) return rest.some(({ text }) => EXPANDABLE.test(text));
  if (name === 'find') return runsFound(rest);
  if (AWK.test(name)) return rest[0]?.isLiteral === false || rest.some(({ text }) => /system|[|@]/.test(text));
  return INTERPRETER.test(name) && runsInline(rest);
}

/** A name of a file, and no stream. */
function isScript(word: ShellWord | undefined): boolean {
  return word?.isLiteral === true && !/^(?:$|[-+]|\/dev\/|\/proc\/)/.test(word.text);
}

function runsInline(rest: readonly ShellWord[]): boolean {
  for (const word of rest) {
    if (!word.isLiteral) return true;
    if (word.text.startsWith('-m')) return false;
    if (!word.text.startsWith('-')) return !isScript(word) || word.text === 'eval' || word.text === 'repl';
    if (/^-(?:$|\w*[ceEpr])|^--(?:eval|print|run|import|require)/.test(word.text)) return true;
  }
  return !rest.some(({ text }) => /^(?:-[vVh]|--version|--help)$/.test(text));
}

function runsFound(rest: readonly ShellWord[]): boolean {
  if (rest.some(({ isLiteral }) => !isLiteral)) return true;
  const run = rest.flatMap(({ text }, index) => (/^-(?:exec|ok)/.test(text) ? [index + 1] : []));
  return run.some((index) => {
    const program = programOf(rest[index]) ?? '';
    const isFound = program.includes('{}');
    return (
      isFound || WRAPPERS.has(program) || HANDS_TO_A_SHELL.has(program) || runsText(program, rest.slice(index + 1))
    );
  });
}

/** True when what comes by the pipe may be the program, or the one that a wrapper runs. */
function runsInput(rest: readonly ShellWord[]): boolean {
  return rest.some(
    (word) =>
      /^(?:-\w*[iIJ]|--replace)/.test(word.text) ||
      WRAPPERS.has(programOf(word) ?? '') ||
      HANDS_TO_A_SHELL.has(programOf(word) ?? '') ||
      INTERPRETER.test(programOf(word) ?? '') ||
      programOf(word) === 'find',
  );
}
