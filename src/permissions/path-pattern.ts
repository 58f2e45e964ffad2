import { fitsWildcard } from './wildcard.ts';

/** A pattern of paths. `*` stays within a segment, `**` spans any number of them, everything else is literal. */
export interface PathPattern {
  /** What it is relative to. */
  readonly anchor: 'cwd' | 'home' | 'root';
  /** The literal folders it begins with. */
  readonly folder: readonly string[];
  readonly rest: readonly string[];
  /** A bare name such as `.env`: a rule that forbids it means it at every depth. */
  readonly isBare: boolean;
}

/** `//x` is absolute, `~/x` in the home folder, `/x`, `./x` and `x` in the working directory. */
export function parsePathPattern(text: string): PathPattern | { readonly fault: string } {
  if (text.startsWith('!')) return { fault: 'must not begin with "!": a denied path is a rule of its own' };
  if (text.includes('{'))
    return { fault: 'must not contain braces: they are not expanded, so write one rule for each' };
  const anchor = text.startsWith('//') ? 'root' : text === '~' || text.startsWith('~/') ? 'home' : 'cwd';
  const relative = anchor === 'home' ? text.slice(1) : text;
  const written = relative.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (written.includes('..')) return { fault: 'must not contain ".."' };
  const segments = text.endsWith('/') ? [...written, '**'] : written;
  const first = segments.findIndex((segment) => segment.includes('*'));
  const literal = first < 0 ? Math.max(0, segments.length - 1) : first;
  return {
    anchor,
    folder: segments.slice(0, literal),
    rest: segments.slice(literal),
    isBare: anchor === 'cwd' && !text.includes('/'),
  };
}

/** Narrow: exactly this path. `path` and `folder` are absolute and hold no `..`. */
export function pathIsCovered(pattern: PathPattern, folder: string, path: string): boolean {
  return segmentsFit([...segmentsOf(folder), ...pattern.rest], segmentsOf(path), isNamedBy(folder));
}

/** Wide: this path, something in it, or for a bare name one of that name at any depth. */
export function pathMayBeIn(pattern: PathPattern, folder: string, path: string): boolean {
  const segments = [...segmentsOf(folder), ...(pattern.isBare ? ['**'] : []), ...pattern.rest, '**'];
  return segmentsFit(segments, segmentsOf(path), isNamedBy(folder));
}

/** True when one folder holds the other, or both are the same. */
export function areRelated(one: string, other: string): boolean {
  const [a, b] = [segmentsOf(one), segmentsOf(other)];
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).join('/') === b.slice(0, length).join('/');
}

/** Folders of the machine are names, whatever characters they hold. */
function isNamedBy(folder: string): number {
  return segmentsOf(folder).length;
}

function segmentsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((segment) => segment !== '');
}

function segmentsFit(pattern: readonly string[], path: readonly string[], literal: number): boolean {
  // Which lengths of the path the pattern so far can have used up: no backtracking, so time stays bounded (P10).
  let reached = new Set([0]);
  for (const [index, segment] of pattern.entries()) {
    const isAny = segment === '**' && index >= literal;
    const next = new Set<number>();
    for (const used of reached) {
      if (isAny) for (let length = used; length <= path.length; length += 1) next.add(length);
      else if (used < path.length && nameFits(segment, path[used] ?? '', index < literal)) next.add(used + 1);
    }
    reached = next;
  }
  return reached.has(path.length);
}

function nameFits(segment: string, name: string, isLiteral: boolean): boolean {
  return isLiteral ? segment === name : fitsWildcard(segment, name);
}
