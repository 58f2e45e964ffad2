import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inlineCode, ROOT, readPage } from './markdown-page.ts';

const names = readdirSync(join(ROOT, 'docs/decisions'));

describe('docs/decisions', () => {
  it('holds decisions', () => {
    expect(names.length).toBeGreaterThan(0);
  });

  it.each(names)('%s is named by its day and its title', (name) => {
    expect(name).toMatch(/^\d{4}-\d{2}-\d{2}(-[a-z0-9]+)+\.md$/);
    expect(Number.isNaN(Date.parse(name.slice(0, 10)))).toBe(false);
  });

  it.each(names)('%s says what was found, what was decided and what follows', (name) => {
    const { text } = readPage(`docs/decisions/${name}`);
    expect(text).toMatch(/^# \S/);
    const [, ...sections] = text.split(/^## /m);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(['Context', 'Decision', 'Consequences']);
    const bodies = sections.map((section) => section.split('\n').slice(1).join('\n').trim());
    expect(bodies.every((body) => body.length > 80)).toBe(true);
  });

  it.each(names)('%s names only files that are there', (name) => {
    const paths = inlineCode(readPage(`docs/decisions/${name}`)).filter((code) =>
      /^(src|machines)\/[\w./-]+$/.test(code),
    );
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
