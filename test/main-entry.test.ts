import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

describe("import 'troupe'", () => {
  const loaded = loadedBy('src/index.ts');

  it('loads three packages, and no more: the others wait until somebody needs them (PERF §7.10)', () => {
    expect([...loaded.packages].toSorted()).toEqual(['p-queue', 'xstate', 'zod']);
  });

  it('loads nothing of the server, the command, the kit or the page', () => {
    const others = /^src\/(server|cli|client|testing|telemetry|dashboard|api|view)\//;

    expect([...loaded.files].filter((file) => others.test(file))).toEqual([]);
    expect(loaded.files.size).toBeGreaterThan(100);
  });
});

/** What runs before the first line of a program that imports this file; what is imported by a call comes later, or never. */
function loadedBy(entry: string): { readonly files: Set<string>; readonly packages: Set<string> } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const code = readFileSync(posix.join(ROOT, file), 'utf8');
    for (const [, specifier = ''] of code.matchAll(/^(?:import|export)(?! type\b)(?:[^'"`;]*? from)? '([^']+)';/gm)) {
      if (specifier.startsWith('.')) files.add(posix.join(posix.dirname(file), specifier));
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    }
  }
  return { files, packages };
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
