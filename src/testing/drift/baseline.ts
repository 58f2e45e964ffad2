import type { Observation, SceneRun } from './observation.ts';

/**
 * What a release does in each scene, over several runs: the committed form, plain JSON. A mark `?` stands behind what was
 * not there in every run, so that only what always was can be missing.
 */
export interface Baseline {
  readonly format: 'troupe-drift';
  readonly version: 1;
  readonly cli: string;
  readonly runs: number;
  readonly scenes: Readonly<Record<string, SceneBaseline>>;
}

export interface SceneBaseline {
  /** In the order in which they were first seen. */
  readonly kinds: Readonly<Record<string, KindBaseline>>;
  /** Pairs of kinds that came in either order: `first, then second` in the order of `kinds`, and the other way round. */
  readonly eitherOrder: readonly string[];
}

export interface KindBaseline {
  /** In how many of the runs it was there. */
  readonly inRuns: number;
  /** How often it came, where that was the same in every run with it. */
  readonly times?: number;
  /** Types and words at each place, as in `null? | string`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Between the two kinds of a pair. */
export const PAIR = ' ~ ';
const TOKENS = ' | ';

/** The baseline of a release, from any number of its runs. */
export function baselineOf(cli: string, runs: readonly Observation[]): Baseline {
  const names = [...new Set(runs.flatMap(({ scenes }) => [...scenes.keys()]))];
  const scenes = names.map((name) => {
    const played = runs.flatMap((run) => run.scenes.get(name) ?? []);
    return [name, sceneOf(played)] as const;
  });
  return { format: 'troupe-drift', version: 1, cli, runs: runs.length, scenes: Object.fromEntries(scenes) };
}

function sceneOf(runs: readonly SceneRun[]): SceneBaseline {
  const kinds = orderedKinds(runs);
  const pairs = kinds.flatMap((first, index) => kinds.slice(index + 1).map((second) => [first, second] as const));
  const isTurned = ([first, second]: readonly [string, string]) =>
    runs.some((run) => run.kinds.has(first) && run.kinds.has(second) && placeOf(run, first) > placeOf(run, second));
  return {
    kinds: Object.fromEntries(kinds.map((kind) => [kind, kindBaseline(kind, runs)])),
    eitherOrder: pairs.filter(isTurned).map((pair) => pair.join(PAIR)),
  };
}

/** By the mean of their places; kinds that came in one run only stand where they came there. */
function orderedKinds(runs: readonly SceneRun[]): string[] {
  const kinds = [...new Set(runs.flatMap((run) => [...run.kinds.keys()]))];
  const mean = (kind: string) => {
    const places = runs.filter((run) => run.kinds.has(kind)).map((run) => placeOf(run, kind));
    return places.reduce((sum, place) => sum + place, 0) / places.length;
  };
  return kinds.toSorted((one, other) => mean(one) - mean(other));
}

function placeOf(run: SceneRun, kind: string): number {
  return [...run.kinds.keys()].indexOf(kind);
}

function kindBaseline(kind: string, runs: readonly SceneRun[]): KindBaseline {
  const seen = runs.flatMap((run) => run.kinds.get(kind) ?? []);
  const paths = [...new Set(seen.flatMap(({ shape }) => [...shape.keys()]))].toSorted();
  const fields = paths.map((path) => {
    const tokens = [...new Set(seen.flatMap(({ shape }) => [...(shape.get(path) ?? [])]))].toSorted();
    const always = (token: string) => seen.every(({ shape }) => shape.get(path)?.has(token) === true);
    return [path, tokens.map((token) => (always(token) ? token : `${token}?`)).join(TOKENS)] as const;
  });
  const times = new Set(seen.map((one) => one.times));
  const [same] = times;
  return {
    inRuns: seen.length,
    ...(times.size === 1 && same !== undefined ? { times: same } : {}),
    fields: Object.fromEntries(fields),
  };
}

/** One thing at a place of a line, and whether it was there every time. */
export interface Token {
  readonly text: string;
  readonly isSure: boolean;
}

/** The tokens of a field, from their text. */
export function tokensOf(field: string): Token[] {
  return field.split(TOKENS).map((text) => ({ text: text.replace(/\?$/, ''), isSure: !text.endsWith('?') }));
}
