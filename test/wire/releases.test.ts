import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** A release of the CLI, as a text or as a list: 1.x.y or 2.x.y, with a y; not part of an address. */
const RELEASE = /(?<![\d.])[12]\.\d+\.[1-9]\d*(?![\d.])|\[[12], ?\d+, ?[1-9]\d*\]/g;
const COMPARISON = /\bisRelease\b/;

/** Who may name a version, and why. */
const NAMES_ONE: Readonly<Record<string, string>> = {
  'src/wire/features.ts': 'the table',
  'src/testing/fake-cli/flavor.ts': 'the fake CLI plays one release',
  'src/testing/fake-cli/scenario-check.ts': 'which fields such a release has',
  'src/store/sqlite/driver.ts': 'the version of a package',
};

const ROOT = new URL('../../', import.meta.url);
const SOURCES = ['machines', 'src'].flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((entry) => /\.tsx?$/.test(entry))
    .map((entry) => `${folder}/${entry}`),
);

describe('releases of the CLI', () => {
  it('are named in one place: all other code asks for a feature (WIRE §25)', () => {
    const naming = SOURCES.filter((file) => (codeOf(file).match(RELEASE) ?? []).length > 0);

    expect(naming.toSorted()).toEqual(Object.keys(NAMES_ONE).toSorted());
  });

  it('are compared in one place', () => {
    expect(SOURCES.filter((file) => COMPARISON.test(codeOf(file))).toSorted()).toEqual([
      'src/wire/features.ts',
      'src/wire/release.ts',
    ]);
  });
});

/** Comments may tell which release was seen to do what. */
function codeOf(file: string): string {
  const text = readFileSync(new URL(file, ROOT), 'utf8');
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}
