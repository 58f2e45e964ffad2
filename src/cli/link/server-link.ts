import type { Command } from 'commander';
import { connect, type TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';
import { readTokens } from '../../server/token-file.ts';
import { findRunFiles, runFolders } from './run-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which server a command talks to. */
export interface LinkFlags {
  readonly server?: string;
  readonly tokenFile?: string;
}

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

export function linkOptions(command: Command): Command {
  return command
    .option('--server <url>', 'the server (default: TROUPE_SERVER, then the `troupe serve` that runs here)')
    .option('--token-file <file>', 'the file with its token (default: TROUPE_TOKEN_FILE, then its run file)');
}

/** A client of the server that the flags, the environment or its run file name. */
export async function serverLink(flags: LinkFlags, env: Environment = process.env): Promise<TroupeClient> {
  return connect(await serverAddress(flags, env));
}

/**
 * Where the server is. A token goes only where its file, or whoever calls, says: never to an address that merely was named (P11). Rejects with
 * SERVER_NOT_FOUND or TOKEN_FILE_UNSAFE.
 */
export async function serverAddress(
  flags: LinkFlags,
  env: Environment,
  tell: (line: string) => void = (line) => console.error(`troupe: ${line}`),
): Promise<ServerAddress> {
  const named = flags.server ?? filled(env['TROUPE_SERVER']);
  if (named !== undefined && !isAddress(named))
    // Not repeated: it may hold a password.
    throw new TroupeError('INVALID_OPTIONS', {
      reason: `${flags.server === undefined ? 'TROUPE_SERVER' : '--server'}: expected http://… or https://…, without a login in it.`,
    });
  const tokenFile = flags.tokenFile ?? filled(env['TROUPE_TOKEN_FILE']);
  const { servers, ignored } = await findRunFiles(env);
  const found = named === undefined ? servers : servers.filter(({ url }) => sameOrigin(url, named));
  if (named !== undefined && tokenFile !== undefined) return { url: named, token: await firstToken(tokenFile) };
  for (const { path, reason } of ignored) tell(`${path} is ignored: ${reason}.`);
  const [only, ...others] = found;
  if (only === undefined)
    throw new TroupeError('SERVER_NOT_FOUND', {
      reason:
        named === undefined
          ? `There is no run file in ${runFolders(env).join(' or ')}. Start one: troupe serve. Or name one: --server <url> --token-file <file>. Or look into its store: --store <file>.`
          : `${named} has no run file here. Say where its token is: --token-file <file>.`,
    });
  if (others.length > 0)
    throw new TroupeError('SERVER_NOT_FOUND', {
      reason: `Several run here; say which one: ${found.map(({ url }) => `--server ${url}`).join(' or ')}.`,
    });
  return { url: only.url, token: tokenFile === undefined ? only.token : await firstToken(tokenFile) };
}

async function firstToken(path: string): Promise<string> {
  const [first] = await readTokens(path);
  return first?.token ?? '';
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}

function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
