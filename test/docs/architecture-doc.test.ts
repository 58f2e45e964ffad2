import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inlineCode, localLinks, ROOT, readPage } from './markdown-page.ts';

const page = readPage('docs/ARCHITECTURE.md');
const named = inlineCode(page).filter((code) => /^(src|machines|test|docs|scripts|\.ci)\/[\w./-]*$/.test(code));

describe('docs/ARCHITECTURE.md', () => {
  it('names only files and folders that are there', () => {
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names every folder of the sources, so that the folder listing can be read with it', () => {
    const folders = [...foldersBelow('src'), ...foldersBelow('machines')];
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
  });

  it('names every file that belongs to no folder', () => {
    const lone = ['src', 'machines'].flatMap((root) =>
      readdirSync(join(ROOT, root)).flatMap((name) => (name.endsWith('.ts') ? [`${root}/${name}`] : [])),
    );
    expect(lone.filter((file) => !named.includes(file))).toEqual([]);
  });

  it('links every decision', () => {
    const decisions = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => name.endsWith('.md'));
    const linked = localLinks(page);
    expect(decisions.filter((name) => !linked.includes(`decisions/${name}`))).toEqual([]);
  });
});

/** Folders that hold sources, from the root of the repository. */
function foldersBelow(root: string): string[] {
  const entries = readdirSync(join(ROOT, root), { recursive: true, withFileTypes: true });
  const folders = entries.flatMap((entry) => (entry.isFile() ? [entry.parentPath.slice(ROOT.length)] : []));
  return [...new Set(folders)].filter((folder) => folder !== root).sort();
}
