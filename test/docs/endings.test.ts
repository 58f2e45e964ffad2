import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENDINGS, endings } from '../../machines/child/endings.ts';
import { endingsDocument } from '../../scripts/documents.mjs';

const PAGE = new URL('../../docs/endings.md', import.meta.url);

it('docs/endings.md shows the table as it is (else: npm run docs)', () => {
  expect(readFileSync(PAGE, 'utf8'), 'stale: run npm run docs').toBe(endingsDocument(ENDINGS));
});

it('has two rows for every ending: what it means, and what its owner can do', () => {
  const lines = endingsDocument(ENDINGS).split('\n');
  for (const ending of endings()) {
    expect(lines.filter((line) => line.startsWith(`| \`${ending}\` |`))).toHaveLength(2);
  }
});
