import type { Command } from 'commander';

/** Examples at the end of a help text: what it does, and how it is called. */
export function examples(command: Command, lines: readonly (readonly [call: string, what: string])[]): Command {
  const width = Math.max(...lines.map(([call]) => call.length));
  const rows = lines.map(([call, what]) => `  ${call.padEnd(width)}  # ${what}`);
  return command.addHelpText('after', `\nExamples:\n${rows.join('\n')}`);
}

/** Exit codes of the commands that talk to a server; `extra`: what 1 says of this one. */
export function exitCodes(command: Command, failed = 'refused or failed'): Command {
  return command.addHelpText(
    'after',
    `
Exit codes: 0 done, 1 ${failed}, 2 wrong usage, 3 no server,
            129, 130 or 143 ended by SIGHUP, Ctrl-C or SIGTERM.`,
  );
}
