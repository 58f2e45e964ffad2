import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import { findCli } from '../../launch/cli-executable.ts';
import type { LaunchHost } from '../../launch/launch-plan.ts';
import { openSubprocess } from '../../transport/subprocess-transport.ts';

const KILL_MS = 10_000;
const VERSION = /^(\d+\.\d+\.\d+)\b.*claude/i;

export interface ReleaseQuestion {
  /** A path or a name; default `claude` on `PATH`. */
  readonly cli: string | undefined;
  readonly host: LaunchHost;
  readonly clock: Clock;
  /** For the program to say it. */
  readonly timeoutMs: number;
}

/** Where the CLI is and which release it says it is. Rejects with NO_CLI where it is something else, or CLI_NOT_FOUND or CLI_NOT_EXECUTABLE. */
export async function cliRelease({
  cli,
  host,
  clock,
  timeoutMs,
}: ReleaseQuestion): Promise<{ readonly path: string; readonly version: string }> {
  const found = await findCli({ path: cli, searchPath: host.env['PATH'], cwd: host.cwd, execPath: host.execPath });
  // By its mark a process tree is ended: two checks at once must not end each other's.
  const mark = `drift-version:1:${randomUUID()}`;
  const said: Buffer[] = [];
  const transport = await openSubprocess(
    {
      command: found.command,
      args: [...found.prefixArgs, '--version'],
      cwd: host.cwd,
      env: { PATH: host.env['PATH'] ?? '', TROUPE_SESSION: mark },
      mark,
      temporaryFiles: [],
      keepDescendants: false,
      stderrTailBytes: 1_024,
    },
    { output: (chunk) => void said.push(chunk), stderr: () => {} },
  );
  transport.endInput();
  const timer = clock.setTimeout(() => void transport.killTree(KILL_MS), timeoutMs);
  const { exitCode, signal } = await transport.finished;
  clock.clearTimeout(timer);
  await transport.killTree(KILL_MS);
  const words = Buffer.concat(said).toString('utf8').trim().slice(0, 200);
  const version = VERSION.exec(words)?.[1];
  const path = found.prefixArgs.at(-1) ?? found.command;
  if (version !== undefined) return { path, version };
  const end = signal === null ? `exits with code ${exitCode}` : `was ended by ${signal}`;
  const reason = `"${path} --version" says ${JSON.stringify(words)} and ${end}: that is no release of Claude Code.`;
  throw new TroupeError('NO_CLI', { reason, details: { path } });
}
