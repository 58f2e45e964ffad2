import { cwd, env, execPath } from 'node:process';
import { drift } from './drift/drift.ts';
import type { DriftReport } from './drift/drift-report.ts';
import { realCliHome } from './real-cli.ts';

export interface DriftCheckOptions {
  /** The executable, as of `pathToClaudeCodeExecutable`. */
  readonly cli?: string | undefined;
  /** A file to compare with instead of the baseline of the release in this package. */
  readonly baseline?: string | undefined;
  /** Names of scenes; all by default. */
  readonly only?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that each anchor is waited for. Default 60 000. */
  readonly timeoutMs?: number;
}

/**
 * What `troupe drift` does: runs a CLI (`claude` on the `PATH` by default) offline through a fixed script and compares what
 * it says with the baseline of its release. Rejects with CLI_NOT_FOUND and the like, with NO_CLI for a program that is none,
 * with INVALID_OPTIONS for a scene or a baseline that there is not.
 */
export function driftCheck({ timeoutMs, ...options }: DriftCheckOptions = {}): Promise<DriftReport> {
  const host = { env, cwd: cwd(), execPath };
  return drift({ ...options, host, makeHome: realCliHome, anchorMs: timeoutMs });
}
