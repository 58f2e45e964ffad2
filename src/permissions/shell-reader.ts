/** One word of a command. */
export interface ShellWord {
  /** What the program gets; where an expansion stands in it, the word as it is written. */
  readonly text: string;
  /** False when the shell puts something of its own in: a variable, a substitution, a pattern, an escape in `$'…'`. */
  readonly isLiteral: boolean;
  /** True when a quoted or escaped part of it is a substitution to whoever reads it once more. */
  readonly hidesCode: boolean;
}

/** One program with its arguments, without keywords. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** Variables that are set before the program. */
  readonly assigned: readonly { readonly name: string; readonly value: ShellWord }[];
  /** Files that it reads or writes, and texts that it is given. */
  readonly redirected: readonly ShellWord[];
}

export interface ShellReading {
  /** Also those inside substitutions and functions, in no certain order. */
  readonly commands: readonly ShellCommand[];
  readonly definesFunctions: boolean;
}

/** Deeper ones are not read: people write none (P10). */
const MAX_DEPTH = 40;
/** Words behind which a command begins. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'fi', 'do', 'done', 'while', 'until', '!', '{', '}']);
/** Words behind which the rules change; what follows is not read. */
const OTHER_SYNTAX = new Set(['case', 'esac', 'select', 'function', 'coproc', '[[', 'repeat', 'foreach', 'end']);
const REDIRECTION = /&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>&|>\||>/y;
const HERE_DELIMITER = /[ \t]*(?:'(\w+)'|"(\w+)"|(\w+))(?=[\s;&|)])/y;
const PARAMETER = /\$(?:\w+|[@*#?$!-]|\{#?\w+(?::?[-+=?]|[#%/^,])?[^$`'"\\{}:[\]@<>()]*\})/y;
const ANSI_STRING = /\$'((?:[^'\\]|\\[\s\S])*)'/y;
const HIDDEN_CODE = /\$[({[]|`/;
const EXPANDED: ShellWord = { text: '', isLiteral: false, hidesCode: false };
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:(\[)|\+?=)/;

/**
 * The commands of a text as bash and zsh read it. `undefined` for a text that is not understood, or is none: where a
 * reading could be wrong, there is none. Pure.
 */
export function readShell(text: string): ShellReading | undefined {
  // Other blanks and control characters are parts of words to one shell, and between them to another.
  if (/[^\P{Cc}\t\n]|[^\P{Z} ]/u.test(text)) return undefined;
  const reading: MutableReading = { commands: [], definesFunctions: false };
  return new ShellReader(text, reading, 0).readAll() ? reading : undefined;
}

interface MutableReading {
  readonly commands: ShellCommand[];
  definesFunctions: boolean;
}

interface MutableCommand {
  readonly words: ShellWord[];
  readonly assigned: { name: string; value: ShellWord }[];
  readonly redirected: ShellWord[];
}

/** Reads on until something is not understood, which every method tells by `false` or `undefined`. */
class ShellReader {
  readonly #text: string;
  readonly #reading: MutableReading;
  readonly #depth: number;
  #at = 0;
  #command: MutableCommand = emptyCommand();
  #awaitedBodies: { delimiter: string; isQuoted: boolean; isIndented: boolean }[] = [];

  constructor(text: string, reading: MutableReading, depth: number) {
    this.#text = text;
    this.#reading = reading;
    this.#depth = depth;
  }

  readAll(): boolean {
    return this.#readList(undefined, this.#depth) && this.#awaitedBodies.length === 0;
  }

  #readList(end: ')' | undefined, depth: number): boolean {
    // Where a here-document meets a substitution, releases of bash differ.
    if (depth > MAX_DEPTH || this.#awaitedBodies.length > 0) return false;
    const outer = this.#command;
    this.#command = emptyCommand();
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      if (character === ')') {
        if (end === undefined) return false;
        this.#at += 1;
        this.#endCommand();
        this.#command = outer;
        return this.#awaitedBodies.length === 0;
      }
      if (!this.#readNext(character, depth)) return false;
    }
    this.#endCommand();
    return end === undefined;
  }

  #readNext(character: string, depth: number): boolean {
    const next = this.#text[this.#at + 1];
    if (character === ' ' || character === '\t') this.#at += 1;
    else if (character === '\\' && next === '\n') return this.#skipJoint();
    else if (character === '\n') return this.#readLineEnd();
    else if (character === '#') this.#skipComment();
    else if (';|'.includes(character) || (character === '&' && next !== '>')) {
      this.#at += 1;
      this.#endCommand();
    } else if (character === '(') return this.#readParenthesis(depth);
    else if ('<>&'.includes(character) && next !== '(') return this.#readRedirection(depth);
    else return this.#readCommandWord(depth);
    return true;
  }

  /** A line that goes on: read only between two words, where it can be nothing else. */
  #skipJoint(): boolean {
    const before = this.#text[this.#at - 1];
    this.#at += 2;
    return before === ' ' || before === '\t';
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #readLineEnd(): boolean {
    this.#at += 1;
    this.#endCommand();
    const bodies = this.#awaitedBodies;
    this.#awaitedBodies = [];
    return bodies.every((body) => this.#readBody(body));
  }

  /** The text of a here-document; in an unquoted one nothing that the shell would replace is read. */
  #readBody({
    delimiter,
    isQuoted,
    isIndented,
  }: {
    delimiter: string;
    isQuoted: boolean;
    isIndented: boolean;
  }): boolean {
    while (this.#at < this.#text.length) {
      const end = this.#text.indexOf('\n', this.#at);
      const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#text.length : end + 1;
      if ((isIndented ? line.replace(/^\t+/, '') : line) === delimiter) return true;
      if (!isQuoted && /[`\\]|\$[^\w\s]/.test(line)) return false;
    }
    return false;
  }

  #readParenthesis(depth: number): boolean {
    const { words, assigned } = this.#command;
    if (words.length === 1 && /^\([ \t]*\)/.test(this.#text.slice(this.#at, this.#at + 20))) {
      // The name of a function, whose body follows.
      this.#at = this.#text.indexOf(')', this.#at) + 1;
      this.#command = emptyCommand();
      this.#reading.definesFunctions = true;
      return true;
    }
    const isSubshell = words.length === 0 && assigned.length === 0 && this.#text[this.#at + 1] !== '(';
    this.#at += 1;
    return isSubshell && this.#readList(')', depth + 1);
  }

  #readRedirection(depth: number): boolean {
    const operator = this.#take(REDIRECTION)?.[0];
    if (operator === undefined) return false;
    if (operator === '<<' || operator === '<<-') {
      const found = this.#take(HERE_DELIMITER);
      const delimiter = found?.[1] ?? found?.[2] ?? found?.[3];
      if (delimiter === undefined) return false;
      this.#awaitedBodies.push({ delimiter, isQuoted: found?.[3] === undefined, isIndented: operator === '<<-' });
      return true;
    }
    while (' \t'.includes(this.#text[this.#at] ?? '.')) this.#at += 1;
    const start = this.#at;
    const word = this.#readWord(depth);
    // zsh has `>! file`.
    if (this.#text[start] === '!' || word === undefined || this.#at === start) return false;
    this.#command.redirected.push(word);
    return true;
  }

  #readCommandWord(depth: number): boolean {
    const start = this.#at;
    const word = this.#readWord(depth);
    if (word === undefined || this.#at === start) return false;
    const written = this.#text.slice(start, this.#at);
    const isDescriptor = /^(?:\d+|\{\w+\})$/.test(written) && /[<>]/.test(this.#text[this.#at] ?? '');
    if (isDescriptor) return true;
    const { words, assigned } = this.#command;
    if (words.length === 0) {
      if (OTHER_SYNTAX.has(written)) return false;
      if (KEYWORDS.has(written)) return true;
      const [, name, subscript] = ASSIGNMENT.exec(written) ?? [];
      if (subscript !== undefined) return false;
      if (name !== undefined) {
        assigned.push({ name, value: word });
        return true;
      }
    }
    words.push(word);
    // `for x do …`: a command begins in the middle.
    return !(words[0]?.text === 'for' && written === 'do');
  }

  #readWord(depth: number): ShellWord | undefined {
    const start = this.#at;
    let text = '';
    let isLiteral = true;
    let hidesCode = false;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      const isSubstitution = '<>'.includes(character) && this.#text[this.#at + 1] === '(';
      if (' \t\n;&|)'.includes(character) || ('<>'.includes(character) && !isSubstitution)) break;
      if (character === '(') {
        // The name of a function ends here; everything else of this kind is an array or a pattern.
        if (/^[A-Za-z_][\w-]*$/.test(this.#text.slice(start, this.#at))) break;
        return undefined;
      }
      const part = this.#readPart(character, depth);
      if (part === undefined) return undefined;
      text += part.text;
      isLiteral &&= part.isLiteral;
      hidesCode ||= part.hidesCode;
    }
    const written = this.#text.slice(start, this.#at);
    if (['[', '{', '{}'].includes(written)) return literal(written);
    // The home folder of somebody, or another folder the shell knows.
    if (/^~[^/]*$/.test(written)) isLiteral = false;
    return { text: isLiteral ? text : written, isLiteral, hidesCode: hidesCode || HIDDEN_CODE.test(text) };
  }

  #readPart(character: string, depth: number): ShellWord | undefined {
    const next = this.#text[this.#at + 1];
    if (character === "'") return this.#readQuoted();
    if (character === '"') return this.#readDoubleQuoted(depth);
    if (character === '`') return this.#readBackticks(depth, false);
    if (character === '\\') {
      if (next === undefined || next === '\n') return undefined;
      this.#at += 2;
      return literal(next);
    }
    if (character === '$' && next === "'") {
      const [, inner] = this.#take(ANSI_STRING) ?? [];
      if (inner === undefined) return undefined;
      return inner.includes('\\') ? { text: '', isLiteral: false, hidesCode: true } : literal(inner);
    }
    if (character === '$' && next === '"') {
      this.#at += 1;
      return this.#readDoubleQuoted(depth) && EXPANDED;
    }
    if (character === '$') return this.#readExpansion(depth);
    if ('<>'.includes(character)) {
      this.#at += 2;
      return this.#readList(')', depth + 1) ? EXPANDED : undefined;
    }
    this.#at += 1;
    return { text: character, isLiteral: !'*?[{'.includes(character), hidesCode: false };
  }

  #readQuoted(): ShellWord | undefined {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) return undefined;
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return literal(text);
  }

  #readDoubleQuoted(depth: number): ShellWord | undefined {
    this.#at += 1;
    let text = '';
    let isLiteral = true;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      const next = this.#text[this.#at + 1] ?? '';
      if (character === '"') {
        this.#at += 1;
        return { text, isLiteral, hidesCode: false };
      }
      if (character === '$' || character === '`') {
        const part = character === '$' ? this.#readExpansion(depth) : this.#readBackticks(depth, true);
        if (part === undefined) return undefined;
        text += part.text;
        isLiteral &&= part.isLiteral;
      } else if (character === '\\') {
        if (next !== '\n') text += '$`"\\'.includes(next) ? next : `\\${next}`;
        this.#at += 2;
      } else {
        text += character;
        this.#at += 1;
      }
    }
    return undefined;
  }

  #readExpansion(depth: number): ShellWord | undefined {
    const next = this.#text[this.#at + 1] ?? '';
    if (next === '(') {
      if (this.#text[this.#at + 2] === '(') return undefined;
      this.#at += 2;
      return this.#readList(')', depth + 1) ? EXPANDED : undefined;
    }
    if (this.#take(PARAMETER) !== undefined) return EXPANDED;
    if (!/^[\s"'/%.,:;=+)]?$/.test(next)) return undefined;
    this.#at += 1;
    return literal('$');
  }

  #readBackticks(depth: number, isInQuotes: boolean): ShellWord | undefined {
    let inner = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at] ?? '';
      if (character === '`') {
        this.#at += 1;
        const isRead = new ShellReader(inner, this.#reading, depth + 1).readAll();
        return isRead ? EXPANDED : undefined;
      }
      const next = this.#text[this.#at + 1] ?? '';
      if (character === '\\' && (isInQuotes ? '$`\\"' : '$`\\').includes(next)) {
        inner += next;
        this.#at += 1;
      } else inner += character;
    }
    return undefined;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #endCommand(): void {
    const { words, assigned, redirected } = this.#command;
    if (words.length + assigned.length + redirected.length > 0) this.#reading.commands.push(this.#command);
    this.#command = emptyCommand();
  }
}

function emptyCommand(): MutableCommand {
  return { words: [], assigned: [], redirected: [] };
}

function literal(text: string): ShellWord {
  return { text, isLiteral: true, hidesCode: false };
}
