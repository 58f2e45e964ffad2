import { describe, expect, it } from 'vitest';
import { FLAVORS } from '../../src/testing/fake-cli/flavor.ts';
import { VIOLATIONS } from '../../src/testing/fake-cli/journal.ts';
import type { Scenario, Step } from '../../src/testing/fake-cli/scenario.ts';
import { BEHAVIOUR, checkScenario, type Fields, MATCHES, STEPS } from '../../src/testing/fake-cli/scenario-check.ts';
import { codeBlocks, inlineCode, readPage } from './markdown-page.ts';

const page = readPage('docs/fake-cli.md');

describe('the page about the scenario language', () => {
  it.each([
    ['Steps', STEPS],
    ['Rules', MATCHES],
  ])('has every row of %s with its fields, and no other', (heading, known) => {
    const rows = tableOf(heading).map(([name = '', fields = '']) => [codeIn(name)[0], codeIn(fields)]);
    expect(rows.toSorted()).toEqual(
      Object.entries(known)
        .map(([name, fields]) => [name, spelled(fields)])
        .toSorted(),
    );
  });

  it('has every field of a behaviour, and no other', () => {
    expect(tableOf('Behaviour').map(([name = '']) => codeIn(name)[0])).toEqual(Object.keys(BEHAVIOUR));
  });

  it('has every violation, and no other', () => {
    const named = tableOf('What a test learns').map(([name = '']) => codeIn(name)[0]);
    expect(named.filter((name) => name !== undefined && !name.endsWith(')'))).toEqual([...VIOLATIONS]);
  });

  it('names every release and every single difference', () => {
    const named = inlineCode({ path: page.path, text: sectionOf('Flavors') });
    expect(Object.keys(FLAVORS).filter((version) => !named.includes(version))).toEqual([]);
    expect(Object.keys(FLAVORS['2.1.332']).filter((field) => field !== 'version' && !named.includes(field))).toEqual(
      [],
    );
  });

  it('holds no JSON that is no scenario', () => {
    const blocks = codeBlocks(page).filter(({ language }) => language === 'json');
    expect(blocks.length).toBeGreaterThan(0);
    for (const { code } of blocks) expect(() => checkScenario(JSON.parse(code) as Scenario)).not.toThrow();
  });

  const misbehaviours = tableOf('Misbehaviour').map(
    ([what = '', how = '', source = '']) => [what, how, source] as const,
  );

  it.each(misbehaviours)('can be written: %s', (_, how, source) => {
    expect(() => checkScenario(scenarioOf(how))).not.toThrow();
    expect(source).toMatch(/^(R\d{2,3}|WIRE §[\d.]+|§[\d.]+)(, (R\d{2,3}|WIRE §[\d.]+))*$/);
  });
});

/** Steps stand for what the CLI does with a prompt, a rule for itself, everything else is a behaviour. */
function scenarioOf(how: string): Scenario {
  const parts = codeIn(how).map((code): unknown => JSON.parse(code.replaceAll('\\|', '|')));
  const [first] = parts;
  if (isObject(first) && 'on' in first) return { rules: [first as never] };
  if (!isObject(first) || !('step' in first)) return first as Scenario;
  // Whoever reads the row puts the steps where they belong.
  const steps = parts as Step[];
  return first['step'] === 'writeBeforeRead' ? { atStart: steps } : { rules: [{ on: { kind: 'prompt' }, do: steps }] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function spelled(fields: Fields): string[] {
  return Object.entries(fields).map(([name, kind]) => (kind.endsWith('?') ? `${name}?` : name));
}

function sectionOf(heading: string): string {
  const [, section = ''] = page.text.split(`\n## ${heading}\n`);
  return section.split('\n## ')[0] ?? '';
}

/** The rows of the tables of a section, cell by cell, without heads and rules. */
function tableOf(heading: string): string[][] {
  const lines = sectionOf(heading).split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !/^\| -/.test(line) && !/^\| -/.test(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
