import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TroupeError } from '../errors.ts';
import { newToken, SCOPES, type Scope, type Token } from './access.ts';

/** More is no file of tokens. */
const MAX_BYTES = 256 * 2 ** 10;

const HEAD =
  '# Tokens of `troupe serve`, one a line: token [name [scope,scope]]. Scopes: read, answer, control. Keep it to yourself.\n';

/**
 * The tokens of a file, which is made with one for the name `owner` where there is none. Rejects with TOKEN_FILE_UNSAFE where
 * others may read it, or where it holds something else.
 */
export async function tokensOf(path: string): Promise<readonly Token[]> {
  const made = await makeFile(path);
  return made === undefined ? readTokens(path) : [made];
}

/** The tokens of a file that is there. Rejects with TOKEN_FILE_UNSAFE. */
export async function readTokens(path: string): Promise<readonly Token[]> {
  // By the handle: what is looked at is what is read, and a link is not followed to a file of somebody else.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw unsafe(path, 'it cannot be opened, or is a link', cause);
    },
  );
  try {
    const { mode, size } = await file.stat();
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw unsafe(path, 'it is no ordinary file');
    if ((mode & 0o077) !== 0) throw unsafe(path, 'others may read or write it: chmod 600 it');
    if (size > MAX_BYTES) throw unsafe(path, `it has more than ${MAX_BYTES} bytes`);
    return parseTokens(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
}

/** The new token, or undefined where the file is there. */
async function makeFile(path: string): Promise<Token | undefined> {
  const token: Token = { name: 'owner', token: newToken(), scopes: SCOPES };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${HEAD}${token.token} ${token.name} ${SCOPES.join(',')}\n`);
    await file.close();
    return token;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw unsafe(path, 'it cannot be made', error);
  }
}

function parseTokens(text: string, path: string): Token[] {
  const lines = text.split('\n').map((line) => line.trim());
  const tokens = lines.flatMap((line, index) => {
    if (line === '' || line.startsWith('#')) return [];
    const [token = '', name = 'owner', scopes = SCOPES.join(','), ...rest] = line.split(/\s+/);
    const known = scopes.split(',').filter((scope): scope is Scope => SCOPES.some((one) => one === scope));
    const isWhole = rest.length === 0 && known.length === scopes.split(',').length;
    // Never the line itself: it may hold a token.
    if (
      !isWhole ||
      token.length < 32 ||
      !/^[\x21-\x7e]+$/.test(token) ||
      !/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(name)
    )
      throw unsafe(path, `line ${index + 1} is no token of at least 32 characters, with a name and scopes`);
    return [{ token, name, scopes: known }];
  });
  if (tokens.length === 0) throw unsafe(path, 'it holds no token');
  if (new Set(tokens.map(({ name }) => name)).size < tokens.length) throw unsafe(path, 'two tokens have the same name');
  return tokens;
}

function unsafe(path: string, reason: string, cause?: unknown): TroupeError {
  return new TroupeError('TOKEN_FILE_UNSAFE', { reason: `${path}: ${reason}.`, cause, details: { path } });
}
