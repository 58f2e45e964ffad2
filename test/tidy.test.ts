import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MAX_LINES = 400;

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FILES = trackedFiles();
const SOURCES = FILES.filter((file) => /^(src|machines|test|scripts|docs\/examples)\/.*\.(m?tsx?|mjs)$/.test(file));
/** This file has to spell what it forbids. */
const OTHERS = SOURCES.filter((file) => file !== 'test/tidy.test.ts');

describe('house rules', () => {
  it('looks at the files there are', () => {
    expect(SOURCES).toContain('machines/session/session.machine.ts');
    expect(SOURCES).toContain('test/tidy.test.ts');
  });

  it(`keeps every source file within ${MAX_LINES} lines`, () => {
    expect(SOURCES.filter((file) => textOf(file).trimEnd().split('\n').length > MAX_LINES)).toEqual([]);
  });

  it('names files and folders in kebab-case, with the roles of xstate and tests as further words', () => {
    const names = SOURCES.flatMap((file) => file.split('/'));
    const odd = new Set(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/.test(name)));

    expect([...odd]).toEqual([]);
  });

  it('has no drawer for everything', () => {
    const drawers = /^(utils?|helpers?|common|shared|misc|core|lib|types)(\.|$)/;

    expect(SOURCES.filter((file) => file.split('/').some((name) => drawers.test(name)))).toEqual([]);
  });

  it.each([
    ['no mocks of our own code', /\bvi\.(do)?mock\(/],
    ['no test that is skipped, alone or still to come', /\b(it|test|describe)(\.\w+)*\.(only|skip|todo|fails)\b/],
    ['no reminder that nobody will read', /\b(TODO|FIXME|XXX|HACK)\b/],
    ['no barrel that hides', /^\s*export \*/],
    ['no enum, namespace or decorator', /^\s*(export )?(declare )?(const )?(enum|namespace)\s+\w/],
  ])('there is %s', (_, forbidden) => {
    expect(linesLike(OTHERS, forbidden)).toEqual([]);
  });

  it('has no `any` but where biome was told why', () => {
    const typed = /^(?!\s*(\*|\/\/|\/\*)).*(:|\bas)\s*any\b/;
    const unexcused = OTHERS.flatMap((file) => {
      const lines = textOf(file).split('\n');
      return lines.filter((line, index) => typed.test(line) && !lines[index - 1]?.includes('noExplicitAny: '));
    });

    expect(unexcused).toEqual([]);
  });

  it('exports by name only; a set-up file of vitest has no choice', () => {
    const library = OTHERS.filter((file) => !file.startsWith('test/'));

    expect(linesLike(library, /^\s*export default\b/)).toEqual([]);
  });

  it('silences a checker only with a reason', () => {
    const silenced = linesLike(OTHERS, /@ts-(ignore|expect-error|nocheck)|biome-ignore/);
    const reasoned = /@ts-expect-error:? +\S.{9,}|biome-ignore(-all)? \S+: +\S.{9,}/;

    expect(silenced.filter((line) => !reasoned.test(line))).toEqual([]);
  });
});

describe('what is published', () => {
  it('names no machine and no private host', () => {
    const text = FILES.filter((file) => !isBinary(file) && file !== 'test/tidy.test.ts');

    // A reader's own /home/user stands for any home.
    expect(linesLike(text, /(^|[\s'"`(=:])\/(work|home(?!\/user\b)|root)\/|(^|[\s'"`(=:])\/tmp\/h/)).toEqual([]);
  });

  it('fetches packages from nowhere but the public registry', () => {
    const lock = textOf('package-lock.json');
    const hosts = new Set([...lock.matchAll(/"resolved": "(https?:\/\/[^/"]+)/g)].map(([, host]) => host));

    expect([...hosts].filter((host) => host !== 'https://registry.npmjs.org')).toEqual([]);
  });

  it('names no registry in any file but the lock', () => {
    const text = FILES.filter((file) => !isBinary(file) && !['package-lock.json', 'test/tidy.test.ts'].includes(file));

    expect(linesLike(text, /https?:\/\/[\w.-]*(registry|artifactory|nexus|mirror)[\w.-]*/)).toEqual([]);
  });
});

/** What is in the repository or would be added to it. */
function trackedFiles(): string[] {
  const output = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  return [...new Set(output.split('\0'))].filter((file) => file !== '' && exists(file)).toSorted();
}

function linesLike(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}

function textOf(file: string): string {
  return readFileSync(posix.join(ROOT, file), 'utf8');
}

/** A file that was deleted and not yet committed is still listed. */
function exists(file: string): boolean {
  try {
    textOf(file);
    return true;
  } catch {
    return false;
  }
}

function isBinary(file: string): boolean {
  return textOf(file).includes('\0');
}
