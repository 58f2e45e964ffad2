import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_GROUPS, errorDocument } from '../../scripts/documents.mjs';
import { ERROR_CODES } from '../../src/errors.ts';

const ROOT = new URL('../../', import.meta.url);

describe('docs/errors.md', () => {
  it('lists the codes as they are (else: npm run docs)', () => {
    expect(readFileSync(new URL('docs/errors.md', ROOT), 'utf8'), 'stale: run npm run docs').toBe(
      errorDocument(ERROR_CODES),
    );
  });

  it('names every code once, with its sentence', () => {
    const lines = errorDocument(ERROR_CODES).split('\n');

    for (const [code, sentence] of Object.entries(ERROR_CODES)) {
      expect(lines.filter((line) => line === `| \`${code}\` | ${sentence} |`)).toHaveLength(1);
    }
  });

  it('is grouped as the table in the source is', () => {
    const source = readFileSync(new URL('src/errors.ts', ROOT), 'utf8');
    const table = source.slice(source.indexOf('ERROR_CODES = {'), source.indexOf('} as const'));
    const openers = [...table.matchAll(/(?:\{|\n)\n {2}([A-Z_]+):/g)].map(([, code]) => code);

    expect(ERROR_GROUPS.map(([code]) => code)).toEqual(openers);
  });
});
