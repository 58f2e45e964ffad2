import { accessSync, closeSync, constants, openSync, type Stats, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { type ErrorCode, TroupeError } from '../errors.ts';
import { findOversize } from './command-size.ts';
import { errnoOf } from './errno.ts';
import { findWrongFormat } from './executable-format.ts';
import type { LaunchPlan } from './transport.ts';

/** Three pipes have two ends each, the system reports a failed start through one more, and a few are in reserve. */
const SPARE_DESCRIPTORS = 16;

/**
 * Why the plan cannot be started, found before it is tried, or undefined. The system reports a missing directory and
 * a missing program alike (WIRE §22), so both are looked at here; at once, because the start itself blocks on the same
 * files, and four calls that wait for a thread cost more than all the rest of a start (PERF §6).
 */
export async function findSpawnObstacle(plan: LaunchPlan): Promise<TroupeError | undefined> {
  return findZeroByte(plan) ?? findOversize(plan) ?? findBadDirectory(plan) ?? (await findBadExecutable(plan));
}

/** Translates what the system said about a start that failed. `details` name command, cwd and errno only (P11). */
export async function explainSpawnFailure(plan: LaunchPlan, error: unknown): Promise<TroupeError> {
  if (TroupeError.is(error)) return error;
  const errno = errnoOf(error);
  // The file or the directory may have gone since it was looked at.
  const obstacle =
    errno === 'ENOENT' || errno === 'EACCES' || errno === 'ENOTDIR' ? await findSpawnObstacle(plan) : undefined;
  if (obstacle !== undefined) return obstacle;
  const [code, reason] = MEANINGS[errno] ?? (['SPAWN_FAILED', `It reported ${errno}.`] as const);
  return failure(plan, code, errno, reason);
}

/**
 * Returns SPAWN_FAILED (EMFILE, ENFILE) when too few file descriptors are left for a child's pipes, else undefined.
 * To be called in the same turn as the spawn: without descriptors Node hands out a half-made child whose 'error' event
 * nobody can listen to, and one failed start would end the whole host (P10).
 */
export function findDescriptorShortage(plan: LaunchPlan): TroupeError | undefined {
  const reserved: number[] = [];
  try {
    while (reserved.length < SPARE_DESCRIPTORS) reserved.push(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    return failure(plan, 'SPAWN_FAILED', errnoOf(error), 'No file descriptors are left for its pipes.');
  } finally {
    for (const descriptor of reserved) closeSync(descriptor);
  }
}

/** What is left to blame once directory and executable were found in order. */
const MEANINGS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['CLI_WRONG_FORMAT', 'The interpreter that it names does not exist.'],
  ENOEXEC: ['CLI_WRONG_FORMAT', 'The system does not know its format.'],
  EACCES: ['CLI_NOT_EXECUTABLE', 'It, or the interpreter it names, may not be executed.'],
  EPERM: ['CLI_NOT_EXECUTABLE', 'The system does not permit it.'],
  E2BIG: ['ARGUMENTS_TOO_LARGE', 'The system refused their size.'],
  ENAMETOOLONG: ['ARGUMENTS_TOO_LARGE', 'The system refused their size.'],
};

/** The system ends a string at its first zero byte. Node's own complaint about one would quote the value. */
function findZeroByte(plan: LaunchPlan): TroupeError | undefined {
  const { command, cwd, args, env } = plan;
  const isIn = (text: string | undefined) => text?.includes('\0') === true;
  if (
    !isIn(command) &&
    !isIn(cwd) &&
    !args.some(isIn) &&
    !Object.keys(env).some((name) => isIn(name) || isIn(env[name]))
  )
    return undefined;
  return failure(plan, 'SPAWN_FAILED', 'EINVAL', 'An argument or a variable holds a zero byte.');
}

function findBadDirectory(plan: LaunchPlan): TroupeError | undefined {
  try {
    const status = statSync(plan.cwd);
    if (!status.isDirectory()) return failure(plan, 'CWD_NOT_FOUND', 'ENOTDIR', 'It is not a directory.');
    accessSync(plan.cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EACCES') return failure(plan, 'SPAWN_FAILED', errno, 'The working directory may not be entered.');
    return failure(plan, 'CWD_NOT_FOUND', errno, `It is "${plan.cwd}".`);
  }
}

async function findBadExecutable(plan: LaunchPlan): Promise<TroupeError | undefined> {
  let status: Stats;
  try {
    status = statSync(plan.command);
    if (!status.isFile()) return failure(plan, 'CLI_NOT_EXECUTABLE', 'EACCES', 'It is not a file.');
    accessSync(plan.command, constants.X_OK);
  } catch (error) {
    const errno = errnoOf(error);
    const code = errno === 'EACCES' || errno === 'EPERM' ? 'CLI_NOT_EXECUTABLE' : 'CLI_NOT_FOUND';
    return failure(plan, code, errno, `It is "${plan.command}".`);
  }
  const wrongFormat = await findWrongFormat(plan.command, status);
  return wrongFormat === undefined ? undefined : failure(plan, 'CLI_WRONG_FORMAT', 'ENOEXEC', wrongFormat);
}

/** No `cause`: the system's own error object carries the whole command line. */
function failure(plan: LaunchPlan, code: ErrorCode, errno: string, reason?: string): TroupeError {
  return new TroupeError(code, { reason, details: { command: plan.command, cwd: plan.cwd, errno } });
}
