import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliSearch, findCli } from '../../../src/launch/cli-executable.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(await realpath(tmpdir()), 'find-cli-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('finding the CLI', () => {
  it('takes the first executable file named claude on PATH, past directories, plain files and missing places', async () => {
    await mkdir(join(root, 'a', 'claude'), { recursive: true });
    await place('b/claude', 0o644);
    const wanted = await place('c/claude', 0o755);
    await place('d/claude', 0o755);
    const searchPath = ['missing', 'a', 'b', 'c', 'd'].map((name) => join(root, name)).join(delimiter);
    await expect(find({ searchPath })).resolves.toEqual({ command: wanted, prefixArgs: [] });
  });

  it('says that it may not be executed when that is all that is wrong with it', async () => {
    const unusable = await place('b/claude', 0o644);
    await expect(find({ searchPath: join(root, 'b') })).rejects.toMatchObject({
      code: 'CLI_NOT_EXECUTABLE',
      message: expect.stringContaining(unusable),
    });
  });

  it('says where it looked and what to do when there is none, without telling what is in PATH', async () => {
    const searchPath = [join(root, 'x'), join(root, 'y'), join(root, 'x'), ''].join(delimiter);
    const error: unknown = await find({ searchPath }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'CLI_NOT_FOUND',
      message: expect.stringMatching(/none of the 2 directories.*npm install.*pathToClaudeCodeExecutable/),
      details: { directoriesSearched: 2 },
    });
    expect(JSON.stringify(error)).not.toContain(root);
    await expect(find({ searchPath: undefined })).rejects.toMatchObject({ details: { directoriesSearched: 0 } });
  });

  it('never takes a program from the current directory because PATH has an empty entry', async () => {
    await place('claude', 0o755);
    await expect(find({ searchPath: `${delimiter}${delimiter}` })).rejects.toMatchObject({ code: 'CLI_NOT_FOUND' });
  });

  it('takes a path as it is, relative ones from the given directory, without looking at PATH', async () => {
    const searchPath = join(root, 'b');
    await place('b/claude', 0o755);
    await expect(find({ path: '/opt/claude', searchPath })).resolves.toEqual({
      command: '/opt/claude',
      prefixArgs: [],
    });
    await expect(find({ path: './tools/claude', searchPath })).resolves.toMatchObject({
      command: join(root, 'tools', 'claude'),
    });
  });

  it('finds another bare name on PATH', async () => {
    const wanted = await place('b/my-claude', 0o755);
    await expect(find({ path: 'my-claude', searchPath: join(root, 'b') })).resolves.toMatchObject({ command: wanted });
  });

  it.each(['cli.js', 'cli.mjs', 'cli.cjs'])(
    'runs %s by the Node it was given, after the arguments of that',
    async (name) => {
      const script = await place(name, 0o644);
      const executableArgs = ['--no-warnings'];
      await expect(find({ path: `./${name}`, executableArgs })).resolves.toEqual({
        command: '/opt/node',
        prefixArgs: ['--no-warnings', script],
      });
    },
  );

  it('finds the runtime of a script on PATH too', async () => {
    await place('cli.js', 0o644);
    const runtime = await place('b/bun', 0o755);
    const found = await find({ path: './cli.js', executable: 'bun', searchPath: join(root, 'b') });
    expect(found.command).toBe(runtime);
    await expect(find({ path: './cli.js', executable: 'deno', searchPath: join(root, 'b') })).rejects.toMatchObject({
      code: 'CLI_NOT_FOUND',
      details: { field: 'executable', name: 'deno' },
    });
  });

  it('notices a script that is not there: its runtime would only say so on stderr', async () => {
    await expect(find({ path: './gone.js' })).rejects.toMatchObject({
      code: 'CLI_NOT_FOUND',
      details: { path: join(root, 'gone.js') },
    });
  });

  it('looks anew every time: an upgrade may move it', async () => {
    const searchPath = ['a', 'b'].map((name) => join(root, name)).join(delimiter);
    const former = await place('a/claude', 0o755);
    await expect(find({ searchPath })).resolves.toMatchObject({ command: former });
    await rm(former);
    const latter = await place('b/claude', 0o755);
    await expect(find({ searchPath })).resolves.toMatchObject({ command: latter });
  });
});

/** As root every file may be read and only those with an x bit may be executed, so the modes count for everybody. */
async function place(name: string, mode: number): Promise<string> {
  const path = join(root, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, mode);
  return path;
}

function find(search: Partial<CliSearch>) {
  return findCli({ searchPath: undefined, cwd: root, execPath: '/opt/node', ...search });
}
