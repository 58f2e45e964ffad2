import { createRandom, type Random } from '../chaos/random.ts';
import { type TeamSetting, type TeamStep, teamOf, teamStepOf } from './team.ts';

export const CLI_ACTS = [
  'text',
  'tool',
  'recall',
  'finish',
  'fail',
  'late-result',
  'own-turn',
  'noise',
  'unknown',
  'stderr',
  'exit',
  'sigkill',
  'half-line',
  'child',
  'orphan',
  'stop',
  'continue',
  'deafen',
  'hear-again',
  'mode',
  'flush',
] as const;
export type CliAct = (typeof CLI_ACTS)[number];

export type FaultKind = 'spawn' | 'spawn-hangs' | 'write' | 'append' | 'read' | 'late-append' | 'timer';

/** One thing that happens to the world. Whatever it needs that is not there makes it happen to nobody. */
export type Step =
  | { readonly do: 'start'; readonly session: string; readonly isAsleep: boolean }
  | { readonly do: 'prompt'; readonly session: string; readonly onBusy: OnBusy }
  /** The newest prompt, once more with the same id. */
  | { readonly do: 'repeat'; readonly session: string }
  | { readonly do: 'take-back'; readonly session: string }
  | { readonly do: 'interrupt'; readonly session: string; readonly cancelQueued: boolean }
  | { readonly do: 'close' | 'kill' | 'hibernate' | 'restart'; readonly session: string }
  | { readonly do: 'set-model' | 'set-mode'; readonly session: string; readonly value: string }
  | { readonly do: 'answer'; readonly nth: number; readonly behavior: 'allow' | 'deny'; readonly rivals: number }
  | { readonly do: 'resolve'; readonly session: string; readonly answer: 'retry' | 'fail' }
  | { readonly do: 'read'; readonly session: string; readonly isSlow: boolean; readonly fromShare: number }
  | { readonly do: 'leave'; readonly nth: number }
  | { readonly do: 'cli'; readonly nth: number; readonly act: CliAct }
  | { readonly do: 'fault'; readonly kind: FaultKind; readonly after: number; readonly code: string }
  | { readonly do: 'store'; readonly what: 'hold' | 'release' }
  | TeamStep
  | { readonly do: 'pass' | 'jump' | 'freeze'; readonly ms: number }
  | { readonly do: 'crash' | 'handover' | 'drain' }
  /** All in the same breath: nothing settles in between. */
  | { readonly do: 'race'; readonly steps: readonly Step[] };

type OnBusy = 'enqueue' | 'steer' | 'interrupt' | 'reject';

export interface WorldSetting {
  readonly hasStore: boolean;
  readonly onPromptLost: 'once' | 'retry' | 'fail' | 'ask';
  readonly restart: 'permanent' | 'transient' | 'temporary';
  readonly intensity: number;
  readonly evictIdle: boolean;
  readonly maxSessions: number;
  readonly maxStarting: number;
  readonly maxPromptQueue: number;
  readonly maxLogItems: number;
  readonly maxSubscriberBufferItems: number;
  readonly idleMs: number;
  readonly permissionMs: number;
  readonly turnMs: number;
  readonly stallMs: number;
  readonly team?: TeamSetting;
}

export interface Script {
  readonly seed: number;
  readonly setting: WorldSetting;
  readonly steps: readonly Step[];
}

/** Of nobody's faults: its CLI is healthy, and no step is about it. */
export const BYSTANDER = 'calm';
export const SESSIONS = ['a', 'b', 'c'] as const;

/** Chance is all in here and in the seed: the same script always plays the same. */
export function scriptOf(seed: number): Script {
  const random = createRandom(seed);
  const team = teamOf(seed);
  const setting: WorldSetting = {
    hasStore: random.chance(0.75),
    onPromptLost: random.pick(['once', 'once', 'retry', 'fail', 'ask']),
    restart: random.pick(['transient', 'transient', 'permanent', 'temporary']),
    intensity: random.pick([1, 3, 5]),
    evictIdle: random.chance(0.3),
    maxSessions: random.pick([1, 2, 3, 8]),
    maxStarting: random.pick([1, 2, 4]),
    maxPromptQueue: random.pick([2, 4, 100]),
    maxLogItems: random.pick([40, 400, 10_000]),
    maxSubscriberBufferItems: random.pick([4, 20, 1_000]),
    idleMs: random.pick([20_000, Number.MAX_SAFE_INTEGER]),
    permissionMs: random.pick([15_000, Number.MAX_SAFE_INTEGER]),
    turnMs: random.pick([30_000, Number.MAX_SAFE_INTEGER]),
    stallMs: random.pick([10_000, 300_000]),
    ...(team === undefined ? {} : { team }),
  };
  const steps: Step[] = [{ do: 'start', session: 'a', isAsleep: false }];
  const length = 10 + random.below(28);
  while (steps.length < length) steps.push(stepOf(random, setting));
  return { seed, setting, steps };
}

