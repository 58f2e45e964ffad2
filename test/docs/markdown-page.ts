import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A page of documentation, by its path from the root of the repository. */
export interface MarkdownPage {
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

const FENCE = /^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm;

export function readPage(path: string): MarkdownPage {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/** Every page at the root and under docs/. */
export function allPages(): MarkdownPage[] {
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  return [...atRoot, ...below].sort().map(readPage);
}

export function codeBlocks({ text }: MarkdownPage): CodeBlock[] {
  return [...text.matchAll(FENCE)].map((match) => ({
    language: match[1] ?? '',
    code: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The page without its code blocks. */
export function proseOf({ text }: MarkdownPage): string {
  return text.replace(FENCE, '');
}

/** The targets of the links, without those that leave the repository. */
export function localLinks(page: MarkdownPage): string[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The names by which the headings of a page can be linked to. */
export function anchorsOf(page: MarkdownPage): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What stands between backticks in the prose. */
export function inlineCode(page: MarkdownPage): string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}

/** The first cells of the rows of all tables, without heads and rules. */
export function firstCells(page: MarkdownPage): string[] {
  const rows = [...proseOf(page).matchAll(/^\| *`?([^`|]+?)`? *\|/gm)].map((match) => match[1] ?? '');
  return rows.filter((cell) => !/^-+$/.test(cell));
}
