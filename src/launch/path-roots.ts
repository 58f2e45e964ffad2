import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { SessionOptions } from './session-options.ts';

/** What relative paths and `~` mean to the process of a session. */
export function pathRoots(
  { cwd = '', env = {}, envMode }: Pick<SessionOptions, 'cwd' | 'env' | 'envMode'>,
  host: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): { readonly cwd: string; readonly home: string } {
  const home = 'HOME' in env || envMode === 'exact' ? env['HOME'] : host.env['HOME'];
  return { cwd: resolve(host.cwd, cwd), home: home === undefined || home === '' ? homedir() : resolve(host.cwd, home) };
}
