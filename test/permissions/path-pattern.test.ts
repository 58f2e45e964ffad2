import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areRelated,
  type PathPattern,
  parsePathPattern,
  pathIsCovered,
  pathMayBeIn,
} from '../../src/permissions/path-pattern.ts';

const ROOTS = { cwd: '/srv/app', home: '/home/user', root: '' };

describe('a pattern of paths', () => {
  it.each([
    ['/src/**', 'cwd', ['src'], ['**']],
    ['./src/**', 'cwd', ['src'], ['**']],
    ['src/**', 'cwd', ['src'], ['**']],
    ['//etc/**', 'root', ['etc'], ['**']],
    ['~/notes/*.md', 'home', ['notes'], ['*.md']],
    ['~', 'home', [], []],
    ['src/', 'cwd', ['src'], ['**']],
    ['//etc/passwd', 'root', ['etc'], ['passwd']],
    ['.env', 'cwd', [], ['.env']],
    ['**', 'cwd', [], ['**']],
  ])('%s is relative to %s', (text, anchor, folder, rest) => {
    expect(parsePathPattern(text)).toMatchObject({ anchor, folder, rest });
  });

  it.each([['!src/**'], ['src/{a,b}'], ['src/../etc'], ['..'], ['~/../x']])('%s is refused with a reason', (text) => {
    expect(parsePathPattern(text)).toEqual({ fault: expect.stringMatching(/must not/) });
  });
});

describe('a path that is covered (for rules that allow)', () => {
  it.each([
    ['/src/**', '/srv/app/src/a.ts', true],
    ['/src/**', '/srv/app/src/deep/er/a.ts', true],
    ['/src/**', '/srv/app/src', true],
    ['/src/**', '/srv/app/srcs/a.ts', false],
    ['/src/**', '/srv/other/src/a.ts', false],
    ['/src/*', '/srv/app/src/a.ts', true],
    ['/src/*', '/srv/app/src/deep/a.ts', false],
    ['/src/*.ts', '/srv/app/src/a.tsx', false],
    ['/src/**/*.ts', '/srv/app/src/a.ts', true],
    ['/src/**/*.ts', '/srv/app/src/x/y/a.ts', true],
    ['/src/**/test/*.ts', '/srv/app/src/x/test/a.ts', true],
    ['/src/**/test/*.ts', '/srv/app/src/x/tests/a.ts', false],
    ['.env', '/srv/app/.env', true],
    ['.env', '/srv/app/deep/.env', false],
    ['~/notes', '/home/user/notes', true],
    ['~/notes', '/home/user/notes/a', false],
    ['//etc/hosts', '/etc/hosts', true],
    ['//etc/hosts', '/srv/app/etc/hosts', false],
    ['//**', '/anything/at/all', true],
    ['/a+b(c)/**', '/srv/app/a+b(c)/x', true],
  ])('%s and %s: %s', (text, path, expected) => {
    const pattern = parsed(text);
    expect(pathIsCovered(pattern, folderOf(pattern), path)).toBe(expected);
  });

  it('does not take the characters of a folder on disk for a pattern', () => {
    const pattern = parsed('/src/**');
    expect(pathIsCovered(pattern, '/srv/*/src', '/srv/other/src/a.ts')).toBe(false);
    expect(pathIsCovered(pattern, '/srv/**/src', '/srv/x/y/src/a.ts')).toBe(false);
    expect(pathIsCovered(pattern, '/srv/*/src', '/srv/*/src/a.ts')).toBe(true);
  });
});

describe('a path that may be meant (for rules that deny or ask)', () => {
  it.each([
    ['.env', '/srv/app/.env', true],
    ['.env', '/srv/app/deep/er/.env', true],
    ['.env', '/srv/app/.env/x', true],
    ['.env', '/srv/other/.env', false],
    ['*.pem', '/srv/app/keys/a.pem', true],
    ['./.env', '/srv/app/deep/.env', false],
    ['/secrets', '/srv/app/secrets/a/b', true],
    ['/secrets/*', '/srv/app/secrets/a/b', true],
    ['~/.ssh', '/home/user/.ssh/id', true],
    ['//etc/passwd', '/etc/passwd', true],
    ['//etc/passwd', '/etc/passwords', false],
  ])('%s and %s: %s', (text, path, expected) => {
    const pattern = parsed(text);
    expect(pathMayBeIn(pattern, folderOf(pattern), path)).toBe(expected);
  });
});

describe('any pattern', () => {
  const segment = fc.constantFrom('a', 'b', 'a.ts', '*', '**', '*.ts', '.env');
  const name = fc.constantFrom('a', 'b', 'a.ts', 'c', '.env');
  const pattern = fc.tuple(
    fc.constantFrom('', '/', './', '~/', '//'),
    fc.array(segment, { minLength: 1, maxLength: 5 }),
  );
  const path = fc.tuple(fc.constantFrom('/srv/app', '/home/user', ''), fc.array(name, { minLength: 1, maxLength: 6 }));

  it('that covers a path may also mean it: narrow lies within wide', () => {
    fc.assert(
      fc.property(pattern, path, ([start, segments], [root, names]) => {
        const one = parsed(start + segments.join('/'));
        const place = `${root}/${names.join('/')}`;
        if (pathIsCovered(one, folderOf(one), place)) expect(pathMayBeIn(one, folderOf(one), place)).toBe(true);
      }),
    );
  });

  it('says of a path what a regular expression says of it', () => {
    fc.assert(
      fc.property(pattern, path, ([start, segments], [root, names]) => {
        const one = parsed(start + segments.join('/'));
        const place = `${root}/${names.join('/')}`;
        const source = [...folderOf(one).split('/').filter(Boolean), ...one.rest]
          .map((each) => (each === '**' ? '(?:/[^/]+)*' : `/${each.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}`))
          .join('');
        expect(pathIsCovered(one, folderOf(one), place)).toBe(new RegExp(`^${source}$`).test(place));
      }),
    );
  });

  it('takes no more time for a hostile one (P10)', () => {
    const startedAt = performance.now();
    const one = parsed(`${'**/a*a/'.repeat(60)}b`);
    pathMayBeIn(one, folderOf(one), `/srv/app/${'aaaaaaaa/'.repeat(400)}`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('two folders', () => {
  it('are related when one holds the other, and not for a common beginning of their names', () => {
    expect(areRelated('/a/b', '/a/b/c')).toBe(true);
    expect(areRelated('/a/b/c', '/a')).toBe(true);
    expect(areRelated('/a/b', '/a/bc')).toBe(false);
    expect(areRelated('/', '/anything')).toBe(true);
  });
});

function parsed(text: string): PathPattern {
  const pattern = parsePathPattern(text);
  if ('fault' in pattern) throw new Error(pattern.fault);
  return pattern;
}

function folderOf(pattern: PathPattern): string {
  return [ROOTS[pattern.anchor], ...pattern.folder].join('/') || '/';
}
