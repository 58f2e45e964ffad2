import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokensOf } from '../../src/server/token-file.ts';

const TOKEN = 'a-token-of-more-than-thirty-two-characters';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-tokens-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the file of tokens (P11)', () => {
  it('is made for its owner alone, and read again as it is', async () => {
    const path = join(folder, 'new', 'tokens');
    const [made] = await tokensOf(path);

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(made).toMatchObject({ name: 'owner', scopes: ['read', 'answer', 'control'] });
    expect(await tokensOf(path)).toEqual([made]);
  });

  it('holds names and scopes', async () => {
    const path = await written(`# people\n${TOKEN} ci read,control\n`);
    expect(await tokensOf(path)).toEqual([{ token: TOKEN, name: 'ci', scopes: ['read', 'control'] }]);
  });

  it.each([0o604, 0o640, 0o622])('one that others may touch is refused: mode %o', async (mode) => {
    const path = await written(`${TOKEN}\n`);
    await chmod(path, mode);
    await expect(tokensOf(path)).rejects.toMatchObject({ code: 'TOKEN_FILE_UNSAFE' });
  });

  it.each(['', 'short\n', `${TOKEN} x admin\n`, `${TOKEN} x\n${TOKEN}2 x\n`, `${TOKEN} x read more\n`])(
    'one that holds something else is refused, and its content is not told: %j',
    async (text) => {
      const path = await written(text);
      const error = await tokensOf(path).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'TOKEN_FILE_UNSAFE' });
      expect(JSON.stringify(error)).not.toContain(TOKEN);
    },
  );

  it('a link is not followed', async () => {
    const path = join(folder, 'link');
    await symlink(await written(`${TOKEN}\n`), path);
    await expect(tokensOf(path)).rejects.toMatchObject({ code: 'TOKEN_FILE_UNSAFE' });
    expect(await readFile(path, 'utf8')).toContain(TOKEN);
  });
});

async function written(text: string): Promise<string> {
  const path = join(folder, 'tokens');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
