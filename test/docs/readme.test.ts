import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHILD_STATES } from '../../machines/child/child.events.ts';
import { SESSION_STATES } from '../../machines/session/session.events.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../../src/launch/defaults.ts';
import { complaintsAbout } from './code-sample.ts';
import { allPages, anchorsOf, codeBlocks, firstCells, localLinks, ROOT, readPage } from './markdown-page.ts';
import { commandsOf } from './shell-words.ts';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

const readme = readPage('README.md');
const pages = allPages();
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

describe('the README', () => {
  it('opens with the two commands that show the product and check it', () => {
    const commands = codeBlocks(readme)[0]?.code ?? '';
    expect(commands).toMatch(/^npm ci && npm run demo\b/m);
    expect(commands).toMatch(/^npm test\b/m);
    expect(manifest.scripts).toHaveProperty('demo');
    expect(manifest.scripts).toHaveProperty('test');
  });

  it('opens with the commands that continuous integration runs, word by word', () => {
    const commands = (codeBlocks(readme)[0]?.code ?? '').split('\n').flatMap(commandsOf);
    const run = readFileSync(join(ROOT, '.ci/run'), 'utf8').split('\n').flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) expect(run).toContainEqual(command);
  });

  it('explains every state a session can show, and no other', () => {
    // The child shows these only through the states of its incarnation.
    const hidden = ['running', 'pausing', 'stopping'];
    const shown = [...SESSION_STATES, ...CHILD_STATES].filter((state) => !hidden.includes(state));
    const section = readme.text.split('## States of a session')[1]?.split('\n## ')[0] ?? '';
    const explained = firstCells({ path: readme.path, text: section }).filter((cell) => cell !== 'state');
    expect(explained.sort()).toEqual([...new Set(shown)].sort());
  });

  it('lists every sub-path of the package, and no other', () => {
    const exported = Object.keys(manifest.exports).filter((path) => path !== './package.json');
    const listed = firstCells(readme).filter((cell) => /^troupe(\/|$)/.test(cell));
    expect(listed.sort()).toEqual(exported.map((path) => path.replace('.', 'troupe')).sort());
  });

  it.each(['README.md', 'docs/cli.md'])('names every exit code of the command in %s', (path) => {
    const codes = firstCells(readPage(path)).filter((cell) => /^\d+$/.test(cell));
    expect(codes.map(Number).sort()).toEqual(Object.values(EXIT).sort());
  });
});

describe('the pages', () => {
  it.each(pages.map((page) => [page.path, page] as const))('%s links only to what is there', (_, page) => {
    const broken = localLinks(page).filter((link) => !doesResolve(page.path, link));
    expect(broken).toEqual([]);
  });

  it('name only scripts that exist', () => {
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run ([a-z][a-z:-]*)/g)].map((match) => ({ path, script: match[1] ?? '' })),
    );
    expect(named.filter(({ script }) => manifest.scripts[script] === undefined)).toEqual([]);
  });

  it('are told to everybody: each is linked from another one', () => {
    const linked = new Set(pages.flatMap((page) => localLinks(page).map((link) => targetOf(page.path, link).path)));
    const isReached = ({ path }: { path: string }) => linked.has(path) || linked.has(dirname(path));
    expect(pages.filter((page) => page.path !== 'README.md' && !isReached(page)).map(({ path }) => path)).toEqual([]);
  });

  it('hold no TypeScript sample that does not compile against the sources', { timeout: 120_000 }, () => {
    expect(complaintsAbout(pages)).toEqual([]);
  });

  it('give every limit and timeout with its present default (P5, P9)', () => {
    const { text } = readPage('docs/limits-and-timeouts.md');
    const wanted = Object.entries({ ...DEFAULT_TIMEOUTS, ...DEFAULT_LIMITS }).map(
      ([name, value]) => `| \`${name}\` | ${spelled(value)} |`,
    );
    expect(wanted.filter((row) => !text.includes(row))).toEqual([]);
  });
});

function targetOf(from: string, link: string): { path: string; anchor: string | undefined } {
  const [path = '', anchor] = link.split('#');
  return { path: path === '' ? from : normalize(join(dirname(from), path)).replace(/\/$/, ''), anchor };
}

function doesResolve(from: string, link: string): boolean {
  const { path, anchor } = targetOf(from, link);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsOf(readPage(path)).includes(anchor);
}

/** 64 MiB, 20 000, none: as the table writes it. */
function spelled(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  if (value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20} MiB`;
  if (value >= 2 ** 10 && value % 2 ** 10 === 0) return `${value / 2 ** 10} KiB`;
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}
