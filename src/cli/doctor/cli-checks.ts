import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import type { LaunchHost } from '../../launch/launch-plan.ts';
import { cliRelease } from '../../testing/drift/cli-release.ts';
import { MEASURED_RELEASES } from '../../wire/features.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** For `claude --version`. */
const VERSION_MS = 30_000;

/** Variables by which a CLI is logged in; their values are never looked at. */
const LOGINS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Is there a CLI, and is its release known? */
export async function checkCli(cli: string | undefined, host: LaunchHost): Promise<Finding[]> {
  try {
    const { path, version } = await cliRelease({ cli, host, clock: systemClock, timeoutMs: VERSION_MS });
    return [ok('cli', `claude is ${path}`), checkRelease(version)];
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    const remedy =
      error.code === 'NO_CLI'
        ? 'Give the path of Claude Code: --cli, or TROUPE_CLI.'
        : 'npm install -g @anthropic-ai/claude-code, or give its path: --cli, or TROUPE_CLI.';
    return [problem('cli', error.message, remedy)];
  }
}

/** Is it a release of which the behaviour was measured, or one between two of them? */
export function checkRelease(version: string): Finding {
  const [first, last] = [MEASURED_RELEASES[0], MEASURED_RELEASES.at(-1) ?? ''];
  if (compared(version, first) < 0)
    return problem(
      'release',
      `Claude Code ${version} is older than ${first}, the first that was measured`,
      'npm install -g @anthropic-ai/claude-code@latest',
    );
  if (compared(version, last) > 0)
    return warning(
      'release',
      `Claude Code ${version} is newer than ${last}, the last that was measured`,
      'troupe drift says what it does differently.',
    );
  return ok('release', `Claude Code ${version} is known`);
}

/** Is there a login? By the names of variables and by whether there is a file of credentials: neither is read (P11). */
export function checkLogin(env: Environment): Finding {
  const names = LOGINS.filter((name) => (env[name] ?? '') !== '');
  if (names.length > 0) return ok('login', `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} set`);
  const folder = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude');
  const path = join(folder, '.credentials.json');
  const remedy = 'Run claude and log in, or set ANTHROPIC_API_KEY.';
  try {
    const { size, mode } = statSync(path);
    if (size === 0) return problem('login', `${path} is empty`, remedy);
    if ((mode & 0o077) !== 0) return warning('login', `${path} can be read by others`, `chmod 600 ${path}`);
    return ok('login', `there is a login in ${path}; whether it still counts, the first turn tells`);
  } catch {
    const where = `no login in ${folder}, and none of ${LOGINS.join(', ')} is set`;
    // There it is in the key chain, at which nothing here looks.
    return process.platform === 'darwin' ? warning('login', where, remedy) : problem('login', where, remedy);
  }
}

function compared(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map(Number));
  for (const [at, part] of (left ?? []).entries()) {
    const difference = part - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
