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

/** When the trouble comes: so long after the host was started, was up, or had all sessions ready. */
export interface Moment {
  readonly after: 'spawn' | 'up' | 'ready';
  readonly delayMs: number;
}

export interface ChaosPlan {
  readonly seed: number;
  readonly sessions: readonly { readonly behaviour: Behaviour; readonly prompts: readonly string[] }[];
  readonly trouble: Trouble;
  readonly moment: Moment;
}

/** The share of runs in which the sessions are processes of the real CLI. */
const REAL_SHARE = 0.1;

/** Everything that chance decides in a run, from its seed alone. */
export function planChaos(seed: number): ChaosPlan {
  const random = createRandom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 5; skipped += 1) random.next();
  const isReal = random.chance(REAL_SHARE);
  const count = 1 + random.below(isReal ? 2 : 3);
  return {
    seed,
    trouble: planTrouble(random),
    moment: planMoment(random),
    sessions: Array.from({ length: count }, () => ({
      behaviour: isReal ? 'real' : random.pick(['plain', 'deaf', 'daemon', 'naked', 'holder', 'storm']),
      prompts: Array.from({ length: random.below(3) }, () => random.pick(['hello', 'slow', 'tool'])),
    })),
  };
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

export function describePlan({ sessions, trouble, moment }: ChaosPlan): string {
  const who = sessions.map(({ behaviour, prompts }) => [behaviour, ...prompts].join('+')).join(' ');
  const { kind, ...details } = trouble;
  const what = [kind, ...Object.values(details).map((value) => value ?? '-')].join(' ');
  return `[${who}] ${what}, ${moment.delayMs} ms after ${moment.after}`;
}
