import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import type { Turn } from '../../src/session/turn.ts';
import type { MemoryPrompt } from './memory-cli.ts';
import { answerWell, HOUR, meetWall, quotaFleet, rateLimit, SKEW, START } from './quota-fleet.ts';

const SESSIONS = ['a', 'b', 'c', 'd'];
const MINUTE = 60_000;

type Step =
  | { readonly kind: 'prompt' | 'answer' | 'speak' | 'break' | 'close' | 'kill'; readonly session: number }
  | { readonly kind: 'wall' | 'frame'; readonly session: number; readonly inMinutes: number | undefined }
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'resume' };

describe('any order of limits, answers, time and ends over a fleet (R86, P2, SEMANTICS (c)5)', () => {
  it('sends nothing before the reset, has one session try at a time, and ends every prompt once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps(), { maxLength: 40, size: 'max' }), async (order) => {
        const world = await openWorld();
        for (const step of order) await world.play(step);
        await world.recover();

        expect(world.violations).toEqual([]);
        expect(world.unfinished()).toEqual([]);
        expect(world.parked()).toEqual([]);
        await world.shutdown();
        expect(world.endedTwice()).toEqual([]);
      }),
      { numRuns: 20 },
    );
  }, 120_000);
});

function steps(): fc.Arbitrary<Step> {
  const session = fc.nat({ max: SESSIONS.length - 1 });
  const inMinutes = fc.option(fc.integer({ min: -5, max: 120 }), { nil: undefined });
  const kinds = (...some: readonly ('prompt' | 'answer' | 'speak' | 'break' | 'close' | 'kill')[]) =>
    fc.record({ kind: fc.constantFrom(...some), session });
  return fc.oneof(
    { weight: 5, arbitrary: kinds('prompt') },
    { weight: 3, arbitrary: kinds('answer', 'speak', 'break') },
    { weight: 1, arbitrary: kinds('close', 'kill') },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('wall' as const, 'frame' as const), session, inMinutes }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('time' as const), minutes: fc.integer({ min: 0, max: 90 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  );
}

/** Keeps, beside the supervisor, the reset that was told last, what is at work, and what became of each prompt. */
async function openWorld() {
  const violations: string[] = [];
  const atWork = new Map<string, MemoryPrompt>();
  const turns: Turn[] = [];
  const finished = new Set<string>();
  let closedUntil = 0;
  let isRecovered = false;
  const fleet = quotaFleet(
    (prompt) => {
      const id = prompt.cli.sessionId;
      const { state, probe } = fleet.account() ?? {};
      const now = fleet.clock.now();
      if (now < closedUntil) violations.push(`${id} at ${now - START}, before ${closedUntil - START}`);
      if (state === 'walled') violations.push(`${id} while the account is walled`);
      if (state === 'probing' && probe !== id) violations.push(`${id} works while ${probe} tries`);
      atWork.set(id, prompt);
      if (isRecovered) end(id, answerWell);
    },
    // A session that tries is never given up here: the machine alone is asked about that.
    {
      quota: { autoResume: true, probeMs: 1_000 * HOUR },
      // Nor is a turn that says nothing for hours.
      timeouts: { stallMs: Number.POSITIVE_INFINITY, stallInterruptMs: Number.POSITIVE_INFINITY },
    },
  );
  const { clock, supervisor } = fleet;
  const end = (id: string, how: (prompt: MemoryPrompt) => void) => {
    const prompt = atWork.get(id);
    atWork.delete(id);
    if (prompt !== undefined) how(prompt);
  };
  const sessions: Session[] = [];
  for (const id of SESSIONS) sessions.push(await fleet.start(id));

  /** The last word about a window counts; a reset that has passed, or none, is waited for with a delay. */
  const told = (inMinutes: number | undefined) => {
    if (inMinutes === undefined) return undefined;
    const resetsAt = clock.now() + inMinutes * MINUTE;
    if (inMinutes > 0) closedUntil = resetsAt + SKEW;
    return resetsAt;
  };

  const play = async (step: Step) => {
    const session = 'session' in step ? sessions[step.session] : undefined;
    const id = session?.id ?? '';
    const prompt = atWork.get(id);
    switch (step.kind) {
      case 'prompt': {
        if (session === undefined || ['closed', 'closing', 'failed', 'stopped', 'stopping'].includes(session.state))
          break;
        const turn = session.prompt('work');
        turn.accepted.catch(() => {});
        turns.push(turn);
        void turn.result.then(() => finished.add(turn.id));
        break;
      }
      case 'answer':
        end(id, answerWell);
        break;
      case 'break':
        end(id, ({ fail }) => fail('API Error: 500'));
        break;
      case 'speak':
        prompt?.cli.say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'so' }] } });
        break;
      case 'frame':
        if (prompt === undefined || step.inMinutes === undefined) break;
        prompt.cli.say(rateLimit('rejected', told(step.inMinutes) ?? 0));
        break;
      case 'wall':
        end(id, (open) => meetWall(open, told(step.inMinutes)));
        break;
      case 'close':
      case 'kill':
        atWork.delete(id);
        void session?.[step.kind]();
        break;
      case 'time':
        await clock.advance(step.minutes * MINUTE);
        break;
      case 'resume':
        closedUntil = 0;
        if (fleet.account() !== undefined) supervisor.resumeAccount('shared');
    }
    await clock.advance(10);
  };
  return {
    violations,
    play,
    /** The API answers everything from now on. */
    recover: async () => {
      isRecovered = true;
      for (const id of [...atWork.keys()]) end(id, answerWell);
      await clock.advance(10 * HOUR);
    },
    unfinished: () => turns.filter(({ id }) => !finished.has(id)).map(({ id }) => id),
    parked: () => sessions.filter(({ state }) => state === 'parked').map(({ id }) => id),
    endedTwice: () => {
      const ended = fleet.told('prompt.ended').flatMap((event) => ('promptId' in event ? [event.promptId] : []));
      if (ended.length !== turns.length) return [`${ended.length} ends of ${turns.length} prompts`];
      return ended.filter((id, index) => ended.indexOf(id) !== index);
    },
    shutdown: async () => {
      const over = supervisor.shutdown();
      await clock.advance(60_000);
      await over;
    },
  };
}
