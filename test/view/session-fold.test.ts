import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewEventOf } from '../../src/server/event-frame.ts';
import { logOf, type Session } from '../../src/session/session.ts';
import type { SessionEvent } from '../../src/store/session-event.ts';
import { applyEvent } from '../../src/view/apply-event.ts';
import { applyToTranscript } from '../../src/view/apply-to-transcript.ts';
import { type SessionView, startView } from '../../src/view/session-view.ts';
import { EMPTY_TRANSCRIPT } from '../../src/view/transcript.ts';
import type { ViewEvent } from '../../src/view/view-event.ts';
import { type MemoryCli, memoryStage, until } from '../session/memory-cli.ts';

const STEPS = [
  'prompt',
  'open',
  'end',
  'fail',
  'ask',
  'allow',
  'deny',
  'task',
  'idle',
  'crash',
  'wait',
  'cancel',
] as const;

describe('the view of a session (P7: snapshot at N plus events after N is the state)', () => {
  it('is at every rest what the library says, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 25 }), async (steps) => {
        const stage = await memoryStage();
        for (const step of steps) {
          await play(step, stage);
          await atRest();
          expect(shownOf(viewOf(stage.events))).toEqual(truthOf(stage.session));
        }
        await stage.supervisor.shutdown();
        expect(viewOf(stage.events).ended?.cause.code).toBe('closed');
      }),
      { numRuns: 25 },
    );
  });

  it('is the same when its log is read in two parts, or some of it twice', async () => {
    const events = await longLog();
    await fc.assert(
      fc.asyncProperty(fc.nat(events.length), fc.nat(20), async (cut, again) => {
        const whole = events.reduce(applyEvent, start());
        const half = events.slice(0, cut).reduce(applyEvent, start());
        const [view, script] = [events.slice(Math.max(0, cut - again)), events];

        expect(view.reduce(applyEvent, half)).toEqual(whole);
        const first = script.slice(0, cut).reduce(applyToTranscript, EMPTY_TRANSCRIPT);
        expect(view.reduce(applyToTranscript, first)).toEqual(script.reduce(applyToTranscript, EMPTY_TRANSCRIPT));
      }),
    );
  });

  it('changes nothing but its place by an event of a kind that it does not know (P6)', async () => {
    const view = (await longLog()).reduce(applyEvent, start());
    // What a newer release may say: outside the types on purpose.
    const unknown = {
      type: 'session.sang',
      tune: 'x',
      seq: view.seq + 1,
      epoch: view.epoch,
      at: 7,
    } as unknown as ViewEvent;

    expect(applyEvent(view, unknown)).toEqual({ ...view, seq: view.seq + 1, updatedAt: 7 });
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });
});

type Stage = Awaited<ReturnType<typeof memoryStage>>;

async function play(step: (typeof STEPS)[number], { session, clis, clock }: Stage): Promise<void> {
  const cli = clis.at(-1) as MemoryCli;
  const [question] = session.permissions.pending();
  switch (step) {
    case 'prompt':
      if (session.snapshot().queued.length < 20) session.prompt('work');
      break;
    case 'open':
      cli.openTurn();
      break;
    case 'end':
      cli.endTurn({ total_cost_usd: 0.5 });
      break;
    case 'fail':
      cli.endTurn({ is_error: true, result: 'no' });
      break;
    case 'ask':
      cli.ask('can_use_tool', { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: `t${clis.length}` });
      break;
    case 'allow':
    case 'deny':
      if (question !== undefined) {
        const answer = step === 'allow' ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' };
        await session.permissions.answer(question.id, answer as { behavior: 'allow' }).catch(() => {});
      }
      break;
    case 'task':
      cli.say({
        type: 'system',
        subtype: 'background_tasks_changed',
        tasks: [{ task_id: 'a', task_type: 'local_agent' }],
      });
      break;
    case 'idle':
      cli.say({ type: 'system', subtype: 'background_tasks_changed', tasks: [] });
      cli.say({ type: 'system', subtype: 'session_state_changed', state: 'idle' });
      break;
    case 'crash':
      cli.peer.exit({ exitCode: 1, signal: null });
      break;
    case 'wait':
      clock.increment(40_000);
      break;
    case 'cancel': {
      const [queued] = session.snapshot().queued;
      if (queued !== undefined) await session.cancelPrompt(queued);
      break;
    }
  }
}

async function atRest(): Promise<void> {
  for (let round = 0; round < 15; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

function truthOf(session: Session) {
  const { state, status, pid, queued, outstanding, permissions, usage } = session.snapshot();
  return {
    state,
    status,
    pid,
    queued,
    outstanding,
    permissions: permissions.map(({ id }) => id),
    turns: usage.turns,
    costUsd: usage.costUsd,
    seq: logOf(session).publishedSeq,
    conversationId: session.conversationId,
  };
}

function shownOf({ state, status, pid, prompts, permissions, usage, seq, conversationId }: SessionView) {
  const isOut = (one: string) => one === 'delivered' || one === 'started';
  const open = prompts.filter((prompt) => prompt.state !== 'ended');
  return {
    state,
    status,
    pid,
    queued: open.filter((prompt) => !isOut(prompt.state)).map(({ id }) => id),
    outstanding: open.filter((prompt) => isOut(prompt.state)).map(({ id }) => id),
    permissions: permissions.map(({ id }) => id),
    turns: usage.turns,
    costUsd: usage.costUsd,
    seq,
    conversationId,
  };
}

function viewOf(events: Stage['events']): SessionView {
  const own = events.filter((event): event is SessionEvent & { sessionId: string } => 'seq' in event);
  return own.map((event) => viewEventOf(event)).reduce(applyEvent, start());
}

function start(): SessionView {
  return startView({ id: 'review', groups: [] });
}

async function longLog(): Promise<ViewEvent[]> {
  const stage = await memoryStage();
  const told = () => stage.events.length;
  for (const step of [...STEPS, 'prompt', 'open', 'ask', 'allow', 'end'] as const) {
    await play(step, stage);
    await atRest();
  }
  await stage.supervisor.shutdown();
  await until(() => told() > 30);
  const events = stage.events.filter((event): event is SessionEvent & { sessionId: string } => 'seq' in event);
  return events.map((event) => ({ ...viewEventOf(event) }));
}
