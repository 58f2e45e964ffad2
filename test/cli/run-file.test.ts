import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRunFiles, removeStaleRunFiles, runFolders, writeRunFile } from '../../src/cli/link/run-file.ts';
import { serverAddress } from '../../src/cli/link/server-link.ts';

const TOKEN = 'a-token-of-thirty-two-characters';
const URL_HERE = 'http://127.0.0.1:8787';
/** Beyond what a pid can be. */
const NOBODY = 2 ** 30;

let home: string;
let env: Record<string, string>;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'troupe-run-file-'));
  env = { HOME: home };
  folder = join(home, '.local/state/troupe/run');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const announce = () => writeRunFile(env, { url: URL_HERE, token: TOKEN, startedAt: 1 });

describe('the run file of a server', () => {
  it('is for its owner alone, says where the server is, and goes away with it (P11)', async () => {
    const remove = await announce();
    const [name = ''] = readdirSync(folder);

    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await serverAddress({}, env)).toEqual({ url: URL_HERE, token: TOKEN });
    remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stands in the folder of the run time where there is one, and is found there and at home', async () => {
    await announce();
    env['XDG_RUNTIME_DIR'] = join(home, 'run');

    expect(runFolders(env)).toEqual([join(home, 'run/troupe'), folder]);
    expect(await serverAddress({}, env)).toEqual({ url: URL_HERE, token: TOKEN });
  });

  it('is ignored, and said so, when its server is gone; the next server takes it away', async () => {
    const path = write({ pid: NOBODY });
    const told: string[] = [];

    await expect(serverAddress({}, env, (line) => told.push(line))).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
    expect(told).toEqual([`${path} is ignored: its server (pid ${NOBODY}) is gone.`]);
    await removeStaleRunFiles(env);
    expect(existsSync(path)).toBe(false);
  });

  it('is ignored when its pid is somebody else’s by now', async () => {
    write({ pid: process.pid, host: `${process.pid}:1:elsewhere` });
    // Of another boot nothing is known: the pid has to do.
    expect((await findRunFiles(env)).servers).toHaveLength(1);
    const remove = await announce();
    const [own] = (await findRunFiles(env)).servers.filter(({ host }) => host?.endsWith('elsewhere') === false);
    remove();
    const mark = own?.host?.replace(/^(\d+):\d+:/, '$1:1:');
    rmSync(folder, { recursive: true });
    write({ pid: process.pid, host: mark });

    expect(await findRunFiles(env)).toMatchObject({ servers: [], ignored: [{ isStale: true }] });
  });

  it.each([
    ['others may read or write it', (path: string) => chmodSync(path, 0o644)],
    ['it cannot be read', (path: string) => writeFileSync(path, '{"version":1}')],
    [
      'it cannot be read',
      (path: string) => {
        rmSync(path);
        writeFileSync(join(home, 'elsewhere'), '{}', { mode: 0o600 });
        symlinkSync(join(home, 'elsewhere'), path);
      },
    ],
  ])('is not believed where %s', async (reason, spoil) => {
    const path = write({ pid: process.pid });
    spoil(path);

    expect(await findRunFiles(env)).toMatchObject({
      servers: [],
      ignored: [{ reason: expect.stringContaining(reason), isStale: false }],
    });
    await removeStaleRunFiles(env);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe('which server is meant', () => {
  it('is said by the flags, else by the environment, with a file of tokens', async () => {
    const file = tokenFile();

    expect(await serverAddress({ server: 'http://127.0.0.1:1', tokenFile: file }, env)).toEqual({
      url: 'http://127.0.0.1:1',
      token: TOKEN,
    });
    const named = { ...env, TROUPE_SERVER: 'http://127.0.0.1:2', TROUPE_TOKEN_FILE: file };
    expect((await serverAddress({}, named)).url).toBe('http://127.0.0.1:2');
    expect((await serverAddress({ server: 'http://127.0.0.1:1' }, named)).url).toBe('http://127.0.0.1:1');
  });

  it('sends no token to an address that was only named (P11)', async () => {
    await announce();

    await expect(serverAddress({ server: 'http://elsewhere.example' }, env)).rejects.toMatchObject({
      code: 'SERVER_NOT_FOUND',
      message: expect.stringContaining('--token-file'),
    });
    expect(await serverAddress({ server: `${URL_HERE}/` }, env)).toEqual({ url: URL_HERE, token: TOKEN });
  });

  it('is asked for where several run, and where none does it is said how to start one', async () => {
    await expect(serverAddress({}, env)).rejects.toThrow(/Start one: troupe serve.*--server <url>.*--store <file>/);
    await announce();
    write({ pid: process.pid, url: 'http://127.0.0.1:9999' });
    await expect(serverAddress({}, env)).rejects.toThrow(/--server http:\/\/127.0.0.1:(8787|9999) or --server/);
  });

  it('refuses an address that is none, and makes no file of tokens', async () => {
    const missing = join(home, 'none');

    await expect(serverAddress({ server: 'localhost', tokenFile: missing }, env)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    await expect(serverAddress({ server: URL_HERE, tokenFile: missing }, env)).rejects.toMatchObject({
      code: 'TOKEN_FILE_UNSAFE',
    });
    expect(existsSync(missing)).toBe(false);
  });
});

function write(facts: { pid: number; host?: string | undefined; url?: string }): string {
  const path = join(folder, 'serve-1.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const content = { version: 1, url: URL_HERE, token: TOKEN, startedAt: 0, ...facts };
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}

function tokenFile(): string {
  const path = join(home, 'tokens');
  writeFileSync(path, `${TOKEN} owner\n`, { mode: 0o600 });
  return path;
}
