import { createHash } from 'node:crypto';
import type { SessionOptions } from '../launch/session-options.ts';

/** Variables that say who pays: with another one of them it is another account. */
const CREDENTIALS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'AWS_PROFILE',
] as const;

/** The folder whose login a session uses; undefined for the CLI's own choice. */
export function configFolderOf(
  { configDir, env, envMode }: SessionOptions,
  host: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const inherited = envMode === 'exact' ? undefined : host['CLAUDE_CONFIG_DIR'];
  const own = env !== undefined && 'CLAUDE_CONFIG_DIR' in env ? env['CLAUDE_CONFIG_DIR'] : inherited;
  return own ?? configDir;
}

/**
 * Names the account of a session: by `account`, else by its configuration folder and its credentials. Of these only a
 * digest is kept, never themselves (P11).
 */
export function accountKeyOf(options: SessionOptions, host: Readonly<Record<string, string | undefined>>): string {
  if (options.account !== undefined) return options.account;
  const { env = {}, envMode } = options;
  const variable = (name: string) => (name in env || envMode === 'exact' ? env[name] : host[name]) ?? '';
  const identity = [configFolderOf(options, host) ?? '', ...CREDENTIALS.map(variable)];
  if (identity.every((part) => part === '')) return 'default';
  return `account-${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12)}`;
}
