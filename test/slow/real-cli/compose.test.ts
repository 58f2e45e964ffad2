import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnyActorRef, createActor, type InspectionEvent, toPromise, waitFor } from 'xstate';
import { RULES } from '../../../docs/examples/offline-stage.ts';
import { reviewBoard } from '../../../docs/examples/review-board.machine.ts';
import { reviewPipeline } from '../../../docs/examples/review-pipeline.machine.ts';
import { createSupervisor, type SessionOptions, type Supervisor } from '../../../src/index.ts';
import { hang, type ModelRule } from '../../../src/testing/index.ts';
import { processesOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

const APPROVED = {
  verdict: 'approved',
  rounds: 2,
  draft: 'Our second version: supervised actors.',
  code: undefined,
};

describe('the review pipeline', () => {
  it('goes on to the same result when the CLI of a session is killed in its turn, and an inspector sees all of it (P8)', async () => {
    // The first answer to the fix never comes: the process is killed over it.
    const stuck: ModelRule = { when: { promptContains: 'Fix the draft' }, reply: hang(), times: 1 };
    const { supervisor, setting, seen, inspect, configDir, reached } = await set([stuck, ...RULES]);
    const pipeline = createActor(reviewPipeline, {
      inspect,
      input: {
        task: 'what is Troupe?',
        maxRounds: 3,
        writer: ({ signal }) => supervisor.start({ ...setting, id: 'writer', signal }),
        reviewer: ({ signal }) => supervisor.start({ ...setting, id: 'reviewer', signal }),
      },
    });
    pipeline.start();
    const finished = toPromise(pipeline);
    await waitFor(pipeline, (snapshot) => snapshot.matches({ working: 'fixing' }), { timeout: 50_000 });
    await recorded(configDir, 'Our first version');
    const writer = supervisor.session('writer');
    await reached('Fix the draft');
    process.kill(Number(writer?.pid), 'SIGKILL');

    expect(await finished).toEqual(APPROVED);
    expect(writer?.history().filter(({ state }) => state === 'spawning')).toHaveLength(2);
    await supervisor.shutdown();
    expect([...processesOf('writer'), ...processesOf('reviewer')]).toEqual([]);

    expect([...seen.machines]).toEqual(
      expect.arrayContaining(['review-pipeline', 'supervisor', 'child', 'session', 'permission']),
    );
    expect([...seen.kinds].sort()).toEqual(
      expect.arrayContaining(['@xstate.actor', '@xstate.event', '@xstate.snapshot']),
    );
    expect(seen.events).toEqual(
      expect.arrayContaining(['session.restarting', 'permission.answer', 'session.turn-ended']),
    );
    expect(seen.unwritable).toEqual([]);
  }, 120_000);
});

describe('the review board', () => {
  it('decides by the majority of those who voted: one that cannot be started loses none of the others', async () => {
    const { supervisor, setting } = await set(RULES);
    const broken = { pathToClaudeCodeExecutable: '/nonexistent/claude' };
    const board = createActor(reviewBoard(['style', 'facts', 'broken']), {
      input: {
        draft: 'Our second version: supervised actors.',
        start: (id) => (options) =>
          supervisor.start({ ...setting, ...options, id, ...(id === 'broken' ? broken : {}) }),
      },
    });
    board.start();

    expect(await toPromise(board)).toEqual({
      verdict: 'approved',
      votes: { style: 'approve', facts: 'approve', broken: 'absent' },
    });
    await supervisor.shutdown();
    expect([...processesOf('style'), ...processesOf('facts')]).toEqual([]);
  }, 120_000);

  it('has the votes of all, also of the one whose CLI is killed in its turn, and an inspector sees all of it (P8)', async () => {
    const stuck: ModelRule = { when: { promptContains: 'Review this draft' }, reply: hang(), times: 1 };
    const { supervisor, setting, seen, inspect, reached } = await set([stuck, ...RULES]);
    const board = createActor(reviewBoard(['style', 'facts']), {
      inspect,
      input: {
        draft: 'Our first version: actors.',
        start: (id) => (options) => supervisor.start({ ...setting, ...options, id }),
      },
    });
    board.start();
    // Only one of them was left without an answer; the other has voted by then.
    await expect.poll(() => Object.keys(board.getSnapshot().context.votes)).toHaveLength(1);
    await reached('Review this draft');
    const [voter] = Object.keys(board.getSnapshot().context.votes);
    const victim = supervisor.session(voter === 'style' ? 'facts' : 'style');
    process.kill(Number(victim?.pid), 'SIGKILL');

    expect(await toPromise(board)).toEqual({ verdict: 'rejected', votes: { style: 'reject', facts: 'reject' } });
    expect(victim?.history().filter(({ state }) => state === 'spawning')).toHaveLength(2);
    expect([...seen.machines]).toEqual(expect.arrayContaining(['review-board', 'supervisor', 'child', 'session']));
    expect(seen.events).toEqual(expect.arrayContaining(['session.restarting', 'session.turn-ended']));
    expect(seen.unwritable).toEqual([]);
  }, 120_000);
});

/** A supervisor on a stage, with an inspector that keeps what it saw. */
async function set(rules: readonly ModelRule[]): Promise<{
  supervisor: Supervisor;
  setting: SessionOptions;
  configDir: string;
  seen: Seen;
  inspect: (event: unknown) => void;
  /** Resolves when the model was asked with this text: what is killed now is killed in its turn. */
  reached: (text: string) => Promise<void>;
}> {
  const { setting, configDir, model } = await stage({ script: { rules: [...rules] } });
  const seen: Seen = { machines: new Set(), kinds: new Set(), events: [], unwritable: [] };
  const inspect = (event: unknown) => note(seen, event as InspectionEvent);
  const supervisor = createSupervisor({ inspect });
  onTestFinished(() => supervisor.shutdown());
  return {
    supervisor,
    configDir,
    seen,
    inspect,
    reached: (text) =>
      expect.poll(() => model.requests.some(({ body }) => JSON.stringify(body).includes(text))).toBe(true),
    setting: { ...setting, restart: { type: 'transient', backoff: { minMs: 50 } } },
  };
}

interface Seen {
  readonly machines: Set<string>;
  readonly kinds: Set<string>;
  readonly events: string[];
  readonly unwritable: unknown[];
}

function note({ machines, kinds, events, unwritable }: Seen, event: InspectionEvent): void {
  kinds.add(event.type);
  const { logic } = event.actorRef as AnyActorRef & { logic?: { id?: string } };
  if (logic?.id !== undefined) machines.add(logic.id);
  if (event.type === '@xstate.event') events.push(event.event.type);
  try {
    JSON.stringify(event);
  } catch (error) {
    unwritable.push(error);
  }
}