function stepOf(random: Random, setting: WorldSetting): Step {
  if (setting.team !== undefined && random.chance(0.08)) return teamStepOf(random, setting.team);
  const session = random.pick(SESSIONS);
  const kind = random.below(100);
  if (kind < 26) return { do: 'cli', nth: random.below(4), act: actOf(random) };
  if (kind < 44) {
    return { do: 'prompt', session, onBusy: random.pick(['enqueue', 'enqueue', 'steer', 'interrupt', 'reject']) };
  }
  if (kind < 51) return { do: 'start', session, isAsleep: random.chance(0.2) };
  if (kind < 59) {
    const behavior = random.pick<'allow' | 'deny'>(['allow', 'deny']);
    return { do: 'answer', nth: random.below(2), behavior, rivals: random.below(3) };
  }
  if (kind < 63) return { do: 'pass', ms: random.pick([10, 500, 3_000, 12_000, 40_000]) };
  if (kind < 66) return { do: 'interrupt', session, cancelQueued: random.chance(0.4) };
  if (kind < 70) return { do: random.pick(['close', 'kill', 'hibernate', 'restart', 'hibernate']), session };
  if (kind < 73) return { do: random.pick(['repeat', 'take-back']), session };
  if (kind < 76) {
    const isModel = random.chance(0.5);
    const value = isModel ? random.pick(['opus', 'sonnet']) : random.pick(['plan', 'acceptEdits', 'default']);
    return { do: isModel ? 'set-model' : 'set-mode', session, value };
  }
  if (kind < 80) return { do: 'read', session, isSlow: random.chance(0.5), fromShare: random.next() };
  if (kind < 81) return { do: 'leave', nth: random.below(3) };
  if (kind < 83) return { do: 'resolve', session, answer: random.pick(['retry', 'fail']) };
  if (kind < 88) return faultOf(random, setting);
  if (kind < 90 && setting.hasStore) return { do: 'store', what: random.pick(['hold', 'release']) };
  if (kind < 94 && setting.hasStore) return { do: random.pick(['crash', 'crash', 'crash', 'handover']) };
  if (kind < 95) return { do: random.pick(['jump', 'freeze']), ms: random.pick([2_000, 20_000, 100_000]) };
  if (kind < 96 && random.chance(0.2)) return { do: 'drain' };
  const rivals = 2 + random.below(3);
  return { do: 'race', steps: Array.from({ length: rivals }, () => rivalOf(random, setting)) };
}

/** A step without steps, and one that takes no time. */
function rivalOf(random: Random, setting: WorldSetting): Step {
  for (;;) {
    const step = stepOf(random, setting);
    if (!['race', 'pass', 'crash', 'handover', 'drain'].includes(step.do)) return step;
  }
}

function actOf(random: Random): CliAct {
  return random.pick([...CLI_ACTS, 'finish', 'finish', 'finish', 'tool', 'tool', 'tool', 'text', 'text', 'continue']);
}

function faultOf(random: Random, { hasStore }: WorldSetting): Step {
  const kinds = ['spawn', 'spawn-hangs', 'write', 'timer'] as const;
  const kind: FaultKind = random.pick(hasStore ? [...kinds, 'append', 'append', 'read', 'late-append'] : kinds);
  const isAboutStore = kind === 'append' || kind === 'read';
  const code = isAboutStore
    ? random.pick(['STORE_FULL', 'STORE_UNREACHABLE', 'STORE_READ_ONLY', 'STORE_OVERLOADED'])
    : 'SPAWN_FAILED';
  return { do: 'fault', kind, after: random.below(5), code };
}
