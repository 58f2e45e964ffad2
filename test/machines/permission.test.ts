import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import type { PermissionDecision, PermissionEvent, Verdict } from '../../machines/permission/permission.events.ts';
import { permissionMachine } from '../../machines/permission/permission.machine.ts';
import type { AskInput } from '../../machines/permission/permission.ports.ts';
import { PERMISSION_EVENTS } from './event-samples.ts';
import { stateOf } from './state-name.ts';

const ALLOW: PermissionDecision = { behavior: 'allow', updatedInput: { command: 'ls' } };
const DENY: PermissionDecision = { behavior: 'deny', message: 'Not on my machine.' };

describe('judging', () => {
  it('gives the policy the request and nobody else', async () => {
    const { judged, asked } = openQuestion();

    expect(judged).toEqual([{ requestId: 'first', toolName: 'Bash' }]);
    expect(asked).toEqual([]);
  });

  it('settles at once when the policy decides, in the name of its rule (P4)', async () => {
    const { question, judge, asked, state, settlement } = openQuestion();

    judge.resolve({ behavior: 'deny', message: 'Never.', by: 'rule:Bash(rm *)' });
    await waitFor(question, ({ status }) => status === 'done');

    expect(state()).toBe('settled');
    expect(settlement()).toEqual({
      outcome: 'denied',
      by: 'rule:Bash(rm *)',
      decision: { behavior: 'deny', message: 'Never.' },
    });
    expect(asked).toEqual([]);
  });

  it('goes on to ask when the policy has no opinion', async () => {
    const { asked, state } = await askedQuestion();

    expect(state()).toBe('asking');
    expect(asked).toEqual([{ requestId: 'first', toolName: 'Bash' }]);
  });

  it('fails closed when the policy throws', async () => {
    const { question, judge, settlement } = openQuestion();

    judge.reject(new Error('the rule file is broken'));
    await waitFor(question, ({ status }) => status === 'done');

    expect(settlement()).toEqual({ outcome: 'failed', by: 'policy', reason: 'the rule file is broken' });
  });

  it('takes an answer that is faster than the policy, and drops the verdict (P4)', async () => {
    const { question, judge, settlement, asked } = openQuestion();

    question.send({ type: 'permission.answered', decision: DENY, by: 'ada' });
    judge.resolve({ behavior: 'allow', by: 'policy' });
    await nextLoop();

    expect(settlement()).toEqual({ outcome: 'denied', by: 'ada', decision: DENY });
    expect(asked).toEqual([]);
  });
});

describe('asking', () => {
  it('settles with the answer of the callback, in its name', async () => {
    const { question, ask, settlement } = await askedQuestion();

    ask.resolve({ ...ALLOW, by: 'callback' });
    await waitFor(question, ({ status }) => status === 'done');

    expect(settlement()).toEqual({ outcome: 'allowed', by: 'callback', decision: ALLOW });
  });

  it('fails closed when the callback throws', async () => {
    const { question, ask, settlement } = await askedQuestion();

    ask.reject(new TypeError('undefined is not a function'));
    await waitFor(question, ({ status }) => status === 'done');

    expect(settlement()).toEqual({ outcome: 'failed', by: 'callback', reason: 'undefined is not a function' });
  });

  it('fails closed when the callback throws before it returns a promise', async () => {
    const { question, judge, settlement } = openQuestion({ brokenAsk: true });

    judge.resolve({ behavior: 'ask' });
    await waitFor(question, ({ status }) => status !== 'active');

    expect(settlement()).toEqual({ outcome: 'failed', by: 'callback', reason: 'there is no callback' });
  });

  it('denies with a message when nobody answered in time (P5)', async () => {
    const { clock, settlement, state } = await askedQuestion({ deadlineMs: 60_000 });

    clock.increment(59_999);
    expect(state()).toBe('asking');

    clock.increment(1);
    expect(settlement()).toEqual({
      outcome: 'expired',
      by: 'deadline',
      decision: { behavior: 'deny', message: 'Nobody answered this permission request within 60000 ms.' },
    });
  });

  it('waits for ever when the deadline is Infinity (P5)', async () => {
    const { clock, state } = await askedQuestion({ deadlineMs: Number.POSITIVE_INFINITY });

    clock.increment(Number.MAX_SAFE_INTEGER);

    expect(state()).toBe('asking');
  });

  it('tells the callback when its answer is not wanted any more', async () => {
    const { question, ask } = await askedQuestion();

    question.send({ type: 'permission.cancelled' });

    expect(ask.signal()?.aborted).toBe(true);
  });
});

