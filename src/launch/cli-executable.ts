import { access, constants, stat } from 'node:fs/promises';
import { basename, delimiter, extname, join, resolve } from 'node:path';
import { TroupeError } from '../errors.ts';

export interface CliSearch {
  /** A path, relative to `cwd`, or a bare name. Default `claude`. */
  readonly path?: string | undefined;
  /** The value of `PATH`. Empty entries are skipped: the current directory is nobody's place for programs. */
  readonly searchPath: string | undefined;
  readonly cwd: string;
  /** What runs a CLI that is a script: a path or a bare name. Default `execPath`. */
  readonly executable?: string | undefined;
  readonly executableArgs?: readonly string[] | undefined;
  /** The Node executable. */
  readonly execPath: string;
}

export interface CliCommand {
  /** Absolute path of what to run. */
  readonly command: string;
  /** Arguments before those of the CLI: of the runtime, and the script. */
  readonly prefixArgs: readonly string[];
}

const REMEDY = 'Install Claude Code (npm install -g @anthropic-ai/claude-code), or give its path with the option';

type Finding = 'usable' | 'not-executable' | 'absent';

/**
 * Finds what to run, anew for every start: an upgrade may have moved it. An explicit path is used as it is. Rejects with
 * CLI_NOT_FOUND or CLI_NOT_EXECUTABLE; `details` count the directories that were searched.
 */
export async function findCli(search: CliSearch): Promise<CliCommand> {
  const path = await find(search.path ?? 'claude', 'pathToClaudeCodeExecutable', search);
  if (!isScript(path)) return { command: path, prefixArgs: [] };
  if ((await look(path, constants.R_OK)) !== 'usable') {
    throw new TroupeError('CLI_NOT_FOUND', {
      reason: `There is no readable script at "${path}".`,
      details: { field: 'pathToClaudeCodeExecutable', path },
    });
  }
  const runtime = await find(search.executable ?? search.execPath, 'executable', search);
  return { command: runtime, prefixArgs: [...(search.executableArgs ?? []), path] };
}

function isScript(path: string): boolean {
  return ['.js', '.mjs', '.cjs'].includes(extname(path));
}

async function find(name: string, field: string, { searchPath = '', cwd }: CliSearch): Promise<string> {
  if (basename(name) !== name) return resolve(cwd, name);
  const directories = [...new Set(searchPath.split(delimiter).filter((entry) => entry !== ''))];
  const wanted = isScript(name) ? constants.R_OK : constants.X_OK;
  let unusable: string | undefined;
  for (const directory of directories) {
    const candidate = join(resolve(cwd, directory), name);
    const finding = await look(candidate, wanted);
    if (finding === 'usable') return candidate;
    if (finding === 'not-executable') unusable ??= candidate;
  }
  if (unusable !== undefined) {
    throw new TroupeError('CLI_NOT_EXECUTABLE', {
      reason: `It is "${unusable}"; make it executable, or give another path with the option ${field}.`,
      details: { field, path: unusable, directoriesSearched: directories.length },
    });
  }
  throw new TroupeError('CLI_NOT_FOUND', {
    reason: `"${name}" is in none of the ${directories.length} directories of PATH. ${REMEDY} ${field}.`,
    details: { field, name, directoriesSearched: directories.length },
  });
}

async function look(path: string, mode: number): Promise<Finding> {
  try {
    if (!(await stat(path)).isFile()) return 'absent';
  } catch {
    return 'absent';
  }
  return access(path, mode).then(
    () => 'usable',
    () => 'not-executable',
  );
}
