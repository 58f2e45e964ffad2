import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { TroupeError } from '../../errors.ts';
import { type LaunchHost, planLaunch } from '../../launch/launch-plan.ts';
import { hasFeature } from '../../wire/features.ts';
import { isRecord } from '../../wire/fields.ts';
import { fakeModel } from '../fake-model/fake-model.ts';
import { CliPeer } from './cli-peer.ts';
import { addShape } from './line-shape.ts';
import type { MissingAnchor, Observation, SceneRun, SeenLine } from './observation.ts';
import type { Scene, Stage } from './scene.ts';
import { SCENES } from './scenes.ts';

/** Where a CLI lives that knows nothing of this user. */
export interface DriftHome extends AsyncDisposable {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ObserveOptions {
  /** A fresh home for each scene. */
  readonly makeHome: () => Promise<DriftHome>;
  /** The executable. */
  readonly cli: string;
  /** Its release. */
  readonly version: string;
  readonly host: LaunchHost;
  readonly clock: Clock;
  /** How long each anchor is waited for. */
  readonly anchorMs: number;
  /** Scenes at the same time, each with a process of its own. */
  readonly concurrency: number;
  /** Names of scenes; all without it. */
  readonly only?: readonly string[] | undefined;
  /** Ends it: what runs is stopped, and nothing more begins. */
  readonly signal?: AbortSignal | undefined;
}

const STDERR_TAIL_BYTES = 4_096;
const SLOW_DELAY_MS = 20;

/** Plays the fixed script once, against a model of this process. What could not be started rejects as a session would. */
export async function observe(options: ObserveOptions): Promise<Observation> {
  const waiting = SCENES.filter(({ name }) => options.only?.includes(name) ?? true);
  const played = new Map<string, Played>();
  const work = async (): Promise<void> => {
    for (let scene = waiting.shift(); scene !== undefined; scene = waiting.shift()) {
      options.signal?.throwIfAborted();
      played.set(scene.name, await play(scene, options));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  // The order of the script, whatever ended first.
  const names = SCENES.map(({ name }) => name).filter((name) => played.has(name));
  const scenes = new Map<string, SceneRun>();
  for (const name of names) {
    const run = played.get(name)?.run;
    if (run !== undefined) scenes.set(name, run);
  }
  return { scenes, missing: names.flatMap((name) => played.get(name)?.missing ?? []) };
}

type Played = { readonly run?: SceneRun; readonly missing?: MissingAnchor };

async function play(scene: Scene, options: ObserveOptions): Promise<Played> {
  await using home = await options.makeHome();
  await using model = await fakeModel({ slowDelayMs: SLOW_DELAY_MS });
  const peers: CliPeer[] = [];
  const forgotten = new Set<CliPeer>();
  let before = 0;
  const forget = (peer: CliPeer): void => {
    forgotten.add(peer);
    before = model.requests.length;
  };
  const open: Stage['open'] = async (session = {}, { answers = () => undefined, flags = [] } = {}) => {
    const { env, ...more } = session;
    const planned = await planLaunch({
      options: {
        pathToClaudeCodeExecutable: options.cli,
        cwd: home.cwd,
        envMode: 'exact',
        env: { ...home.env, ...model.environment(), ...env },
        ...more,
      },
      sessionId: `drift-${scene.name}`,
      incarnation: 1,
      host: options.host,
      stderrTailBytes: STDERR_TAIL_BYTES,
      token: randomUUID(),
    });
    const plan = { ...planned.plan, args: [...planned.plan.args, ...flags] };
    const peer = await CliPeer.open(plan, { answers, anchorMs: options.anchorMs, clock: options.clock });
    peers.push(peer);
    return peer;
  };
  const stop = (): void => void Promise.all(peers.map((peer) => peer.close()));
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    await scene.play({ open, forget, has: (name) => hasFeature(options.version, undefined, name) });
    const said = peers.filter((peer) => !forgotten.has(peer)).flatMap(({ lines }) => lines);
    return { run: runOf([...said, ...model.requests.slice(before).map(({ body }) => askedOf(body))]) };
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== 'ANCHOR_LOST') throw error;
    const { anchor, reason } = error.details;
    return { missing: { scene: scene.name, anchor: String(anchor), reason: String(reason) } };
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await Promise.all(peers.map((peer) => peer.close()));
  }
}

/** What the CLI asked of the model: the fields of its request, not what is in them. */
function askedOf(body: Readonly<Record<string, unknown>>): SeenLine {
  const fields = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) ? [] : isRecord(value) ? {} : value,
  ]);
  return { kind: 'asks the model', value: Object.fromEntries(fields) };
}

function runOf(lines: readonly SeenLine[]): SceneRun {
  const kinds = new Map<string, { times: number; shape: Map<string, Set<string>> }>();
  for (const { kind, value } of lines) {
    const known = kinds.get(kind) ?? { times: 0, shape: new Map() };
    known.times += 1;
    addShape(known.shape, value);
    kinds.set(kind, known);
  }
  return { kinds };
}

/** The names of all scenes, in the order of the script. */
export const SCENE_NAMES: readonly string[] = SCENES.map(({ name }) => name);

/** Refuses, with INVALID_OPTIONS, a scene that is not in the script. */
export function checkScenes(names: readonly string[]): void {
  const unknown = names.filter((name) => !SCENE_NAMES.includes(name));
  if (unknown.length === 0) return;
  const reason = `There is no scene ${unknown.join(', ')}; there are ${SCENE_NAMES.join(', ')}.`;
  throw new TroupeError('INVALID_OPTIONS', { reason, details: { field: 'only' } });
}
