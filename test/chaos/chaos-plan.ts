import { createRandom, type Random } from './random.ts';

/** What a CLI of the run does beside its work. `real` is the real CLI, with a tool that never ends. */
export type Behaviour = 'plain' | 'deaf' | 'daemon' | 'naked' | 'holder' | 'storm' | 'real';

export type Trouble =
  /** The host lives on, and is told to shut down afterwards. */
  | { readonly kind: 'none' }
  | { readonly kind: 'kill-cli'; readonly times: number }
  | { readonly kind: 'stop-cli'; readonly continueAfterMs: number | undefined }
  /** The host goes. */
  | { readonly kind: 'signal-host'; readonly signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'; readonly againAfterMs?: number }
  | { readonly kind: 'end-host'; readonly way: 'exit' | 'throw' }
  | { readonly kind: 'kill-host'; readonly nextHostLivesMs: number | undefined }
  /** No next host comes: the watch of this one has to do. */
  | { readonly kind: 'kill-watched-host' };

/** States that pass quickly, or that random moments seldom meet. */
export const AIMS = ['closing', 'backing-off', 'pausing', 'parked'] as const;
export type Aim = (typeof AIMS)[number];

/** When the trouble comes: so long after the host was started, was up, had all sessions ready, or had brought the first one into a state. */
export interface Moment {
  readonly after: 'spawn' | 'up' | 'ready' | Aim;
  readonly delayMs: number;
}

export interface ChaosPlan {
  readonly seed: number;
  readonly sessions: readonly { readonly behaviour: Behaviour; readonly prompts: readonly string[] }[];
  readonly trouble: Trouble;
  readonly moment: Moment;
  readonly spawner: SpawnerPlan;
}

/** Who starts the processes of the hosts, and how long after the start of a host its spawner is killed, milliseconds. */
export interface SpawnerPlan {
  readonly mode: 'direct' | 'always';
  readonly killedAfterMs: readonly number[];
}

/** The share of runs in which the sessions are processes of the real CLI. */
const REAL_SHARE = 0.1;
/** The share of runs whose trouble comes while the first session is in one of the states of `AIMS`. */
const AIMED_SHARE = 0.4;

/** The share of runs with a spawner, and the share of those in which it is killed. */
const SPAWNER_SHARE = 0.5;
const LOST_SPAWNER_SHARE = 0.6;
/** Most of a run is over by then. */
const MOST_SPAWNER_MS = 2_000;

/** Everything that chance decides in a run, from its seed alone. `spawner`: who starts the processes, whatever chance says. */
export function planChaos(seed: number, spawner?: SpawnerPlan['mode']): ChaosPlan {
  return { ...planRun(seed), spawner: planSpawner(seed, spawner) };
}

/** Beside everything else that a seed means. */
export function planSpawner(seed: number, wanted: SpawnerPlan['mode'] | undefined): SpawnerPlan {
  // Numbers of its own: the rest of the run is the same with it and without it.
  const random = randomOf(seed + 1_000_003);
  const mode = random.chance(SPAWNER_SHARE) ? 'always' : 'direct';
  const losses = random.chance(LOST_SPAWNER_SHARE) ? 1 + random.below(3) : 0;
  const moments = Array.from({ length: losses }, () => random.below(random.pick([400, MOST_SPAWNER_MS])));
  return (wanted ?? mode) === 'direct'
    ? { mode: 'direct', killedAfterMs: [] }
    : { mode: 'always', killedAfterMs: moments.toSorted((one, other) => one - other) };
}

function randomOf(seed: number): Random {
  const random = createRandom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 5; skipped += 1) random.next();
  return random;
}

function planRun(seed: number): Omit<ChaosPlan, 'spawner'> {
  const random = randomOf(seed);
  const isReal = random.chance(REAL_SHARE);
  const count = 1 + random.below(isReal ? 2 : 3);
  const trouble = planTrouble(random);
  const anywhere = planMoment(random);
  const sessions = Array.from({ length: count }, (): ChaosPlan['sessions'][number] => ({
    behaviour: isReal ? 'real' : random.pick(['plain', 'deaf', 'daemon', 'naked', 'holder', 'storm']),
    prompts: Array.from({ length: random.below(3) }, () => random.pick(['hello', 'slow', 'tool'])),
  }));
  const [first, ...others] = sessions;
  if (first === undefined || !random.chance(AIMED_SHARE)) return { seed, trouble, moment: anywhere, sessions };
  const after = random.pick<Aim>(AIMS);
  const prompts = leadingTo(after) ?? first.prompts;
  // Most of these states are over in an instant.
  const moment = { after, delayMs: random.below(random.pick([1, 20, 400])) };
  return { seed, trouble, moment, sessions: [{ ...first, prompts }, ...others] };
}

export function isAimed(moment: Moment): moment is Moment & { readonly after: Aim } {
  return AIMS.some((aim) => aim === moment.after);
}

/** Only what is at rest is paused; after its one turn it is parked, with a prompt that waits. */
function leadingTo(aim: Aim): readonly string[] | undefined {
  if (aim === 'pausing') return ['hello'];
  return aim === 'parked' ? ['hello', 'hello'] : undefined;
}

function planTrouble(random: Random): Trouble {
  const again = random.chance(0.3) ? { againAfterMs: random.below(200) } : {};
  const signal = random.pick<'SIGTERM' | 'SIGINT' | 'SIGHUP'>(['SIGTERM', 'SIGINT', 'SIGHUP']);
  return random.pick<Trouble>([
    { kind: 'none' },
    { kind: 'kill-cli', times: 1 + random.below(2) },
    { kind: 'stop-cli', continueAfterMs: random.chance(0.5) ? random.below(400) : undefined },
    { kind: 'signal-host', signal, ...again },
    { kind: 'end-host', way: random.pick(['exit', 'throw']) },
    { kind: 'kill-host', nextHostLivesMs: undefined },
    { kind: 'kill-watched-host' },
    { kind: 'kill-host', nextHostLivesMs: random.below(600) },
  ]);
}

function planMoment(random: Random): Moment {
  const after = random.pick<Moment['after']>(['spawn', 'up', 'ready', 'ready']);
  return { after, delayMs: random.below(after === 'spawn' ? 800 : 400) };
}

export function describeSpawner({ mode, killedAfterMs }: SpawnerPlan): string {
  return mode === 'direct' ? '' : [', with a spawner', ...killedAfterMs].join(' ');
}

export function describePlan({ sessions, trouble, moment, spawner }: ChaosPlan): string {
  const who = sessions.map(({ behaviour, prompts }) => [behaviour, ...prompts].join('+')).join(' ');
  const { kind, ...details } = trouble;
  const what = [kind, ...Object.values(details).map((value) => value ?? '-')].join(' ');
  return `[${who}] ${what}, ${moment.delayMs} ms after ${moment.after}${describeSpawner(spawner)}`;
}