describe('the race for the decision (P4, WIRE §6)', () => {
  const RACERS = {
    answer: { outcome: 'denied', by: 'ada' },
    cancel: { outcome: 'cancelled', by: 'agent' },
    withdrawal: { outcome: 'withdrawn', by: 'session' },
    callback: { outcome: 'allowed', by: 'callback' },
    error: { outcome: 'failed', by: 'callback' },
    deadline: { outcome: 'expired', by: 'deadline' },
  } as const;
  type Racer = keyof typeof RACERS;

  const racers = Object.keys(RACERS) as Racer[];

  // XState warns of every event that comes too late, and coming too late is the subject here.
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(racers)('is won by the first, and nothing later changes it, in any order: %s', async (winner) => {
    for (const losers of permutationsOf(racers.filter((racer) => racer !== winner))) {
      const { question, ask, clock, settlement } = await askedQuestion({ deadlineMs: 1_000 });
      const run: Record<Racer, () => void> = {
        answer: () => question.send({ type: 'permission.answered', decision: DENY, by: 'ada' }),
        cancel: () => question.send({ type: 'permission.cancelled' }),
        withdrawal: () => question.send({ type: 'permission.withdrawn', reason: 'closing' }),
        callback: () => ask.resolve({ ...ALLOW, by: 'callback' }),
        error: () => ask.reject(new Error('broken')),
        deadline: () => clock.increment(1_000),
      };

      for (const racer of [winner, ...losers]) {
        run[racer]();
        await nextLoop();
        expect(settlement()).toMatchObject(RACERS[winner]);
      }
    }
  });

  it.each(Object.values(PERMISSION_EVENTS))(
    'is open to $type while the policy still thinks',
    (event: PermissionEvent) => {
      const { question, state } = openQuestion();

      question.send(event);

      expect(state()).toBe('settled');
    },
  );
});

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item) =>
    permutationsOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

interface QuestionOptions {
  readonly deadlineMs?: number;
  readonly brokenAsk?: boolean;
}

function openQuestion({ deadlineMs = 60_000, brokenAsk = false }: QuestionOptions = {}) {
  const clock = new SimulatedClock();
  const judge = answerable<Verdict>();
  const ask = answerable<PermissionDecision & { by: string }>();
  const judged: AskInput[] = [];
  const asked: AskInput[] = [];
  const machine = permissionMachine.provide({
    actors: {
      judge: fromPromise<Verdict, AskInput>(({ input, signal }) => {
        judged.push(input);
        return judge.begin(signal);
      }),
      ask: fromPromise<PermissionDecision & { by: string }, AskInput>(({ input, signal }) => {
        if (brokenAsk) throw new Error('there is no callback');
        asked.push(input);
        return ask.begin(signal);
      }),
    },
  });
  const question = createActor(machine, {
    clock,
    input: { kind: 'tool', requestId: 'first', toolName: 'Bash', deadlineMs },
  });
  question.start();
  const settlement = () => question.getSnapshot().output;
  return { question, clock, judge, ask, judged, asked, settlement, state: () => stateOf(question.getSnapshot()) };
}

async function askedQuestion(options: QuestionOptions = {}) {
  const opened = openQuestion(options);
  opened.judge.resolve({ behavior: 'ask' });
  await waitFor(opened.question, (snapshot) => snapshot.matches('asking'));
  return opened;
}

/** A promise the test settles, and the signal its asker gave. */
function answerable<T>() {
  let signal: AbortSignal | undefined;
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  const begin = (given: AbortSignal) => {
    signal = given;
    return promise;
  };
  return { begin, resolve, reject, signal: () => signal };
}
