import { describeSpawner, planSpawner, type SpawnerPlan } from '../chaos/chaos-plan.ts';
import { createRandom, type Random } from '../chaos/random.ts';

/** What a prompt is about. `say` is answered, `slow` takes a while, `act` runs a tool, `ask` wants to know first whether it may. */
export type Task = 'say' | 'slow' | 'act' | 'ask';

/** What becomes of a prompt that was cut off, as it is declared in the options. */
export type LossPolicy = 'once' | 'retry' | 'ask' | 'fail';

export interface PlannedPrompt {
  /** Unlike every other of the run. */
  readonly token: string;
  readonly task: Task;
  /** In which life of the host the client sends it first, from 0. */
  readonly life: number;
  /** How the client answers when it is asked. */
  readonly decision: 'allow' | 'deny';
  /** How long it thinks about that, and about what to do with a prompt in doubt. */
  readonly thinkMs: number;
  readonly whenInDoubt: 'retry' | 'fail';
  /** It is not sent again when the host goes before it was acknowledged. */
  readonly isGivenUp: boolean;
}

export interface PlannedSession {
  readonly onPromptLost: LossPolicy;
  readonly prompts: readonly PlannedPrompt[];
}

export type Sign =
  /** What the host, or the client, does. */
  | 'up'
  | 'recovered'
  | 'sending'
  | 'accepted'
  | 'answering'
  /** What the fake CLI has in its own journal: a turn that it completed. */
  | 'worked'
  /** What an event tells. */
  | 'session.started'
  | 'prompt.delivered'
  | 'prompt.started'
  | 'permission.requested'
  | 'permission.settled'
  | 'turn.ended'
  | 'prompt.ended';

/** When it happens: so long after the n-th sign of a life. */
export interface Moment {
  readonly after: Sign;
  readonly nth: number;
  readonly delayMs: number;
}

/** How a life of the host ends. `handover`: it is asked to leave its sessions to the next one, and may be killed meanwhile. */
export type PlannedEnd =
  | { readonly way: 'kill'; readonly moment: Moment }
  | { readonly way: 'handover'; readonly moment: Moment; readonly killAfterMs: number | undefined };

export interface StoreChaosPlan {
  readonly seed: number;
  /** `crowd`: fifty sessions, of which few may have a process. */
  readonly kind: 'few' | 'crowd';
  readonly cli: 'fake' | 'real';
  readonly sessions: readonly PlannedSession[];
  /** The lives that end before their time; another one follows, and ends well. */
  readonly ends: readonly PlannedEnd[];
  readonly durability: 'strict' | 'batched';
  /** What a commit takes longer than the disk needs, before it and after it: kills meet more of them. */
  readonly slowCommitMs: { readonly before: number; readonly after: number } | undefined;
  readonly spawner: SpawnerPlan;
  /** In the first life nothing is committed from an event of this type on. */
  readonly withheldFrom?: string;
  /** When the fake CLI has a tool call in its transcript. */
  readonly recorded: 'asking' | 'running';
}

export interface PlanOptions {
  /** Only runs of this kind. */
  readonly only?: 'fake' | 'real' | 'crowd' | undefined;
  /** Who starts the processes. Default: chance decides. */
  readonly spawner?: SpawnerPlan['mode'] | undefined;
}

/** The share of runs with processes of the real CLI, and with fifty sessions. */
const REAL_SHARE = 0.08;
const CROWD_SHARE = 0.04;
/** Of the lives that end before their time. */
const HANDOVER_SHARE = 0.2;
const CROWD = 50;

