import type { Command } from 'commander';
import { argumentsOf, createProgram } from '../../src/cli/program.ts';
import { findDriver } from '../../src/store/sqlite/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';
import { commandsOf, type ShellCommand } from './shell-words.ts';

/** What a shell sample is held against. */
export interface KnownWorld {
  readonly scripts: Readonly<Record<string, string>>;
  /** `GET /v1/sessions/{id}`, as the server describes them. */
  readonly routes: readonly string[];
}

/** Programs that are not ours; a sample may show what is piped into them. */
const FOREIGN = ['git', 'jq', 'claude'];
const NPM_ITSELF = ['ci', 'install', 'pack'];

/** What is wrong with each line of a shell sample: an unknown command, option, script, route or column. */
export async function complaintsAboutShell(code: string, world: KnownWorld): Promise<string[]> {
  const found: string[] = [];
  for (const command of code.split('\n').flatMap(commandsOf)) {
    const complaint = await complaintAbout(command, world);
    if (complaint !== undefined) found.push(`${command.join(' ')}: ${complaint}`);
  }
  return found;
}

async function complaintAbout([name = '', ...words]: ShellCommand, world: KnownWorld): Promise<string | undefined> {
  if (name === 'npx') return complaintAbout(words, world);
  if (name === 'troupe') return refusalOf(words);
  if (name === 'npm') return npmComplaint(words, world);
  if (name === 'curl') return curlComplaint(words, world);
  if (name === 'sqlite3') return sqlComplaint(words.at(-1) ?? '');
  return FOREIGN.includes(name) ? undefined : 'nobody knows this command';
}

/** What the command says against these words, as it would to a person; nothing is run. */
async function refusalOf(words: readonly string[]): Promise<string | undefined> {
  const program = createProgram('0.0.0');
  let said = '';
  for (const command of withAllBelow(program)) {
    command.exitOverride().configureOutput({ writeErr: (text) => (said += text), writeOut: () => {} });
    if (command.commands.length === 0) command.action(() => {});
  }
  try {
    await program.parseAsync(argumentsOf(['node', 'troupe', ...words]));
    return undefined;
  } catch (error) {
    return said.trim() || String(error);
  }
}

function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}

function npmComplaint(words: readonly string[], { scripts }: KnownWorld): string | undefined {
  const [verb = '', script = ''] = words;
  const wanted = verb === 'run' ? script : verb;
  if (verb !== 'run' && NPM_ITSELF.includes(verb)) return undefined;
  return scripts[wanted] === undefined ? `package.json has no script ${wanted}` : undefined;
}

function curlComplaint(words: readonly string[], { routes }: KnownWorld): string | undefined {
  const after = (flag: string) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined);
  const body = after('-d');
  if (body !== undefined) JSON.parse(body);
  const method = after('-X') ?? (body === undefined ? 'GET' : 'POST');
  const path =
    words
      .find((word) => word.startsWith('$URL'))
      ?.slice('$URL'.length)
      .split('?')[0] ?? '';
  const matches = routes.some((route) =>
    new RegExp(`^${route.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(`${method} ${path}`),
  );
  return matches ? undefined : `the server has no ${method} ${path}`;
}

/** Tables and columns are those of a new file. */
function sqlComplaint(sql: string): string | undefined {
  const database = findDriver().open(':memory:');
  try {
    for (const step of MIGRATIONS) database.exec(step);
    database.prepare(sql);
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    database.close();
  }
}
