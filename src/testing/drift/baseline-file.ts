import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TroupeError } from '../../errors.ts';
import { parseRecord } from '../../wire/fields.ts';
import type { Baseline, KindBaseline } from './baseline.ts';

const INSIDE_PACKAGE = ['src', 'testing', 'drift', 'baselines'];
const SUFFIX = '.json';

/** Where the baselines are that come with the package. */
export function baselineFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== parse(folder).root; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, ...INSIDE_PACKAGE);
  }
  throw new TroupeError('INVALID_OPTIONS', { reason: 'The baselines of this package are not where they were.' });
}

/** The file of the release itself, else of the newest one before it, else of the oldest there is; undefined without any. */
export function baselineFileFor(version: string, folder = baselineFolder()): string | undefined {
  const known = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .toSorted(byRelease);
  const best = known.findLast((release) => byRelease(release, version) <= 0) ?? known[0];
  return best === undefined ? undefined : join(folder, `${best}${SUFFIX}`);
}

/** Reads a baseline; INVALID_OPTIONS when there is none, or it is none. */
export function readBaseline(path: string): Baseline {
  const content = existsSync(path) ? parseRecord(readFileSync(path, 'utf8')) : undefined;
  if (!isBaseline(content)) {
    const reason = `"${path}" is no baseline of troupe drift.`;
    throw new TroupeError('INVALID_OPTIONS', { reason, details: { field: 'baseline', path } });
  }
  return { ...content, scenes: expanded(content.scenes) };
}

/** Writes it, each field on a line of its own, so that a change of the CLI is a change of lines. */
export function writeBaseline(path: string, baseline: Baseline): void {
  writeFileSync(path, `${JSON.stringify({ ...baseline, scenes: compacted(baseline.scenes) }, undefined, 1)}\n`);
}

type Scenes = Baseline['scenes'];
type Fields = KindBaseline['fields'];

/** Fields that an earlier scene has just so are replaced by its name: most lines are the same in all scenes. */
function compacted(scenes: Scenes): unknown {
  const known = new Map<string, { readonly scene: string; readonly text: string }>();
  return mapKinds(scenes, (scene, name, { fields, ...kind }) => {
    const text = JSON.stringify(fields);
    const earlier = known.get(name);
    if (earlier?.text === text) return { ...kind, fieldsAsIn: earlier.scene };
    if (earlier === undefined) known.set(name, { scene, text });
    return { ...kind, fields };
  });
}

function expanded(scenes: Scenes): Scenes {
  return mapKinds(scenes, (_scene, name, kind: KindBaseline & { readonly fieldsAsIn?: string }) => {
    const { fieldsAsIn, fields = fieldsOf(scenes, fieldsAsIn, name), ...more } = kind;
    return { ...more, fields };
  });
}

function fieldsOf(scenes: Scenes, scene: string | undefined, name: string): Fields {
  return scenes[scene ?? '']?.kinds[name]?.fields ?? {};
}

function mapKinds<Kind>(
  scenes: Scenes,
  map: (scene: string, name: string, kind: KindBaseline) => Kind,
): Record<string, { kinds: Record<string, Kind>; eitherOrder: readonly string[] }> {
  return Object.fromEntries(
    Object.entries(scenes).map(([scene, { kinds, eitherOrder }]) => {
      const mapped = Object.entries(kinds).map(([name, kind]) => [name, map(scene, name, kind)] as const);
      return [scene, { kinds: Object.fromEntries(mapped), eitherOrder }];
    }),
  );
}

/** The file that `--update` writes for a release. */
export function ownBaselineFile(version: string): string {
  return join(baselineFolder(), `${version}${SUFFIX}`);
}

/** The shape below is that of the writer; a file of another format or version is none. */
function isBaseline(content: unknown): content is Baseline {
  const { format, version, scenes } = (content ?? {}) as Partial<Record<string, unknown>>;
  return format === 'troupe-drift' && version === 1 && typeof scenes === 'object' && scenes !== null;
}

function byRelease(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