/** Everything that chance decides in a run, from its seed alone. */
export function planStoreChaos(seed: number, { only, spawner }: PlanOptions = {}): StoreChaosPlan {
  const random = createRandom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 5; skipped += 1) random.next();
  const share = random.next();
  const kind = only ?? (share < REAL_SHARE ? 'real' : share < REAL_SHARE + CROWD_SHARE ? 'crowd' : 'fake');
  const isCrowd = kind === 'crowd';
  const lives = isCrowd ? 2 : 2 + random.below(4);
  const count = isCrowd ? CROWD : 1 + random.below(kind === 'real' ? 2 : 3);
  return {
    seed,
    kind: isCrowd ? 'crowd' : 'few',
    spawner: planSpawner(seed, spawner),
    cli: kind === 'real' ? 'real' : 'fake',
    durability: random.pick(['strict', 'batched']),
    slowCommitMs: random.chance(0.3) ? { before: random.below(40), after: random.below(40) } : undefined,
    recorded: random.pick(['asking', 'running']),
    ends: Array.from({ length: lives - 1 }, (_, life) => (isCrowd ? crowdEnd(random) : planEnd(random, life))),
    sessions: Array.from({ length: count }, (_, index) => planSession(random, { index, lives, kind })),
  };
}

/** Killed when everybody has been given work. */
function crowdEnd(random: Random): PlannedEnd {
  return { way: 'kill', moment: { after: 'accepted', nth: CROWD, delayMs: random.below(200) } };
}

function planSession(
  random: Random,
  { index, lives, kind }: { index: number; lives: number; kind: 'fake' | 'real' | 'crowd' },
): PlannedSession {
  const isCrowd = kind === 'crowd';
  // The real CLI asks about every tool that does something.
  const act = kind === 'real' ? 'ask' : 'act';
  const count = isCrowd ? 1 : 1 + random.below(4);
  return {
    onPromptLost: random.pick(['once', 'once', 'retry', 'ask', 'fail']),
    prompts: Array.from({ length: count }, (_, nth) => ({
      token: `t${index}x${nth}`,
      task: isCrowd ? 'say' : random.pick<Task>(['say', 'slow', act, 'ask', 'ask']),
      life: isCrowd ? 0 : random.below(lives),
      decision: random.chance(0.6) ? 'allow' : 'deny',
      thinkMs: random.below(120),
      whenInDoubt: random.chance(0.5) ? 'retry' : 'fail',
      isGivenUp: random.chance(0.1),
    })),
  };
}

function planEnd(random: Random, life: number): PlannedEnd {
  const moment = planMoment(random, life);
  if (!random.chance(HANDOVER_SHARE)) return { way: 'kill', moment };
  return { way: 'handover', moment, killAfterMs: random.chance(0.4) ? random.below(400) : undefined };
}

function planMoment(random: Random, life: number): Moment {
  // The first host has nothing to take up; those after it are often killed while they do.
  if (life > 0 && random.chance(0.35)) {
    return random.chance(0.6)
      ? { after: 'up', nth: 1, delayMs: random.below(400) }
      : { after: 'recovered', nth: 1, delayMs: random.below(300) };
  }
  const after = random.pick<Sign>([
    'sending',
    'accepted',
    'answering',
    'session.started',
    'prompt.delivered',
    'prompt.started',
    'permission.requested',
    'permission.settled',
    'turn.ended',
    'prompt.ended',
  ]);
  return { after, nth: 1 + random.below(3), delayMs: random.chance(0.5) ? random.below(15) : random.below(150) };
}

export function describePlan(plan: StoreChaosPlan): string {
  const who = plan.sessions.map(({ onPromptLost, prompts }) =>
    [onPromptLost, ...prompts.map(({ task, life }) => `${task}@${life}`)].join('+'),
  );
  const how = plan.ends.map(({ way, moment }) => `${way} ${moment.delayMs} ms after ${moment.after} ${moment.nth}`);
  const slow = plan.slowCommitMs === undefined ? '' : ', slow commits';
  const people = plan.kind === 'crowd' ? `${who.length} sessions` : who.join(' ');
  return `${plan.cli} ${plan.durability}${slow}, recorded when ${plan.recorded} [${people}] ${how.join('; ')}${describeSpawner(plan.spawner)}`;
}
