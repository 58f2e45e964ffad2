import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

describe('the code of the package', () => {
  it('is few files for a program that imports it: each costs the import time (PERF §7.10)', () => {
    const { files, packages } = loadedBy('src/index.js');

    expect([...packages].toSorted()).toEqual(['p-queue', 'xstate']);
    expect(files.size).toBeGreaterThan(5);
    expect(files.size).toBeLessThan(50);
  });

  it('has nothing for Node in what a page imports: the client needs no other package but the reader of events', () => {
    const { packages, builtIn } = loadedBy('src/client/index.js');

    expect([...packages].filter((name) => name.startsWith('fastify') || name === 'xstate')).toEqual([]);
    expect([...builtIn]).toEqual([]);
  });

  it('holds our sources and zod, and of no other package a line, which would come without its license', () => {
    const maps = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(code|src|machines)\b.*\.js\.map$/.test(file),
    );
    const sources = maps.flatMap((file) => sourcesIn(file));
    const strangers = sources.filter((path) => !/^(src|machines|node_modules\/zod)\//.test(path));

    expect(sources.length).toBeGreaterThan(300);
    expect(strangers.filter((path) => !path.includes('@oxc-project'))).toEqual([]);
    expect(readFileSync(posix.join(DIST, 'code/zod.LICENSE'), 'utf8')).toContain('MIT License');
  });

  it('names no source map, because the package holds none: bundlers would complain of each', () => {
    const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));

    expect(
      files.filter((file) => readFileSync(posix.join(DIST, file), 'utf8').includes('\n//# sourceMappingURL=')),
    ).toEqual([]);
  });

  it('has each class once, whichever sub-path it comes from', async () => {
    const [main, client]: { readonly TroupeError: unknown }[] = await Promise.all(
      ['src/index.js', 'src/client/index.js'].map((path) => import(/* @vite-ignore */ `${DIST}${path}`)),
    );

    expect(main?.TroupeError).toBeTypeOf('function');
    expect(main?.TroupeError).toBe(client?.TroupeError);
  });
});

interface Loaded {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  readonly builtIn: ReadonlySet<string>;
}

/** What Node reads before the first line of a program that imports this file. */
function loadedBy(entry: string): Loaded {
  const files = new Set([entry]);
  const packages = new Set<string>();
  const builtIn = new Set<string>();
  for (const file of files) {
    const code = readFileSync(posix.join(DIST, file), 'utf8');
    for (const [, specifier = ''] of code.matchAll(/^(?:import|export)(?:[^'"`;]*? from)? ["']([^"']+)["'];$/gm)) {
      if (specifier.startsWith('.')) files.add(posix.join(posix.dirname(file), specifier));
      else if (specifier.startsWith('node:')) builtIn.add(specifier);
      else packages.add(specifier);
    }
  }
  return { files, packages, builtIn };
}

/** The sources that a file was made of, from the root of the project. */
function sourcesIn(map: string): string[] {
  const { sources }: { readonly sources: readonly string[] } = JSON.parse(readFileSync(posix.join(DIST, map), 'utf8'));
  return sources
    .filter((source) => !source.startsWith('\0'))
    .map((source) => posix.normalize(posix.join('dist', posix.dirname(map), source)));
}
