import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realPathOf } from '../../src/launch/real-path.ts';

let root = '';

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-path-')));
  await mkdir(join(root, 'inside'));
  await mkdir(join(root, 'outside'));
  await writeFile(join(root, 'outside', 'file'), '');
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('where a path leads', () => {
  it('is the path itself where there is no link, also when it does not exist yet', async () => {
    expect(await realPathOf(join(root, 'inside'))).toBe(join(root, 'inside'));
    expect(await realPathOf(join(root, 'inside', 'new', 'deep'))).toBe(join(root, 'inside', 'new', 'deep'));
    expect(await realPathOf('/')).toBe('/');
  });

  it('is where its links lead, in every part of it', async () => {
    await symlink('../outside', join(root, 'inside', 'folder'));
    expect(await realPathOf(join(root, 'inside', 'folder', 'file'))).toBe(join(root, 'outside', 'file'));
    expect(await realPathOf(join(root, 'inside', 'folder', 'new'))).toBe(join(root, 'outside', 'new'));
  });

  it('is what a link would make when somebody writes to it: no file is inside because it is not there yet', async () => {
    await symlink('../outside/new', join(root, 'inside', 'link'));
    await symlink('link', join(root, 'inside', 'chain'));
    await symlink(join(root, 'outside', 'none'), join(root, 'inside', 'gone'));
    expect(await realPathOf(join(root, 'inside', 'chain'))).toBe(join(root, 'outside', 'new'));
    expect(await realPathOf(join(root, 'inside', 'gone', 'deep'))).toBe(join(root, 'outside', 'none', 'deep'));
  });

  it('is found for a circle of links and for a file that stands in the way', async () => {
    await symlink('two', join(root, 'inside', 'one'));
    await symlink('one', join(root, 'inside', 'two'));
    expect(await realPathOf(join(root, 'inside', 'one', 'x'))).toMatch(/inside/);
    expect(await realPathOf(join(root, 'outside', 'file', 'x'))).toBe(join(root, 'outside', 'file', 'x'));
    expect(await realPathOf(`/${'a'.repeat(5_000)}`)).toBe(`/${'a'.repeat(5_000)}`);
  });
});
