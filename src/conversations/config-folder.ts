import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** What every function on conversations takes: where the CLI keeps them. */
export interface ConfigFolderOptions {
  /** The CLI's configuration folder, relative to the host's cwd. Default: `CLAUDE_CONFIG_DIR` of the host, else `~/.claude`. */
  readonly configDir?: string | undefined;
}

/** Where to look, resolved once per call. */
export interface Places {
  readonly configDir: string;
  /** `<configDir>/projects`: a folder per working directory. */
  readonly projects: string;
  readonly cwd: string;
}

/** Where CLIs say what they have open, one file each, and where session folders lie (DIALECTS §4). */
export function sessionsIn({ configDir }: Pick<Places, 'configDir'>): string {
  return join(configDir, 'sessions');
}

/** Looks at the host anew on each call, as the CLI does at each start. */
export function placesOf({ configDir }: ConfigFolderOptions): Places {
  const cwd = process.cwd();
  // An empty variable is none, for the CLI too.
  const named = configDir ?? (process.env['CLAUDE_CONFIG_DIR'] || undefined);
  const folder = named === undefined ? join(homedir(), '.claude') : resolve(cwd, named.normalize('NFC'));
  return { configDir: folder, projects: join(folder, 'projects'), cwd };
}
