import { type Baseline, type KindBaseline, PAIR, type SceneBaseline, type Token, tokensOf } from './baseline.ts';
import type { Shape } from './line-shape.ts';
import type { Observation, SceneRun } from './observation.ts';

/** One difference between a release and the baseline, and where it is. */
export interface Finding {
  readonly change: 'new' | 'missing' | 'changed';
  readonly what: 'scene' | 'message' | 'field' | 'type' | 'count' | 'order';
  readonly scene: string;
  /** The kind of line; absent for a whole scene. */
  readonly message?: string;
  readonly field?: string;
  readonly was?: string;
  readonly is?: string;
}

/**
 * What is new, missing or changed. Scenes that were not played are left out. `tolerated`: kinds of lines that depend on how
 * long things take, so that they may come, stay away, and stand anywhere.
 */
export function compare(baseline: Baseline, seen: Observation, tolerated: ReadonlySet<string> = new Set()): Finding[] {
  return [...seen.scenes].flatMap(([scene, run]) => {
    const known = baseline.scenes[scene];
    if (known === undefined) return [{ change: 'new', what: 'scene', scene }];
    return [...messages(scene, known, run, tolerated), ...orders(scene, known, run, tolerated)];
  });
}

function* messages(
  scene: string,
  known: SceneBaseline,
  run: SceneRun,
  tolerated: ReadonlySet<string>,
): Generator<Finding> {
  const runs = Math.max(0, ...Object.values(known.kinds).map(({ inRuns }) => inRuns));
  for (const [message, kind] of Object.entries(known.kinds)) {
    const now = run.kinds.get(message);
    if (now !== undefined) yield* differences({ scene, message }, kind, now, tolerated.has(message));
    else if (kind.inRuns === runs && !tolerated.has(message))
      yield { change: 'missing', what: 'message', scene, message };
  }
  for (const message of run.kinds.keys()) {
    if (!(message in known.kinds) && !tolerated.has(message)) yield { change: 'new', what: 'message', scene, message };
  }
}

function* differences(
  where: Pick<Finding, 'scene'> & { message: string },
  known: KindBaseline,
  { times, shape }: { readonly times: number; readonly shape: Shape },
  isTolerated: boolean,
): Generator<Finding> {
  for (const [field, text] of Object.entries(known.fields)) {
    const tokens = tokensOf(text);
    const now = shape.get(field);
    if (now !== undefined) yield* changed({ ...where, field }, tokens, now, text);
    // A place inside of something that is not there is not told again.
    else if (tokens.some(({ isSure }) => isSure) && hasParent(field, shape)) {
      yield { change: 'missing', what: 'field', ...where, field, was: text };
    }
  }
  for (const [field, tokens] of shape) {
    if (!(field in known.fields) && parentOf(field).every((parent) => parent in known.fields)) {
      yield { change: 'new', what: 'field', ...where, field, is: textOf(tokens) };
    }
  }
  if (known.times !== undefined && known.times !== times && !isTolerated) {
    yield { change: 'changed', what: 'count', ...where, was: String(known.times), is: String(times) };
  }
}

function* changed(
  where: Pick<Finding, 'scene'> & { message: string; field: string },
  tokens: readonly Token[],
  now: ReadonlySet<string>,
  was: string,
): Generator<Finding> {
  const isKnown = (token: string) => tokens.some(({ text }) => text === token);
  const lost = tokens.filter(({ text, isSure }) => isSure && !now.has(text));
  if (lost.length > 0 || ![...now].every(isKnown))
    yield { change: 'changed', what: 'type', ...where, was, is: textOf(now) };
}

/** The places that a place is in, the outermost first: `a.b[].c` is in `a`, `a.b` and `a.b[]`. */
function parentOf(field: string): string[] {
  const steps = field.match(/\.?[^.[\]]+|\[\]/g) ?? [];
  return steps.slice(0, -1).map((_, index) => steps.slice(0, index + 1).join(''));
}

function hasParent(field: string, shape: Shape): boolean {
  return parentOf(field).every((parent) => shape.has(parent));
}

function textOf(tokens: ReadonlySet<string>): string {
  return [...tokens].toSorted().join(' | ');
}

/**
 * The fewest kinds that explain every pair that came the other way round: the one in most of such pairs has moved, and
 * again, until no pair is left.
 */
function* orders(
  scene: string,
  known: SceneBaseline,
  run: SceneRun,
  tolerated: ReadonlySet<string>,
): Generator<Finding> {
  const either = new Set(known.eitherOrder);
  const now = [...run.kinds.keys()];
  const kinds = Object.keys(known.kinds).filter((kind) => run.kinds.has(kind) && !tolerated.has(kind));
  let turned = kinds.flatMap((first, index) =>
    kinds
      .slice(index + 1)
      .filter((second) => now.indexOf(first) > now.indexOf(second) && !either.has(`${first}${PAIR}${second}`))
      .map((second) => [first, second] as const),
  );
  while (turned.length > 0) {
    const moved = mostOf(turned);
    const [first, second] = turned.find((pair) => pair.includes(moved)) ?? [moved, moved];
    const other = first === moved ? second : first;
    const [was, is] = first === moved ? ['before', 'after'] : ['after', 'before'];
    yield { change: 'changed', what: 'order', scene, message: moved, was: `${was} ${other}`, is: `${is} ${other}` };
    turned = turned.filter((pair) => !pair.includes(moved));
  }
}

function mostOf(pairs: readonly (readonly [string, string])[]): string {
  const counts = new Map<string, number>();
  for (const kind of pairs.flat()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as [string, number])[0];
}
