import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { write } from '../output.ts';
import { SCRIPTS, SHELLS, type Shell } from './shell-scripts.ts';

/** Adds `completion <shell>`, and `complete`, which the scripts that it prints call. Comes last: it goes by what is there. */
export function addCompletion(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  tab(program, { completionCommandName: 'completion' });
  const command = program.commands.find((one) => one.name() === 'completion');
  if (command === undefined) return;
  // The scripts that came with it evaluate what was typed, and want another package for bash.
  command
    .description('Prints the script by which a shell completes commands and options of troupe.')
    .action((shell: Shell) => finish(print(shell)));
  command.registeredArguments[0]?.choices(SHELLS);
  examples(command, [
    ['source <(troupe completion bash)', 'in ~/.bashrc'],
    ['source <(troupe completion zsh)', 'in ~/.zshrc, behind compinit'],
    ['troupe completion fish | source', 'in ~/.config/fish/config.fish'],
  ]);
}

async function print(shell: Shell): Promise<ExitCode> {
  await write(SCRIPTS[shell]);
  return EXIT.done;
}
