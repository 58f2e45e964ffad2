/** One command of a line: its words, without quotes. */
export type ShellCommand = readonly string[];

/** The commands of a line as a shell would part them: by `|`, `&&` and `;`, without comments and settings before them. */
export function commandsOf(line: string): ShellCommand[] {
  const commands: string[][] = [[]];
  const parts = line.matchAll(/\s*(?:(#.*)|(\|\||&&|\||;)|((?:'[^']*'|"(?:\\.|[^"])*"|\\.|[^\s'"|;&\\])+))/gy);
  for (const [, comment, mark, word] of parts) {
    if (comment !== undefined) break;
    if (mark !== undefined) commands.push([]);
    else if (word !== undefined) commands.at(-1)?.push(unquoted(word));
  }
  return commands.filter((words) => words.length > 0);
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"])*)"|\\(.)/g, (_, single, double, escaped) =>
    String(single ?? (double === undefined ? escaped : String(double).replace(/\\(["\\$`])/g, '$1'))),
  );
}
