import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_ENTRIES, apiDocument } from '../../scripts/api-document.mjs';

const ROOT = new URL('../../', import.meta.url);

describe('docs/api.md', () => {
  it('says what the declarations say (else: npm run docs)', { timeout: 300_000 }, () => {
    expect(readFileSync(new URL('docs/api.md', ROOT), 'utf8'), 'stale: run npm run docs').toBe(apiDocument());
  });

  it('has every entry of the package, and no other', () => {
    const manifest: { exports: Record<string, unknown> } = JSON.parse(
      readFileSync(new URL('package.json', ROOT), 'utf8'),
    );
    const exported = Object.keys(manifest.exports).filter((path) => path !== './package.json');
    expect(Object.keys(API_ENTRIES)).toEqual(exported.map((path) => path.replace('.', 'troupe')));
  });
});
