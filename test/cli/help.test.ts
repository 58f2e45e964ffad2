import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { likeIt } from '../../src/cli/fleet/meant-session.ts';
import { JSON_LINES } from '../../src/cli/json-lines.ts';
import { createProgram } from '../../src/cli/program.ts';

/** They print something that is no line of JSON, or is one anyway; `complete` is asked by shells. */
const WITHOUT_JSON = ['export', 'completion'];
const commands = commandsOf(createProgram('0')).filter(({ name }) => name !== 'complete' && name !== 'store');

describe('the help of every command', () => {
  it.each(commands)('of $name says what it does, and has examples that could be typed', ({ name, command }) => {
    const help = helpOf(command);
    const calls = [...help.matchAll(/^ {2}(?=\S)(.*?) +# \S/gm)].map(([, call = '']) => call);

    expect(command.description()).toMatch(/\.$/);
    expect(help).toContain('\nExamples:\n');
    expect(calls.filter((call) => call.includes(`troupe ${name}`)).length).toBeGreaterThan(0);
    const known = command.options.flatMap(({ long, short }) => [long, short]);
    const typed = calls
      .filter((call) => call.includes(`troupe ${name}`))
      .flatMap(
        (call) => (call.split(`troupe ${name}`)[1]?.split(/ [|<>-]+ /)[0] ?? '').match(/(?<= )--?[a-z][a-z-]*/g) ?? [],
      );
    expect(typed.filter((option) => !known.includes(option))).toEqual([]);
  });

  it('each offers --json, and what a line of it is has a schema', () => {
    const json = commands.filter(({ command }) => command.options.some(({ long }) => long === '--json'));
    const names = json.map(({ name }) => name);

    expect(
      commands
        .map(({ name }) => name)
        .filter((name) => !names.includes(name))
        .sort(),
    ).toEqual(WITHOUT_JSON.toSorted());
    expect(
      Object.keys(JSON_LINES)
        .filter((name) => !/ --/.test(name))
        .sort(),
    ).toEqual(names.toSorted());
  });
});

describe('a slip of the hand', () => {
  it.each([
    [['ps', '--wacth'], /Did you mean --watch\?/],
    [['atach', 'review-1'], /Did you mean attach\?/],
    [['diagram', 'sesion'], /Allowed choices are .*session/],
  ])('%j is answered by what was meant', async (args, told) => {
    let said = '';
    const program = createProgram('0');
    for (const { command } of [{ command: program }, ...commandsOf(program)])
      command.exitOverride().configureOutput({
        writeErr: (text) => {
          said += text;
        },
      });
    await expect(program.parseAsync(['node', 'troupe', ...args])).rejects.toThrow();

    expect(said).toMatch(told);
  });

  it('in the id of a session is answered by those that are like it, the nearest first', () => {
    const known = ['review-1', 'review-2', 'reviews', 'build', 'b'];
    expect(likeIt('reveiw-1', known)).toEqual(['review-1', 'review-2']);
    expect(likeIt('rev', known)).toEqual(['review-1', 'review-2', 'reviews']);
    expect(likeIt('biuld', known)).toEqual(['build']);
    expect(likeIt('deploy', known)).toEqual([]);
  });
});

function commandsOf(program: Command, above = ''): { name: string; command: Command }[] {
  return program.commands.flatMap((command) => {
    const name = `${above}${command.name()}`;
    return [{ name, command }, ...commandsOf(command, `${name} `)];
  });
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  return text;
}
